// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "sim/stock.h"

const char *const stock_names[STOCK_NR_GENS] = { "6.1", "6.12", "7.2" };

/* get_init_ra_size() */
static unsigned long stock_init_size(unsigned long req, unsigned long max)
{
	unsigned long size = roundup_pow_of_two(req);

	return size <= max / 32 ? 4 * size : size <= max / 4 ? 2 * size : max;
}

/* get_next_ra_size() */
static unsigned long stock_next_size(unsigned long size, unsigned long max)
{
	return size < max / 16 ? 4 * size : size <= max / 2 ? 2 * size : max;
}

/* ractl_max_pages(): a request larger than the window may be up to bdi->io_pages. */
unsigned long stock_max_pages(const struct stock_ra *ra, unsigned long req, unsigned long io_pages)
{
	if (req > ra->ra_pages && io_pages > ra->ra_pages)
		return min(req, io_pages);
	return ra->ra_pages;
}

/* Move the state to the next window. */
static void stock_advance(struct stock_ra *ra, unsigned long max)
{
	ra->start += ra->size;
	ra->size = max_t(unsigned long, ra->size, stock_next_size(ra->size, max));
	ra->async_size = ra->size;
}

static void stock_initial(enum stock_gen gen, struct stock_ra *ra, unsigned long index,
			  unsigned long req, unsigned long max)
{
	ra->start = index;
	ra->size = stock_init_size(req, max);
	if (ra->size > req)
		ra->async_size = ra->size - req;
	else
		ra->async_size = gen == STOCK_6_1 ? ra->size : ra->size / 2;
}

/* 6.1: if the page requested is the new window's marker, merge the next window into it. */
static void stock_merge_6_1(struct stock_ra *ra, unsigned long index, unsigned long max)
{
	unsigned long next = stock_next_size(ra->size, max);

	if (index != ra->start || ra->size != ra->async_size)
		return;
	if (ra->size + next <= max) {
		ra->size += next;
		ra->async_size = next;
	} else {
		ra->size = max;
		ra->async_size = max / 2;
	}
}

/* 6.1: is @index the marker of the window in the state, or the page after that window? */
static bool stock_expected_6_1(const struct stock_ra *ra, unsigned long index,
			       unsigned int folio_order)
{
	return index == round_down(ra->start + ra->size - ra->async_size, 1UL << folio_order) ||
	       index == ra->start + ra->size;
}

/**
 * stock_sync - page_cache_sync_ra()
 * @gen: generation
 * @ra: the state, updated
 * @index: page that is missing
 * @req: pages requested from @index on
 * @max: from stock_max_pages()
 * @miss: result of page_cache_prev_miss(@index - 1, @max)
 *
 * Return: what it reads.
 */
enum stock_action stock_sync(enum stock_gen gen, struct stock_ra *ra, unsigned long index,
			     unsigned long req, unsigned long max, unsigned long miss)
{
	unsigned long prev_index = (unsigned long long)ra->prev_pos >> PAGE_SHIFT;
	unsigned long before = index - miss - 1;

	ra->order = gen == STOCK_7_2 ? 0 : 2;
	if (gen == STOCK_6_1 && index && stock_expected_6_1(ra, index, 0)) {
		stock_advance(ra, max);
	} else if (!index || req > max || index - prev_index <= 1) {
		stock_initial(gen, ra, index, req, max);
	} else if (before > req) {
		ra->start = index;
		/* cached from the start of the file on: read twice as much */
		if (before >= index)
			before *= 2;
		ra->size = min(before + req, max);
		ra->async_size = 1;
	} else {
		return STOCK_REQUEST;
	}
	if (gen == STOCK_6_1)
		stock_merge_6_1(ra, index, max);
	return STOCK_WINDOW;
}

/**
 * stock_async - page_cache_async_ra()
 * @gen: generation
 * @ra: the state, updated
 * @index: first page of the folio that carries the marker
 * @folio_order: its order
 * @req: pages requested from @index on
 * @max: from stock_max_pages()
 * @miss: result of page_cache_next_miss(@index + 1, @max)
 *
 * Return: what it reads.
 */
enum stock_action stock_async(enum stock_gen gen, struct stock_ra *ra, unsigned long index,
			      unsigned int folio_order, unsigned long req, unsigned long max,
			      unsigned long miss)
{
	unsigned long end, aligned;

	if (gen != STOCK_7_2)
		ra->order = min_t(unsigned int, folio_order + 2, STOCK_MAX_ORDER);
	if (gen == STOCK_6_1 && !index) {
		stock_initial(gen, ra, index, req, max);
	} else if (index == round_down(ra->start + ra->size - ra->async_size,
				       1UL << folio_order) ||
		   (gen == STOCK_6_1 && stock_expected_6_1(ra, index, folio_order))) {
		stock_advance(ra, max);
	} else {
		if (!miss || miss - index > max)
			return STOCK_NOTHING;
		ra->start = miss;
		ra->size = stock_next_size(miss - index + req, max);
		ra->async_size = ra->size;
	}
	if (gen == STOCK_6_1)
		stock_merge_6_1(ra, index, max);
	if (gen == STOCK_7_2) {
		ra->order += 2;
		end = ra->start + ra->size;
		aligned = round_down(end, 1UL << min_t(unsigned int, ra->order, ffs(max) - 1));
		if (aligned > ra->start)
			ra->size -= end - aligned;
		ra->async_size = ra->size;
	}
	return STOCK_WINDOW;
}
