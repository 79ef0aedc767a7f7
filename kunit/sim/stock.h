/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the stock readahead code computes at its two doors: a model in plain
 * arithmetic, one for all generations, with the differences spelled out.
 *
 *   STOCK_6_1	6.1 to 6.11	ondemand_readahead()
 *   STOCK_6_12	6.12 to 6.15	page_cache_sync_ra(), page_cache_async_ra()
 *   STOCK_7_2	6.16 and later	the same, with file_ra_state.order
 *
 * Read from mm/readahead.c of Debian's linux-source 6.1.192, 6.12.117, 7.2.12;
 * 7.3.4 does not differ. Left out are the cases that never reach ctxra: readahead off,
 * FMODE_RANDOM, a congested cgroup, block sizes larger than a page.
 */
#ifndef SEQKEEP_KUNIT_STOCK_H
#define SEQKEEP_KUNIT_STOCK_H

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>

enum stock_gen {
	STOCK_6_1,
	STOCK_6_12,
	STOCK_7_2,
	STOCK_NR_GENS,
};

static const char *const stock_names[] = { "6.1", "6.12", "7.2" };

/* MAX_PAGECACHE_ORDER on x86-64: a PMD */
#define STOCK_MAX_ORDER	9

/* file_ra_state. Up to 6.15 @order is not kept but worked out anew by each call. */
struct stock_ra {
	unsigned long start;
	unsigned int size;
	unsigned int async_size;
	unsigned int ra_pages;
	unsigned int order;
	long long prev_pos;
};

enum stock_action {
	STOCK_NOTHING,	/* the door reads nothing */
	STOCK_REQUEST,	/* do_page_cache_ra(): the request and no marker */
	STOCK_WINDOW,	/* page_cache_ra_order(): the window that is now in stock_ra */
};

/* get_init_ra_size() */
static inline unsigned long stock_init_size(unsigned long req, unsigned long max)
{
	unsigned long size = roundup_pow_of_two(req);

	return size <= max / 32 ? 4 * size : size <= max / 4 ? 2 * size : max;
}

/* get_next_ra_size() */
static inline unsigned long stock_next_size(unsigned long size, unsigned long max)
{
	return size < max / 16 ? 4 * size : size <= max / 2 ? 2 * size : max;
}

/* ractl_max_pages(): a request beyond the window may be as large as the device likes. */
static inline unsigned long stock_max_pages(const struct stock_ra *ra, unsigned long req,
					    unsigned long io_pages)
{
	if (req > ra->ra_pages && io_pages > ra->ra_pages)
		return min(req, io_pages);
	return ra->ra_pages;
}

/* The window that follows the one in the state. */
static inline void stock_advance(struct stock_ra *ra, unsigned long max)
{
	ra->start += ra->size;
	ra->size = max_t(unsigned long, ra->size, stock_next_size(ra->size, max));
	ra->async_size = ra->size;
}

static inline void stock_initial(enum stock_gen gen, struct stock_ra *ra, unsigned long index,
				 unsigned long req, unsigned long max)
{
	ra->start = index;
	ra->size = stock_init_size(req, max);
	if (ra->size > req)
		ra->async_size = ra->size - req;
	else
		ra->async_size = gen == STOCK_6_1 ? ra->size : ra->size / 2;
}

/* 6.1: a window whose marker is its first page, just asked for, takes in the next one. */
static inline void stock_merge_6_1(struct stock_ra *ra, unsigned long index, unsigned long max)
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

/* 6.1: the marker of the window in the state, or the page after that window. */
static inline bool stock_expected_6_1(const struct stock_ra *ra, unsigned long index,
				      unsigned int folio_order)
{
	return index == round_down(ra->start + ra->size - ra->async_size, 1UL << folio_order) ||
	       index == ra->start + ra->size;
}

/**
 * stock_sync - the synchronous door
 * @gen: generation
 * @ra: the state, updated
 * @index: page that is missing
 * @req: pages asked for from @index on
 * @max: stock_max_pages()
 * @miss: what page_cache_prev_miss(@index - 1, @max) says
 *
 * Return: what is read.
 */
static inline enum stock_action stock_sync(enum stock_gen gen, struct stock_ra *ra,
					   unsigned long index, unsigned long req,
					   unsigned long max, unsigned long miss)
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
		/* cached from the start of the file: twice as sure */
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
 * stock_async - the asynchronous door
 * @gen: generation
 * @ra: the state, updated
 * @index: first page of the folio that carries the marker
 * @folio_order: its order
 * @req: pages asked for from @index on
 * @max: stock_max_pages()
 * @miss: what page_cache_next_miss(@index + 1, @max) says
 *
 * Return: what is read.
 */
static inline enum stock_action stock_async(enum stock_gen gen, struct stock_ra *ra,
					    unsigned long index, unsigned int folio_order,
					    unsigned long req, unsigned long max,
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

#endif
