/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the stock readahead code computes at its two entry points: a model in plain
 * arithmetic, one for all generations of the code, with the differences spelled out.
 *
 *   STOCK_6_1	6.1 to 6.11	ondemand_readahead()
 *   STOCK_6_12	6.12 to 6.15	page_cache_sync_ra(), page_cache_async_ra()
 *   STOCK_7_2	6.16 and later	the same, with file_ra_state.order
 *
 * From mm/readahead.c of Debian's linux-source 6.1.192, 6.12.117 and 7.2.12; 7.3.4 does not
 * differ. The model lacks the cases that never reach ctxra: readahead off, FMODE_RANDOM, a
 * congested cgroup, block sizes larger than a page.
 */
#ifndef SEQKEEP_KUNIT_STOCK_H
#define SEQKEEP_KUNIT_STOCK_H

#include <linux/types.h>

enum stock_gen {
	STOCK_6_1,
	STOCK_6_12,
	STOCK_7_2,
	STOCK_NR_GENS,
};

extern const char *const stock_names[STOCK_NR_GENS];

/* MAX_PAGECACHE_ORDER on x86-64: the order of a PMD */
#define STOCK_MAX_ORDER	9

/* file_ra_state. Up to 6.15 each call computes @order anew. */
struct stock_ra {
	unsigned long start;
	unsigned int size;
	unsigned int async_size;
	unsigned int ra_pages;
	unsigned int order;
	long long prev_pos;
};

enum stock_action {
	STOCK_NOTHING,	/* no read */
	STOCK_REQUEST,	/* do_page_cache_ra(): the request and no marker */
	STOCK_WINDOW,	/* page_cache_ra_order(): the window that is now in stock_ra */
};

unsigned long stock_max_pages(const struct stock_ra *ra, unsigned long req, unsigned long io_pages);
enum stock_action stock_sync(enum stock_gen gen, struct stock_ra *ra, unsigned long index,
			     unsigned long req, unsigned long max, unsigned long miss);
enum stock_action stock_async(enum stock_gen gen, struct stock_ra *ra, unsigned long index,
			      unsigned int folio_order, unsigned long req, unsigned long max,
			      unsigned long miss);

#endif
