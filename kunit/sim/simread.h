/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers of a simulated page cache, with ctxra in front of the stock code or without: the
 * walk of filemap_get_pages(), what hooks.c and pagecache.c tell ctxra_sets_follow() of a call,
 * and a scheduler that decides by a seed.
 */
#ifndef SEQKEEP_KUNIT_SIMREAD_H
#define SEQKEEP_KUNIT_SIMREAD_H

#include <linux/prandom.h>

#include "ctxra/sets.h"
#include "sim/simcache.h"

/* Readers of most tests, and the most that there may be. */
#define SIM_READERS	16
#define SIM_MAX_READERS	64

/* What ctxra acts on: a set of patterns, or SIM_STOCK without ctxra. */
#define SIM_ALL_PATTERNS	((long)BIT(CTXRA_NR_PATTERNS) - 1)
#define SIM_STOCK		(-1L)

/**
 * struct sim - the readers' side of a simulation
 * @cache: the file's cache
 * @win: the device's window, pages
 * @part: largest submission, pages; 0: windows are not split
 * @grown: &ctxra_args.grown; 0: @win
 * @flips: calls after which @grown is switched off, and on again after as many; 0: never
 * @calls: calls so far, if @flips
 * @ctxra: the patterns that ctxra opens windows for, or SIM_STOCK
 * @sets: ctxra's table
 * @args: the call that ctxra decides on
 * @opened: windows that ctxra opened, by pattern
 * @markers_skipped: markers that ctxra skipped
 * @missed: calls to page_cache_sync_ra()
 * @unfilled: misses that page_cache_sync_ra() did not fill
 * @drop_behind: readers drop the pages that they have read
 */
struct sim {
	struct simcache cache;
	unsigned long win;
	unsigned long part;
	unsigned long grown;
	unsigned long flips;
	unsigned long calls;
	long ctxra;
	struct ctxra_sets *sets;
	const struct ctxra_args *args;
	unsigned long opened[CTXRA_NR_PATTERNS];
	unsigned long markers_skipped;
	unsigned long missed;
	unsigned long unfilled;
	bool drop_behind;
};

struct sim_request {
	unsigned long index;
	unsigned long nr;
};

enum sim_share {
	SIM_TURN,	/* each reader takes every Nth request, strictly one after another */
	SIM_FREE,	/* each reader takes every Nth request, at its own pace */
	SIM_POOL,	/* a reader that is free takes the next request, as nfsd does */
};

extern const char *const sim_share_names[SIM_POOL + 1];

/**
 * struct sim_work - what the readers read, and how they share it
 * @requests: in the order in which readers take them
 * @nr: number of @requests
 * @readers: up to SIM_MAX_READERS
 * @share: how they share the requests
 * @shared_fd: all have one descriptor instead of one each
 * @seed: for the scheduler
 */
struct sim_work {
	const struct sim_request *requests;
	unsigned long nr;
	unsigned int readers;
	enum sim_share share;
	bool shared_fd;
	u32 seed;
};

struct sim_reader {
	struct stock_ra *ra;
	unsigned long next;	/* index of its next request */
	unsigned long pos;
	unsigned long end;
	u32 wake;
};

struct rnd_state sim_random(u32 seed);
struct sim *sim_alloc(struct kunit *test, unsigned long first, unsigned long eof);
void sim_reset(struct sim *sim, const struct sim_way *way, unsigned long win, long ctxra);
unsigned long sim_opened(const struct sim *sim);
void sim_step(struct sim *sim, struct sim_reader *r);
bool sim_idle(const struct sim *sim, const struct sim_reader *r);
void sim_finish(struct sim *sim, struct sim_reader *r);
void sim_run(struct sim *sim, const struct sim_work *work);

#endif
