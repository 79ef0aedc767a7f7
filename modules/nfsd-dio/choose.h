/* SPDX-License-Identifier: GPL-2.0-only */
/* Learns whether direct or cached writes are faster on a device. Pure. */
#ifndef NFSD_DIO_CHOOSE_H
#define NFSD_DIO_CHOOSE_H

#include <linux/time64.h>
#include <linux/types.h>

/**
 * enum nd_way - how a write is made that may be made either way
 * @ND_BY_CACHE: by the stock code, through the page cache
 * @ND_BY_DIRECT: by direct I/O
 */
enum nd_way {
	ND_BY_CACHE,
	ND_BY_DIRECT,
	ND_NR_WAYS,
};

/**
 * enum nd_phase - what is measured
 * @ND_PAUSE: nothing
 * @ND_BEFORE: writes of the way that is taken to be faster
 * @ND_SETTLE: nothing, while writes go the other way until those of before have ended
 * @ND_TRIAL: writes that go the other way
 */
enum nd_phase {
	ND_PAUSE,
	ND_BEFORE,
	ND_SETTLE,
	ND_TRIAL,
};

/* So many writes are measured before a trial, and in it; the longest do not count. */
#define ND_MEASURED	32
#define ND_LONGEST	4
/*
 * Where more than one of so many direct writes finds no memory, the cache is the way; not before
 * more than so many did.
 */
#define ND_GAVE_UP_SHARE	5
#define ND_GAVE_UP_MOST		13
/* Writes of before a trial are taken to have ended after so many times their mean, or so long. */
#define ND_SETTLE_MEANS	4
#define ND_SETTLE_NS	(5ULL * NSEC_PER_SEC)
/* A pause lasts so many times as long as the trial before it: at first, and at most. */
#define ND_PAUSE_FIRST	8U
#define ND_PAUSE_MOST	128U
/* No longer, unless it is shorter than so many times the trial; and never longer than this. */
#define ND_PAUSE_NS	(30ULL * NSEC_PER_SEC)
#define ND_PAUSE_LEAST	32
#define ND_LONG_NS	(600ULL * NSEC_PER_SEC)
/* While direct writes are the way, no longer than this. */
#define ND_DIRECT_NS	(60ULL * NSEC_PER_SEC)
/* Where the cache is faster, a pause also lasts for so many writes: they may come in bursts. */
#define ND_PAUSE_WRITES	(16 * ND_MEASURED)
/* A phase that takes so long tells nothing. */
#define ND_STALE_NS	(60ULL * NSEC_PER_SEC)
/* Where the cache is faster, inspect no write for so long after one that may not go direct. */
#define ND_PASS_NS	NSEC_PER_MSEC
/* No direct write for so long after one has failed, or several have found no memory. */
#define ND_FAILED_NS	(60ULL * NSEC_PER_SEC)
/* The unit of &nd_choice.read_back. */
#define ND_READ_BACK_ALL	1024
/* The unit of &nd_choice.cached, and the most at which writes may be direct. */
#define ND_CACHED_ALL	1024
#define ND_CACHED_MOST	(ND_CACHED_ALL / 2)

/**
 * struct nd_choice - what is known of the writes of one size to one device
 * @way: the faster way
 * @was_faster: direct writes were faster in the last trial, and the cache is the way
 * @phase: what is measured
 * @run: counts phases; a write that began in an earlier one is not measured; 0: none
 * @begun: writes that are measured and began in this phase
 * @ended: those of them that have ended
 * @sum: of their latencies, ns
 * @longest: of their latencies, falling, ns
 * @all: the sum with these, ns
 * @gave_up: in this phase: each direct write that found no memory adds %ND_GAVE_UP_SHARE - 1,
 * each other write that ends takes 1 away
 * @since: when this phase began, ns
 * @tried: when the last trial began, with the time in which writes settle, ns
 * @pause: %ND_PAUSE_FIRST to %ND_PAUSE_MOST; 0: no trial has ended yet
 * @next: %ND_PAUSE ends then, ns
 * @next_look: inspect no write before, where the cache is faster and no trial is on, ns
 * @passed: writes since this phase began, if it is a pause
 * @ns: per way, the mean latency of those that were measured last and count, ns; 0: none was
 * @mean: per way, the moving mean of all that were measured, ns; 0: none was
 * @read_back: the share of the direct writes of lately that were soon read from the disk,
 * 0 to %ND_READ_BACK_ALL
 * @cached: the share of the writes of lately whose blocks were in the cache, among these and those
 * that might go either way, 0 to %ND_CACHED_ALL
 */
struct nd_choice {
	enum nd_way way;
	bool was_faster;
	enum nd_phase phase;
	u64 run;
	unsigned int begun;
	unsigned int ended;
	u64 sum;
	u64 longest[ND_LONGEST];
	u64 all;
	unsigned int gave_up;
	u64 since;
	u64 tried;
	unsigned int pause;
	u64 next;
	u64 next_look;
	unsigned int passed;
	u64 ns[ND_NR_WAYS];
	u64 mean[ND_NR_WAYS];
	unsigned int read_back;
	unsigned int cached;
};

bool nd_choice_wants(struct nd_choice *choice, u64 now);
enum nd_way nd_choose(struct nd_choice *choices, unsigned int nr, unsigned int size, u64 now,
		      u64 *run);
void nd_chosen(struct nd_choice *choice, u64 run, u64 took, u64 now);
void nd_choice_skip(struct nd_choice *choice, u64 run);
void nd_choice_gave_up(struct nd_choice *choice, u64 run, u64 now);
void nd_choice_passes(struct nd_choice *choice, bool is_cached, u64 now);
void nd_choice_failed(struct nd_choice *choice, u64 now);
void nd_choice_read_back(struct nd_choice *choice, bool was_read);

#endif
