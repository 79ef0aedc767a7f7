/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders of requests for simulated readers, as bench/reader.c hands them out. */
#ifndef SEQKEEP_KUNIT_SIMWORK_H
#define SEQKEEP_KUNIT_SIMWORK_H

#include <linux/prandom.h>

#include "sim/simread.h"

/**
 * struct sim_shape - what is read, in which order, by whom
 * @name: for people
 * @pages: how much of the file, from page @first on
 * @first: where the reading starts
 * @nr: request size, pages
 * @win: window, pages
 * @readers: how many
 * @share: how they share the requests
 * @shared_fd: one descriptor for all
 * @streams: disjoint areas that are read at the same time, a request of each in turn
 * @group: requests that are shuffled among themselves; 2: neighbours swapped; 0, 1: in order
 * @noise: percentage, up to 50, of requests that are somewhere in the file, in addition to
 *	@pages. 100: all are, that is, @pages are read at random
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

static inline void sim_shuffle(struct sim_request *rq, unsigned int nr, struct rnd_state *rnd)
{
	unsigned int i, j;

	if (nr == 2) {
		swap(rq[0], rq[1]);
		return;
	}
	for (i = nr; i > 1; i--) {
		j = prandom_u32_state(rnd) % i;
		swap(rq[i - 1], rq[j]);
	}
}

static inline struct sim_request sim_anywhere(unsigned long nr, unsigned long eof,
					      struct rnd_state *rnd)
{
	return (struct sim_request){ .index = prandom_u32_state(rnd) % (eof - nr), .nr = nr };
}

/*
 * Put requests from anywhere between @n others, from the back, so that it can be done in
 * place: @rq has room for twice as many. Returns where they start.
 */
static inline unsigned long sim_add_noise(struct sim_request *rq, unsigned long n,
					  const struct sim_shape *shape, unsigned long eof,
					  struct rnd_state *rnd)
{
	unsigned long from = n, to = 2 * n;

	while (from) {
		rq[--to] = rq[--from];
		/* So many that they are @noise percent of all. */
		if (prandom_u32_state(rnd) % (100 - shape->noise) < shape->noise)
			rq[--to] = sim_anywhere(shape->nr, eof, rnd);
	}
	return to;
}

/**
 * sim_work - lay out the requests of a shape
 * @test: owns them
 * @shape: the shape
 * @eof: pages in the file, for noise
 *
 * Return: the work, for sim_run().
 */
static inline struct sim_work sim_work(struct kunit *test, const struct sim_shape *shape,
				       unsigned long eof)
{
	unsigned long streams = max(shape->streams, 1U), per, i, s, n, first = 0;
	struct rnd_state rnd = sim_random(shape->seed);
	struct sim_request *one, *all;

	per = DIV_ROUND_UP(shape->pages, shape->nr) / streams;
	n = per * streams;
	one = kunit_kcalloc(test, per, sizeof(*one), GFP_KERNEL);
	all = kunit_kcalloc(test, 2 * n, sizeof(*all), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_NOT_NULL(test, all);
	for (s = 0; s < streams; s++) {
		for (i = 0; i < per; i++)
			one[i] = (struct sim_request){
				.index = shape->first + (s * per + i) * shape->nr,
				.nr = shape->nr,
			};
		for (i = 0; shape->group > 1 && i + shape->group <= per; i += shape->group)
			sim_shuffle(one + i, shape->group, &rnd);
		for (i = 0; i < per; i++)
			all[i * streams + s] = one[i];
	}
	if (shape->noise == 100) {
		for (i = 0; i < n; i++)
			all[i] = sim_anywhere(shape->nr, eof, &rnd);
	} else if (shape->noise) {
		first = sim_add_noise(all, n, shape, eof, &rnd);
		n = 2 * n - first;
	}
	return (struct sim_work){
		.requests = all + first,
		.nr = n,
		.readers = max(shape->readers, 1U),
		.share = shape->share,
		.shared_fd = shape->shared_fd,
		.seed = shape->seed,
	};
}

/* For sim_play(): without ctxra. */
#define SIM_STOCK	(-1L)

/**
 * struct sim_outcome - what some work cost
 * @ios: I/Os
 * @read: pages read
 * @opened: windows that ctxra opened
 * @markers_skipped: markers that it let pass
 * @missed: requests that had to wait for an I/O of their own
 * @lost: misses that the door did not fill
 * @trace: a hash of all I/Os
 */
struct sim_outcome {
	unsigned long ios;
	unsigned long read;
	unsigned long opened;
	unsigned long markers_skipped;
	unsigned long missed;
	unsigned long lost;
	u64 trace;
};

/* Do the work from an empty cache. @ctxra: patterns, or SIM_STOCK */
static inline struct sim_outcome sim_play(struct sim *sim, const struct sim_work *work,
					  unsigned int way, unsigned long win, long ctxra)
{
	sim_reset(sim, &sim_ways[way], win, ctxra);
	sim_run(sim, work);
	return (struct sim_outcome){
		.ios = sim->cache.ios,
		.read = sim->cache.read,
		.opened = sim_opened(sim),
		.markers_skipped = sim->markers_skipped,
		.missed = sim->missed,
		.lost = sim->lost,
		.trace = sim->cache.trace,
	};
}

static inline void sim_report(struct kunit *test, unsigned int way, const char *name,
			      const struct sim_outcome *stock, const struct sim_outcome *ctxra)
{
	kunit_info(test, "%s, %s folios: %s: I/Os %lu -> %lu, pages %lu -> %lu\n",
		   stock_names[sim_ways[way].gen], sim_ways[way].large ? "large" : "small",
		   name, stock->ios, ctxra->ios, stock->read, ctxra->read);
}

#endif
