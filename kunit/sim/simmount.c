// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>

#include "nfs-ra/decide.h"
#include "sim/simmount.h"

/* Describe a kernel in the name of a case. */
void sim_way_desc(const struct sim_way *way, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s%s", stock_names[way->gen],
		 way->large ? ", large folios" : "");
}

/* A reader that has opened nothing yet. It is freed when the test ends. */
struct simmount *simmount_alloc(struct kunit *test)
{
	struct simmount *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	simcache_init(&r->cache, test, 0, FILE_PAGES);
	return r;
}

/* Open the next file of the mount, with nothing cached. */
void sim_open_next(struct simmount *r, const struct sim_way *way, bool grows, unsigned long pages)
{
	r->cache.eof = FILE_PAGES;
	simcache_reset(&r->cache, way);
	r->cache.eof = pages;
	r->cache.io_pages = RSIZE;
	r->ra = (struct stock_ra){ .ra_pages = MOUNT_PAGES, .prev_pos = -1 };
	r->mount_pages = MOUNT_PAGES;
	r->grows = grows;
	r->limited = false;
	r->memory = MAX_WINDOW;
	r->largest = 0;
	r->missed = 0;
}

/* Open a file of a new mount, with nothing cached. */
void sim_reopen(struct simmount *r, const struct sim_way *way, bool grows)
{
	r->habit = (struct nra_habit){};
	sim_open_next(r, way, grows, FILE_PAGES);
}

static enum nra_page look_up(void *cache, unsigned long index)
{
	struct simcache *c = cache;

	if (sim_cached(c, index))
		return sim_page(c, index)->used ? NRA_PAGE_READ : NRA_PAGE_UNREAD;
	return sim_page(c, index)->evicted ? NRA_PAGE_EVICTED : NRA_PAGE_ABSENT;
}

/* As windows.c, around nra_decide(). */
static void steer(struct simmount *r, unsigned long index, unsigned long req)
{
	struct nra_marker marker = {
		.last = { r->ra.start, r->ra.size, r->ra.async_size },
		.read = {
			.index = index,
			.folio_pages = 1UL << sim_order(&r->cache, index),
			.begin = r->pread ? 0 : r->begin,
			.req = req,
			.first = r->ra.prev_pos < 0,
		},
		.prev = (u64)r->ra.prev_pos >> PAGE_SHIFT,
		.eof = r->cache.eof,
		.file_pages = r->ra.ra_pages,
		.mount_pages = r->mount_pages,
		.usual = MOUNT_PAGES,
		.io_pages = r->cache.io_pages,
		.max_window = r->grows ? MAX_WINDOW : 0,
		.memory = r->memory,
		.habit = &r->habit,
		.page = look_up,
		.data = &r->cache,
	};
	struct nra_window *last = &marker.last;
	unsigned int size;

	if (!nra_is_expected_marker(last, index, marker.read.folio_pages)) {
		if (nra_take_over(&marker, last)) {
			r->ra.start = last->start;
			r->ra.size = last->size;
			r->ra.async_size = last->async_size;
		}
		return;
	}
	size = nra_decide(&marker);
	if (r->cache.gen == STOCK_7_2 && nra_limits_folios(&marker, size))
		r->ra.order = min_t(unsigned int, r->ra.order, ilog2(r->mount_pages) - 2);
	if (!size)
		return;
	KUNIT_EXPECT_LE(r->cache.test, size, MAX_WINDOW);
	nra_steer_window(last, size, r->ra.ra_pages);
	KUNIT_EXPECT_LE(r->cache.test, nra_stock_window(last->size, r->ra.ra_pages), size);
	r->ra.start = last->start;
	r->ra.size = last->size;
}

/* A read(), as filemap_read() makes it: it looks for a marker on the last folio of each batch. */
void sim_read_file(struct simmount *r, unsigned long index, unsigned long nr)
{
	unsigned long end = min(index + nr, r->cache.eof), i;

	r->begin = index;
	while (index < end) {
		unsigned long next = index;

		if (!sim_cached(&r->cache, index)) {
			r->missed++;
			sim_stock_sync_ra(&r->cache, &r->ra, index, end - index);
		}
		KUNIT_ASSERT_TRUE(r->cache.test, sim_cached(&r->cache, index));
		while (next < end && sim_cached(&r->cache, next)) {
			unsigned long folio = sim_folio(&r->cache, next);

			next = folio + (1UL << sim_order(&r->cache, folio));
			if (!sim_page(&r->cache, folio)->marker)
				continue;
			if (r->grows || r->limited)
				steer(r, folio, end - folio);
			sim_stock_async_ra(&r->cache, &r->ra, folio, folio, end - folio);
			r->largest = max(r->largest, r->ra.size);
			break;
		}
		next = min(next, end);
		for (i = sim_folio(&r->cache, index); i < next; i++)
			sim_page(&r->cache, i)->used = true;
		index = next;
		/* Up to 6.11 after each batch, since then after each read(). */
		if (r->cache.gen == STOCK_6_1)
			r->ra.prev_pos = (long long)index << PAGE_SHIFT;
	}
	r->ra.prev_pos = (long long)end << PAGE_SHIFT;
}

/* One read() of @block pages after the other. */
void sim_read_piece(struct simmount *r, unsigned long index, unsigned long nr,
		    unsigned long block)
{
	unsigned long i;

	for (i = 0; i < nr; i += block)
		sim_read_file(r, index + i, min(block, nr - i));
}
