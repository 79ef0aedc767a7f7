// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stock code of every generation reads just the window that ctxra chose. Each test gives
 * steered values to the model in sim/stock.c, over a simulated page cache, and checks what it read
 * and where it put the marker.
 */
#include <kunit/test.h>

#include "ctxra/steer.h"
#include "sim/simcache.h"

/* Pages on both sides of a window that must not be read. */
#define MARGIN		64UL
/* The largest file has 2^63 - 1 bytes. */
#define LAST_INDEX	(S64_MAX >> PAGE_SHIFT)

/* First pages of windows. */
static const unsigned long starts[] = {
	0, 1, 2, 3, 31, 32, 1000, 4096, 65535, (1UL << 32) - 5, 1UL << 32, (1UL << 50) + 12,
	LAST_INDEX - 20000,
};

static void start_desc(const unsigned long *start, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "at %lu", *start);
}

KUNIT_ARRAY_PARAM(starts, starts, start_desc);

/* All small windows, then sizes on and off powers of two. */
static const unsigned long large_sizes[] = {
	65, 96, 100, 127, 128, 129, 255, 256, 257, 511, 512, 513, 768, 1000, 1023, 1024, 1025,
	2048, 2560, 4095, 4096, 4097, 8192, 12345, 16383, 16384,
};

#define SMALL_SIZES	64
#define NR_SIZES	(SMALL_SIZES + ARRAY_SIZE(large_sizes))
#define MAX_SIZE	16384

static unsigned long nth_size(unsigned int n)
{
	return n < SMALL_SIZES ? n + 1 : large_sizes[n - SMALL_SIZES];
}

static unsigned long start_of(struct kunit *test)
{
	return *(const unsigned long *)test->param_value;
}

static void cache_init(struct kunit *test, struct simcache *cache)
{
	unsigned long start = start_of(test);

	simcache_init(cache, test, start - min(start, MARGIN), start + MAX_SIZE + MARGIN);
}

/* Empty the cache, as a trimmed window is. The file ends @margin pages behind the window. */
static void cache_reset(struct simcache *cache, unsigned int way, unsigned long size,
			unsigned long margin)
{
	cache->eof = start_of(cache->test) + size + margin;
	simcache_reset(cache, &sim_ways[way]);
}

/* The kernel and the window, for a failure's message. Tests run one at a time. */
static const char *where(const struct simcache *cache, unsigned long start, unsigned long nr)
{
	static char text[80];

	snprintf(text, sizeof(text), "%s, %s folios, window of %lu at %lu",
		 stock_names[cache->gen], cache->large ? "large" : "small", nr, start);
	return text;
}

/* Expect that one I/O read [start, start + nr), and no other page. */
static void expect_read(struct simcache *cache, unsigned long start, unsigned long nr)
{
	struct kunit *test = cache->test;

	KUNIT_ASSERT_EQ_MSG(test, cache->ios, 1UL, "%s", where(cache, start, nr));
	KUNIT_ASSERT_EQ_MSG(test, cache->read, nr, "%s", where(cache, start, nr));
	KUNIT_ASSERT_EQ_MSG(test, sim_cached_from(cache, start, nr), nr, "%s",
			    where(cache, start, nr));
}

/* Expect the marker on the folio of page @marker, and on no other in [start, start + nr). */
static void expect_marker(struct simcache *cache, unsigned long start, unsigned long nr,
			  unsigned long marker)
{
	struct kunit *test = cache->test;
	unsigned long i, found = 0, at = ULONG_MAX;

	for (i = start; i < start + nr; i++) {
		if (sim_page(cache, i)->marker) {
			at = i;
			found++;
		}
	}
	KUNIT_ASSERT_EQ_MSG(test, found, 1UL, "%s", where(cache, start, nr));
	KUNIT_ASSERT_EQ_MSG(test, at, sim_folio(cache, marker), "%s", where(cache, start, nr));
}

/*
 * Where the stock code can put the marker. Not in the first quarter of the window, because a
 * smaller request does not read all of it. For a request of the whole window it is in the
 * middle. A window of one page has none.
 */
static unsigned long possible_marker(const struct ctxra_window *win)
{
	unsigned long at = max(win->marker - win->start, win->nr / 4 + 1);

	if (at >= win->nr)
		return win->start + win->nr - win->nr / 2;
	return win->start + at;
}

static void miss_once(struct simcache *cache, unsigned long start, unsigned long nr,
		      unsigned long marker)
{
	struct ctxra_window win = { .start = start, .nr = nr, .marker = start + marker };
	struct ctxra_steering st;
	struct stock_ra ra;

	ctxra_steer_miss(&win, PAGE_SHIFT, &st);
	KUNIT_ASSERT_GE(cache->test, st.req, 1UL);
	KUNIT_ASSERT_LE(cache->test, st.req, nr);
	ra = sim_steered(&st);
	sim_stock_sync_ra(cache, &ra, st.index, st.req);
	expect_read(cache, start, nr);
	if (nr > 1)
		expect_marker(cache, start, nr, possible_marker(&win));
}

/* A miss reads just the window, wherever its marker should be. */
static void steer_miss(struct kunit *test)
{
	struct simcache cache;
	unsigned int n, way;

	cache_init(test, &cache);
	for (n = 0; n < NR_SIZES; n++) {
		unsigned long size = nth_size(n), marker;
		unsigned long step = size <= SMALL_SIZES ? 1 : size / 5;

		for (marker = 0; marker <= size; marker += step) {
			for (way = 0; way < SIM_NR_WAYS; way++) {
				cache_reset(&cache, way, size, MARGIN);
				miss_once(&cache, start_of(test), size, marker);
			}
		}
	}
}

static void miss_at_eof_once(struct simcache *cache, unsigned long start, unsigned long nr)
{
	struct ctxra_window win = { .start = start, .nr = nr, .marker = start + nr / 2 };
	struct ctxra_steering st;
	struct stock_ra ra;

	ctxra_steer_miss(&win, PAGE_SHIFT, &st);
	ra = sim_steered(&st);
	sim_stock_sync_ra(cache, &ra, st.index, st.req);
	expect_read(cache, start, nr);
	if (cache->gen != STOCK_7_2 && nr > 1)
		expect_marker(cache, start, nr, possible_marker(&win));
}

/* The same at the end of the file, where newer kernels set no marker. */
static void steer_miss_at_eof(struct kunit *test)
{
	struct simcache cache;
	unsigned int n, way;

	cache_init(test, &cache);
	for (n = 0; n < NR_SIZES; n++) {
		for (way = 0; way < SIM_NR_WAYS; way++) {
			cache_reset(&cache, way, nth_size(n), 0);
			miss_at_eof_once(&cache, start_of(test), nth_size(n));
		}
	}
}

static void marker_once(struct simcache *cache, unsigned long index, unsigned int folio_order,
			unsigned long start, unsigned long nr)
{
	struct ctxra_window win = { .start = start, .nr = nr, .marker = start, .ahead = true };
	struct kunit *test = cache->test;
	struct ctxra_steering st;
	struct stock_ra ra;
	unsigned long i;

	/* The pages from the marker to the window are cached. */
	for (i = sim_page(cache, index) - cache->pages; cache->first + i < start; i++)
		cache->pages[i] = (struct sim_page){ .cached = true, .order = folio_order };
	sim_page(cache, index)->marker = true;

	ctxra_steer_marker(&win, index, folio_order, cache->gen == STOCK_7_2, &st);
	/* Where nothing is rounded, a kernel may make windows smaller if the largest one is. */
	if (cache->gen != STOCK_7_2)
		KUNIT_ASSERT_EQ_MSG(cache->test, st.ra_pages, nr, "%s", where(cache, start, nr));
	ra = sim_steered(&st);
	sim_stock_async_ra(cache, &ra, index, st.index, st.req);
	KUNIT_ASSERT_FALSE(test, sim_page(cache, index)->marker);
	expect_read(cache, start, nr);
	expect_marker(cache, start, nr, start);
}

/*
 * Markers on each of the 64 pages before the window, in folios of @order. The window starts a
 * page later than in other tests, so that there is a page before it.
 */
static void markers_before(struct simcache *cache, unsigned int way, unsigned int order,
			   unsigned long nr)
{
	unsigned long start = start_of(cache->test) + 1, back;

	for (back = 1; back <= min(MARGIN, start); back++) {
		unsigned long index = start - back;

		if (index % (1UL << order))
			continue;
		/* 6.1 reads from the start of the file when the marker is there. */
		if (!index && sim_ways[way].gen == STOCK_6_1)
			continue;
		/* Only some for large windows, because they take long. */
		if (nr > SMALL_SIZES && back > 2 && back % 16)
			continue;
		cache_reset(cache, way, nr, MARGIN);
		marker_once(cache, index, order, start, nr);
	}
}

/* A marker opens just the window, from near and far and from folios of any order. */
static void steer_marker(struct kunit *test)
{
	unsigned int n, way, order;
	struct simcache cache;

	cache_init(test, &cache);
	for (n = 0; n < NR_SIZES; n++)
		for (way = 0; way < SIM_NR_WAYS; way++)
			for (order = 0; order <= (sim_ways[way].large ? 5 : 0); order++)
				markers_before(&cache, way, order, nth_size(n));
}

/* A marker opens a window below it, for readers that go backwards. */
static void steer_marker_below(struct kunit *test)
{
	unsigned int n, way, order;
	struct simcache cache;

	cache_init(test, &cache);
	for (n = 0; n < NR_SIZES; n++) {
		for (way = 0; way < SIM_NR_WAYS; way++) {
			for (order = 0; order <= (sim_ways[way].large ? 5 : 0); order++) {
				unsigned long nr = nth_size(n), start = start_of(test), index;
				struct ctxra_window win = {
					.start = start, .nr = nr, .marker = start, .ahead = true,
				};
				struct ctxra_steering st;
				struct stock_ra ra;

				/* There 6.1 has no place for a marker; at 0 it begins a file. */
				if (sim_ways[way].gen == STOCK_6_1 && start &&
				    start <= 1UL << order)
					continue;
				cache_reset(&cache, way, nr, MARGIN);
				index = round_up(start + nr, 1UL << order);
				*sim_page(&cache, index) = (struct sim_page){
					.cached = true, .order = order, .marker = true,
				};
				ctxra_steer_marker(&win, index, order, true, &st);
				ra = sim_steered(&st);
				sim_stock_async_ra(&cache, &ra, index, st.index, st.req);
				KUNIT_ASSERT_FALSE(test, sim_page(&cache, index)->marker);
				expect_read(&cache, start, nr);
				if (start || cache.gen != STOCK_6_1)
					expect_marker(&cache, start, nr, start);
			}
		}
	}
}

static struct kunit_case steer_cases[] = {
	KUNIT_CASE_PARAM(steer_miss, starts_gen_params),
	KUNIT_CASE_PARAM(steer_miss_at_eof, starts_gen_params),
	KUNIT_CASE_PARAM(steer_marker, starts_gen_params),
	KUNIT_CASE_PARAM(steer_marker_below, starts_gen_params),
	{}
};

static struct kunit_suite steer_suite = {
	.name = "ctxra_steer",
	.test_cases = steer_cases,
};

kunit_test_suite(steer_suite);

MODULE_LICENSE("GPL");
