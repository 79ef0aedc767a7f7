/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests for simulated readers, in the orders that bench/reader.c has. */
#ifndef SEQKEEP_KUNIT_SIMWORK_H
#define SEQKEEP_KUNIT_SIMWORK_H

#include <linux/prandom.h>

#include "sim/simread.h"

/**
 * struct sim_shape - what readers read, and in which order
 * @name: for messages
 * @pages: pages to read, from @first on
 * @first: first page
 * @nr: request size, pages
 * @win: window, pages
 * @readers: number of readers
 * @share: how they share the requests
 * @shared_fd: one descriptor for all
 * @streams: disjoint areas that are read at the same time, a request of each in turn
 * @group: requests that are shuffled among themselves; 2 swaps neighbours; 0, 1: in order
 * @noise: percentage, up to 50, of requests at random places, in addition to @pages. With 100
 *	@pages are read at random.
 * @seed: for shuffling, noise and the scheduler
 */
struct sim_shape {
	const char *name;
	unsigned long pages;
	unsigned long first;
	unsigned long nr;
	unsigned long win;
	unsigned int readers;
	enum sim_share share;
	bool shared_fd;
	unsigned int streams;
	unsigned int group;
	unsigned int noise;
	u32 seed;
};

/**
 * struct sim_outcome - the cost of some work
 * @ios: I/Os
 * @read: pages read
 * @opened: windows that ctxra opened
 * @markers_skipped: markers that ctxra skipped
 * @missed: requests that had to wait for an I/O of their own
 * @unfilled: misses that page_cache_sync_ra() did not fill
 * @io_hash: a hash of all I/Os
 */
struct sim_outcome {
	unsigned long ios;
	unsigned long read;
	unsigned long opened;
	unsigned long markers_skipped;
	unsigned long missed;
	unsigned long unfilled;
	u64 io_hash;
};

/**
 * struct sim_totals - sums over several works, on stock and with ctxra
 * @ios: I/Os
 * @waits: requests that caused an I/O and waited for it
 * @read: pages read
 */
struct sim_totals {
	unsigned long ios[2];
	unsigned long waits[2];
	unsigned long read[2];
};

void sim_shuffle(struct sim_request *rq, unsigned int nr, struct rnd_state *rnd);
struct sim_request sim_random_request(unsigned long nr, unsigned long eof, struct rnd_state *rnd);
unsigned long sim_add_noise(struct sim_request *rq, unsigned long n, const struct sim_shape *shape,
			    unsigned long eof, struct rnd_state *rnd);
struct sim_work sim_work_create(struct kunit *test, const struct sim_shape *shape,
				unsigned long eof);
struct sim_outcome sim_eval(struct sim *sim, const struct sim_work *work, unsigned int way,
			    unsigned long win, long ctxra);
struct sim_outcome sim_compare(struct sim *sim, const struct sim_work *work, unsigned int way,
			       unsigned long win, struct sim_totals *sum);
void sim_report_totals(struct kunit *test, const char *name, const struct sim_totals *sum);
void sim_report(struct kunit *test, unsigned int way, const char *name,
		const struct sim_outcome *stock, const struct sim_outcome *ctxra);

#endif
