// SPDX-License-Identifier: GPL-2.0-only
/*
 * An NFS client with several connections (nconnect) reads a file. It sends its READs by each in
 * turn, and each is served at a pace of its own, so the stream has a part that is far ahead of the
 * rest, with gaps at equal steps. It is one stream all the same.
 */
#include <kunit/test.h>

#include "sim/simwork.h"

#define FILE_PAGES	32768UL	/* 128 MiB */
#define MAX_CONNECTIONS	16
#define SEEDS		24	/* of each kernel a sixth */

/**
 * struct connections - how the READs of a file arrive
 * @name: for messages
 * @nr: pages of a READ
 * @win: window, pages
 * @connections: number of connections
 * @lead: READs that one connection is ahead of the others
 * @percent: I/Os that ctxra makes at most, of those of the stock code
 */
struct connections {
	const char *name;
	unsigned long nr;
	unsigned long win;
	unsigned int connections;
	unsigned int lead;
	unsigned int percent;
};

#define CONNECTIONS(nr_, win_, connections_, lead_, percent_) {			\
	.name = "READs of " #nr_ ", window " #win_ ", " #connections_		\
		" connections, one " #lead_ " ahead",				\
	.nr = nr_, .win = win_, .connections = connections_, .lead = lead_,	\
	.percent = percent_							\
}

static const struct connections cases[] = {
	CONNECTIONS(8, 32, 2, 32, 88), CONNECTIONS(8, 32, 4, 32, 65),
	CONNECTIONS(8, 32, 8, 32, 76), CONNECTIONS(8, 32, 8, 64, 71),
	CONNECTIONS(8, 32, 16, 64, 84), CONNECTIONS(16, 32, 8, 32, 93),
	CONNECTIONS(8, 256, 8, 64, 92),
};

static void connections_desc(const struct connections *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(connections, cases, connections_desc);

/* The first READ that is still to come by another connection than @but. */
static unsigned long slowest(const unsigned long *next, unsigned int nr, unsigned int but)
{
	unsigned int i, found = but ? 0 : 1;

	for (i = 0; i < nr; i++)
		if (i != but && next[i] < next[found])
			found = i;
	return found;
}

/* The READs in the order in which the server gets them. Another connection leads for a while. */
static void arrive(const struct connections *c, struct sim_request *rq, unsigned long n, u32 seed)
{
	struct rnd_state rnd = sim_random(seed);
	unsigned long next[MAX_CONNECTIONS], i, at;
	unsigned int first = 0;

	for (i = 0; i < c->connections; i++)
		next[i] = i;
	for (i = 0; i < n; i++) {
		if (i % 128 == 0)
			first = prandom_u32_state(&rnd) % c->connections;
		at = slowest(next, c->connections, first);
		if (next[first] < n && next[first] <= next[at] + c->lead)
			at = first;
		rq[i] = (struct sim_request){ .index = next[at] * c->nr, .nr = c->nr };
		next[at] += c->connections;
	}
}

static void by_connections(struct kunit *test)
{
	const struct connections *c = test->param_value;
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_totals sum = {};
	unsigned long n = FILE_PAGES / c->nr;
	struct sim_request *rq = kunit_kcalloc(test, n, sizeof(*rq), GFP_KERNEL);
	u32 seed;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (seed = 1; seed <= SEEDS; seed++) {
		const struct sim_work work = {
			.requests = rq, .nr = n, .readers = SIM_READERS, .share = SIM_POOL,
			.shared_fd = true, .seed = seed,
		};
		unsigned int way = seed % SIM_NR_WAYS;
		struct sim_outcome ctxra;

		arrive(c, rq, n, seed);
		ctxra = sim_compare(sim, &work, way, c->win, &sum);
		KUNIT_EXPECT_EQ(test, ctxra.read, FILE_PAGES);
	}
	sim_report_totals(test, c->name, &sum);
	KUNIT_EXPECT_LE(test, sum.ios[1] * 100, sum.ios[0] * c->percent);
	KUNIT_EXPECT_LE(test, sum.waits[1], sum.waits[0]);
}

static struct kunit_case connections_cases[] = {
	KUNIT_CASE_PARAM(by_connections, connections_gen_params),
	{}
};

static struct kunit_suite connections_suite = {
	.name = "ctxra_connections",
	.test_cases = connections_cases,
};

kunit_test_suite(connections_suite);

MODULE_LICENSE("GPL");
