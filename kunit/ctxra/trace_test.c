// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ctxra makes of calls recorded on real servers. The suite replays kunit/traces with the
 * stock code of each generation and with ctxra in front of it.
 */
#include <kunit/test.h>

#include "sim/simwork.h"

/**
 * struct call - a line of a trace
 * @index: first page
 * @nr: pages
 */
struct call {
	unsigned long index;
	unsigned long nr;
};

/**
 * struct trace - a file of traces/
 * @name: its name
 * @calls: its lines
 * @nr: number of @calls
 */
struct trace {
	const char *name;
	const struct call *calls;
	unsigned int nr;
};

#include "traces.h"

#define WIN		32UL	/* of all traces: 128 KiB */
#define FILE_PAGES	2048UL
#define WINDOWS		(FILE_PAGES / WIN)

static void trace_desc(const struct trace *trace, char *desc)
{
	strscpy(desc, trace->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(traces, traces, trace_desc);

static void read_one(struct sim *sim, struct stock_ra *ra, unsigned long index, unsigned long nr)
{
	struct sim_reader r = { .ra = ra, .pos = index, .end = index + nr };

	sim_finish(sim, &r);
}

/*
 * Replay the calls one after another, all by one descriptor, as they were recorded. A trace has
 * no reads of cached pages. In a dense stream, read the pages before each call first.
 */
static struct sim_outcome replay(struct sim *sim, const struct trace *trace, unsigned int way,
				 long ctxra, bool dense)
{
	struct stock_ra ra = { .ra_pages = WIN, .prev_pos = -1 };
	unsigned long frontier = 0;
	unsigned int i;

	sim_reset(sim, &sim_ways[way], WIN, ctxra);
	for (i = 0; i < trace->nr; i++) {
		const struct call *call = &trace->calls[i];

		for (; dense && frontier + call->nr <= call->index; frontier += call->nr)
			read_one(sim, &ra, frontier, call->nr);
		read_one(sim, &ra, call->index, call->nr);
		frontier = max(frontier, call->index + call->nr);
	}
	return (struct sim_outcome){ .ios = sim->cache.ios, .read = sim->cache.read };
}

static void replayed(struct kunit *test)
{
	const struct trace *trace = test->param_value;
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	bool strided = !strcmp(trace->name, "stride");
	bool dense = !strided && strcmp(trace->name, "reverse");
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = replay(sim, trace, way, SIM_STOCK, dense);
		struct sim_outcome ctxra = replay(sim, trace, way, SIM_ALL_PATTERNS, dense);

		sim_report(test, way, trace->name, &stock, &ctxra);
		/* One I/O per window; for every second 64 KiB one per piece, and few gaps read. */
		KUNIT_EXPECT_LE(test, ctxra.ios, strided ? WINDOWS + 4 : WINDOWS * 11 / 10 + 12);
		KUNIT_EXPECT_LE(test, ctxra.read, strided ? FILE_PAGES / 2 + 4 * WIN : FILE_PAGES);
	}
}

static struct kunit_case trace_cases[] = {
	KUNIT_CASE_PARAM(replayed, traces_gen_params),
	{}
};

static struct kunit_suite trace_suite = {
	.name = "ctxra_trace",
	.test_cases = trace_cases,
};

kunit_test_suite(trace_suite);

MODULE_LICENSE("GPL");
