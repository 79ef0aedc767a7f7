// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ctxra sees of a page cache with large folios, cached and evicted. The XArray is a real
 * one, filled as mm/filemap.c does, in a mapping that belongs to no file.
 */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/prandom.h>

#include "ctxra/pagecache.h"

/* The shadow entry of an evicted folio; page_cache_delete() stores it for all its pages. */
#define SHADOW		xa_mk_value(1)
#define MAX_FOLIOS	8

struct cache {
	struct address_space mapping;
	struct page *pages[MAX_FOLIOS];
	unsigned int nr;
};

static void store(struct kunit *test, pgoff_t index, unsigned int order, void *entry)
{
	struct cache *cache = test->priv;
	XA_STATE_ORDER(xas, &cache->mapping.i_pages, index, order);

	do {
		xas_lock_irq(&xas);
		xas_store(&xas, entry);
		xas_unlock_irq(&xas);
	} while (xas_nomem(&xas, GFP_KERNEL));
	KUNIT_ASSERT_EQ(test, xas_error(&xas), 0);
}

/* Store a folio that is uptodate, and used or unread. */
static void store_folio(struct kunit *test, pgoff_t index, unsigned int order, bool used)
{
	struct cache *cache = test->priv;
	struct folio *folio;
	struct page *page;

	KUNIT_ASSERT_LT(test, cache->nr, (unsigned int)MAX_FOLIOS);
	page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);
	KUNIT_ASSERT_NOT_NULL(test, page);
	cache->pages[cache->nr++] = page;
	folio = page_folio(page);
	folio_mark_uptodate(folio);
	if (used)
		folio_set_referenced(folio);
	store(test, index, order, folio);
}

/* Pages 8 to 11, 40 and 44 to 47 are cached, 16 to 31 are evicted in two folios. */
static int cache_init(struct kunit *test)
{
	struct cache *cache = kunit_kzalloc(test, sizeof(*cache), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	test->priv = cache;
	xa_init_flags(&cache->mapping.i_pages, XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT);
	cache->mapping.i_mmap = RB_ROOT_CACHED;
	store_folio(test, 8, 2, true);
	store(test, 16, 3, SHADOW);
	store(test, 24, 3, SHADOW);
	store_folio(test, 40, 0, true);
	store_folio(test, 44, 2, false);
	return 0;
}

static void cache_exit(struct kunit *test)
{
	struct cache *cache = test->priv;
	unsigned int i;

	xa_destroy(&cache->mapping.i_pages);
	for (i = 0; i < cache->nr; i++)
		__free_pages(cache->pages[i], compound_order(cache->pages[i]));
}

static struct address_space *mapping_of(struct kunit *test)
{
	struct cache *cache = test->priv;

	return &cache->mapping;
}

static void cached_before(struct kunit *test)
{
	struct address_space *mapping = mapping_of(test);
	pgoff_t index;

	KUNIT_EXPECT_EQ(test, ctxra_cached_before(mapping, 12, 16), 4UL);
	KUNIT_EXPECT_EQ(test, ctxra_cached_before(mapping, 12, 3), 3UL);
	KUNIT_EXPECT_EQ(test, ctxra_cached_before(mapping, 41, 16), 1UL);
	/* Unread. The stock code counts such pages. */
	KUNIT_EXPECT_EQ(test, ctxra_cached_before(mapping, 48, 16), 0UL);
	KUNIT_EXPECT_EQ(test, ctxra_trail(mapping, 48, 16), 4UL);
	KUNIT_EXPECT_EQ(test, ctxra_trail(mapping, 48, 3), 3UL);
	KUNIT_EXPECT_EQ(test, ctxra_trail(mapping, 12, 16), 4UL);
	KUNIT_EXPECT_EQ(test, ctxra_trail(mapping, 32, 16), 0UL);
	/* Each evicted page, and the first behind them. */
	for (index = 16; index <= 32; index++)
		KUNIT_EXPECT_EQ(test, ctxra_cached_before(mapping, index, 16), 0UL);
}

static void cached_from(struct kunit *test)
{
	struct address_space *mapping = mapping_of(test);

	KUNIT_EXPECT_EQ(test, ctxra_cached_from(mapping, 8, 16), 4UL);
	KUNIT_EXPECT_EQ(test, ctxra_cached_from(mapping, 8, 3), 0UL);
	KUNIT_EXPECT_EQ(test, ctxra_cached_from(mapping, 40, 16), 1UL);
}

static void evicted(struct kunit *test)
{
	pgoff_t index;

	for (index = 0; index < 64; index++)
		KUNIT_EXPECT_EQ(test, ctxra_is_evicted(mapping_of(test), index),
				index >= 16 && index < 32);
}

/* 8 to 11 were read and 44 to 47 are unread; if the file is mapped, that is not clear. */
static void sample_use(struct kunit *test)
{
	struct address_space *mapping = mapping_of(test);
	struct rb_node vma;
	struct ctxra_use use = ctxra_sample_use(mapping, 8, 4);

	KUNIT_EXPECT_EQ(test, use.used, 4U);
	use = ctxra_sample_use(mapping, 44, 4);
	KUNIT_EXPECT_EQ(test, use.unused, 4U);
	KUNIT_EXPECT_EQ(test, use.unclear, 0U);
	mapping->i_mmap.rb_root.rb_node = &vma;
	use = ctxra_sample_use(mapping, 8, 4);
	KUNIT_EXPECT_EQ(test, use.used, 4U);
	KUNIT_EXPECT_EQ(test, use.unclear, 0U);
	use = ctxra_sample_use(mapping, 44, 4);
	KUNIT_EXPECT_EQ(test, use.unused, 0U);
	KUNIT_EXPECT_EQ(test, use.unclear, 4U);
	/* Of evicted pages nobody knows. */
	use = ctxra_sample_use(mapping, 16, 16);
	KUNIT_EXPECT_EQ(test, use.used + use.unused + use.absent + use.unclear, 0U);
	KUNIT_EXPECT_EQ(test, use.evicted, 16U);
	mapping->i_mmap = RB_ROOT_CACHED;
}

/* Trim a window, and expect the range that is missing; none if that is empty. */
static void trim(struct kunit *test, bool ahead, pgoff_t index, pgoff_t start, pgoff_t end,
		 pgoff_t missing_start, pgoff_t missing_end)
{
	struct ctxra_window win = {
		.start = start, .nr = end - start, .marker = start, .ahead = ahead,
	};

	KUNIT_ASSERT_EQ(test, ctxra_trim_window(mapping_of(test), &win, index),
			missing_start < missing_end);
	if (missing_start < missing_end) {
		KUNIT_EXPECT_EQ(test, (pgoff_t)win.start, missing_start);
		KUNIT_EXPECT_EQ(test, (pgoff_t)win.start + win.nr, missing_end);
	}
}

static void trim_around(struct kunit *test)
{
	pgoff_t index;

	for (index = 12; index < 40; index++)
		trim(test, false, index, 0, 64, 12, 40);
	trim(test, false, 23, 16, 24, 16, 24);
	trim(test, false, 23, 20, 24, 20, 24);
	trim(test, false, 41, 0, 64, 41, 44);
}

static void trim_ahead(struct kunit *test)
{
	pgoff_t index;

	trim(test, true, 0, 8, 12, 0, 0);
	/* Starting within a large folio. */
	for (index = 8; index <= 12; index++)
		trim(test, true, 0, index, 64, 12, 40);
	for (index = 13; index < 32; index++)
		trim(test, true, 0, index, 64, index, 40);
	trim(test, true, 0, 46, 64, 48, 64);
}

/* What ctxra_trim_window() and ctxra_cached_before() do, page by page. */
static void expect_as_page_by_page(struct kunit *test, pgoff_t from, pgoff_t index, pgoff_t to)
{
	struct address_space *mapping = mapping_of(test);
	pgoff_t start = index, end = index, n = 0;

	while (n < index - from && ctxra_is_cached(mapping, index - n - 1))
		n++;
	KUNIT_ASSERT_EQ_MSG(test, ctxra_cached_before(mapping, index, index - from), n,
			    "before %lu", index);
	while (end < to && !ctxra_is_cached(mapping, end))
		end++;
	if (end > index) {
		while (start > from && !ctxra_is_cached(mapping, start - 1))
			start--;
		trim(test, false, index, from, to, start, end);
	}
	start = index;
	while (start < to && ctxra_is_cached(mapping, start))
		start++;
	for (end = start; end < to && !ctxra_is_cached(mapping, end); end++)
		;
	trim(test, true, from, index, to, start, end);
	if (ctxra_is_cached(mapping, index)) {
		n = start - index;
		KUNIT_ASSERT_EQ(test, ctxra_cached_from(mapping, index, to - index - 1),
				start < to ? n : 0);
	}
}

#define RANDOM_PAGES	1024UL

/* Random folios of any order, shadow entries and holes, in trees of one to three levels. */
static void walks_agree_with_single_looks(struct kunit *test)
{
	struct cache *cache = test->priv;
	struct rnd_state rnd;
	unsigned int round, i;

	for (round = 0; round < 200; round++) {
		unsigned long pages = RANDOM_PAGES >> (round % 11);

		prandom_seed_state(&rnd, round + 1);
		xa_destroy(&cache->mapping.i_pages);
		for (i = 0; i < 40; i++) {
			unsigned int order = prandom_u32_state(&rnd) % 8;
			pgoff_t index = prandom_u32_state(&rnd) % pages;
			/* Not a shadow entry for the used folio: only its kind matters. */
			void *entry = prandom_u32_state(&rnd) % 3 ? cache->pages[0] : SHADOW;
			pgoff_t page;

			index = round_down(index, 1UL << order);
			for (page = index; page < index + (1UL << order); page++)
				if (xa_load(&cache->mapping.i_pages, page))
					break;
			if (page == index + (1UL << order))
				store(test, index, order, entry);
		}
		for (i = 0; i < 100; i++) {
			pgoff_t index = prandom_u32_state(&rnd) % (2 * RANDOM_PAGES);
			pgoff_t from = index - prandom_u32_state(&rnd) % (index + 1);

			expect_as_page_by_page(test, from, index,
					       index + 1 + prandom_u32_state(&rnd) % 500);
		}
	}
	xa_destroy(&cache->mapping.i_pages);
}

static struct kunit_case pagecache_cases[] = {
	KUNIT_CASE(cached_before),
	KUNIT_CASE(cached_from),
	KUNIT_CASE(evicted),
	KUNIT_CASE(sample_use),
	KUNIT_CASE(trim_around),
	KUNIT_CASE(trim_ahead),
	KUNIT_CASE(walks_agree_with_single_looks),
	{}
};

static struct kunit_suite pagecache_suite = {
	.name = "ctxra_pagecache",
	.init = cache_init,
	.exit = cache_exit,
	.test_cases = pagecache_cases,
};

kunit_test_suite(pagecache_suite);

MODULE_LICENSE("GPL");
