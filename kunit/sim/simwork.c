// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>

#include "sim/simwork.h"

void sim_shuffle(struct sim_request *rq, unsigned int nr, struct rnd_state *rnd)
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

struct sim_request sim_random_request(unsigned long nr, unsigned long eof, struct rnd_state *rnd)
{
	return (struct sim_request){ .index = prandom_u32_state(rnd) % (eof - nr), .nr = nr };
}

/*
 * Put random requests between @n others. Works from the back, in place: @rq has room for
 * twice as many. Returns the index of the first one.
 */
unsigned long sim_add_noise(struct sim_request *rq, unsigned long n, const struct sim_shape *shape,
			    unsigned long eof, struct rnd_state *rnd)
{
	unsigned long from = n, to = 2 * n;

	while (from) {
		rq[--to] = rq[--from];
		/* The random ones are @noise percent of all. */
		if (prandom_u32_state(rnd) % (100 - shape->noise) < shape->noise)
			rq[--to] = sim_random_request(shape->nr, eof, rnd);
	}
	return to;
}

/**
 * sim_work_create - lay out the requests of a shape
 * @test: owns the requests
 * @shape: the shape
 * @eof: pages in the file, for noise
 *
 * Return: the work, for sim_run().
 */
struct sim_work sim_work_create(struct kunit *test, const struct sim_shape *shape,
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
			all[i] = sim_random_request(shape->nr, eof, &rnd);
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

/* Do the work with an empty cache. @ctxra: patterns, or SIM_STOCK */
struct sim_outcome sim_eval(struct sim *sim, const struct sim_work *work, unsigned int way,
			    unsigned long win, long ctxra)
{
	sim_reset(sim, &sim_ways[way], win, ctxra);
	sim_run(sim, work);
	return (struct sim_outcome){
		.ios = sim->cache.ios,
		.read = sim->cache.read,
		.opened = sim_opened(sim),
		.markers_skipped = sim->markers_skipped,
		.missed = sim->missed,
		.unfilled = sim->unfilled,
		.io_hash = sim->cache.io_hash,
	};
}

/**
 * sim_compare - do some work on stock and with ctxra, and add up what it costs
 * @sim: the simulation
 * @work: the work
 * @way: of sim_ways[]
 * @win: window, pages
 * @sum: added to
 *
 * Return: the cost with ctxra.
 */
struct sim_outcome sim_compare(struct sim *sim, const struct sim_work *work, unsigned int way,
			       unsigned long win, struct sim_totals *sum)
{
	struct sim_outcome arms[2];
	unsigned int arm;

	arms[0] = sim_eval(sim, work, way, win, SIM_STOCK);
	arms[1] = sim_eval(sim, work, way, win, SIM_ALL_PATTERNS);
	for (arm = 0; arm < ARRAY_SIZE(arms); arm++) {
		sum->ios[arm] += arms[arm].ios;
		sum->waits[arm] += arms[arm].missed;
		sum->read[arm] += arms[arm].read;
	}
	return arms[1];
}

/**
 * sim_report_totals - print sums
 * @test: the test
 * @name: of the work
 * @sum: the sums
 */
void sim_report_totals(struct kunit *test, const char *name, const struct sim_totals *sum)
{
	kunit_info(test, "%s: I/Os %lu -> %lu, waits %lu -> %lu, pages %lu -> %lu\n", name,
		   sum->ios[0], sum->ios[1], sum->waits[0], sum->waits[1], sum->read[0],
		   sum->read[1]);
}

void sim_report(struct kunit *test, unsigned int way, const char *name,
		const struct sim_outcome *stock, const struct sim_outcome *ctxra)
{
	kunit_info(test, "%s, %s folios: %s: I/Os %lu -> %lu, pages %lu -> %lu\n",
		   stock_names[sim_ways[way].gen], sim_ways[way].large ? "large" : "small",
		   name, stock->ios, ctxra->ios, stock->read, ctxra->read);
}
