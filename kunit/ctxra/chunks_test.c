// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes of an NFS client share a scan: each takes the next chunk of the file, as PostgreSQL's
 * parallel workers do, and reads it in order. The client sends READs for a chunk, and reads ahead
 * beyond its end. So the server gets READs of several places that move on together, by one
 * descriptor, and each of them once.
 */
#include <kunit/test.h>

#include "sim/simwork.h"

#define FILE_PAGES	32768UL	/* 128 MiB */
#define MAX_WORKERS	8
#define AHEAD		2	/* READs that the client reads ahead */
#define PACES		8	/* the slowest worker takes so many times as long as the fastest */
#define SEEDS		24	/* of each kernel a sixth */

/**
 * struct chunks - how a scan is shared
 * @name: for messages
 * @nr: pages of a READ
 * @win: window, pages
 * @workers: processes
 * @chunk: READs of a chunk
 * @off: first page of the first READ
 */
struct chunks {
	const char *name;
	unsigned long nr;
	unsigned long win;
	unsigned int workers;
	unsigned int chunk;
	unsigned int off;
};

#define CHUNKS(nr_, win_, workers_, chunk_, off_) {					\
	.name = "READs of " #nr_ ", window " #win_ ", " #workers_ " workers, " #chunk_	\
		" READs each time, " #off_ " off",					\
	.nr = nr_, .win = win_, .workers = workers_, .chunk = chunk_, .off = off_,	\
}

static const struct chunks cases[] = {
	CHUNKS(16, 32, 2, 4, 0), CHUNKS(16, 32, 3, 4, 0), CHUNKS(16, 32, 5, 4, 0),
	CHUNKS(16, 32, 8, 4, 0), CHUNKS(16, 32, 5, 16, 0), CHUNKS(8, 32, 5, 8, 0),
	CHUNKS(16, 256, 5, 4, 0), CHUNKS(16, 256, 8, 32, 0),
	/* A client's READs begin where its first one began, not at multiples of their length. */
	CHUNKS(16, 32, 2, 4, 8), CHUNKS(16, 32, 4, 4, 8), CHUNKS(16, 32, 5, 4, 3),
	CHUNKS(16, 32, 8, 4, 24), CHUNKS(8, 32, 5, 8, 5), CHUNKS(16, 256, 5, 4, 8),
};

static void chunks_desc(const struct chunks *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(chunks, cases, chunks_desc);

/* The READs in the order in which the client sends them. */
static void send(const struct chunks *c, struct sim_request *rq, unsigned long n, bool *sent,
		 u32 seed)
{
	struct rnd_state rnd = sim_random(seed);
	unsigned long at[MAX_WORKERS] = {}, end[MAX_WORKERS] = {}, taken = 0, i = 0, next;
	unsigned int pace[MAX_WORKERS] = {}, w;

	memset(sent, 0, n * sizeof(*sent));
	while (i < n) {
		w = prandom_u32_state(&rnd) % c->workers;
		if (at[w] < end[w] && prandom_u32_state(&rnd) % PACES > pace[w])
			continue;
		if (at[w] == end[w]) {
			if (taken == n)
				continue;
			at[w] = taken;
			taken = min(taken + c->chunk, n);
			end[w] = taken;
			pace[w] = prandom_u32_state(&rnd) % PACES;
		}
		/* The READ that the worker waits for, and those ahead of it. */
		for (next = at[w]; next < min(at[w] + 1 + AHEAD, n); next++) {
			if (sent[next])
				continue;
			sent[next] = true;
			rq[i++] = (struct sim_request){
				.index = c->off + next * c->nr, .nr = c->nr,
			};
		}
		at[w]++;
	}
}

static void by_chunks(struct kunit *test)
{
	const struct chunks *c = test->param_value;
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_totals sum = {};
	unsigned long n = (FILE_PAGES - c->off) / c->nr;
	struct sim_request *rq = kunit_kcalloc(test, n, sizeof(*rq), GFP_KERNEL);
	bool *sent = kunit_kcalloc(test, n, sizeof(*sent), GFP_KERNEL);
	u32 seed;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	KUNIT_ASSERT_NOT_NULL(test, sent);
	for (seed = 1; seed <= SEEDS; seed++) {
		const struct sim_work work = {
			.requests = rq, .nr = n, .readers = SIM_READERS, .share = SIM_POOL,
			.shared_fd = true, .seed = seed,
		};
		unsigned int way = seed % SIM_NR_WAYS;
		struct sim_outcome ctxra;

		send(c, rq, n, sent, seed);
		ctxra = sim_compare(sim, &work, way, c->win, &sum);
		KUNIT_EXPECT_GE(test, ctxra.read, n * c->nr);
		KUNIT_EXPECT_LE(test, ctxra.read, FILE_PAGES);
	}
	sim_report_totals(test, c->name, &sum);
	KUNIT_EXPECT_LE(test, sum.ios[1] * 100, sum.ios[0] * 102);
	KUNIT_EXPECT_LE(test, sum.waits[1], sum.waits[0] + SEEDS);
}

static struct kunit_case chunks_cases[] = {
	KUNIT_CASE_PARAM(by_chunks, chunks_gen_params),
	{}
};

static struct kunit_suite chunks_suite = {
	.name = "ctxra_chunks",
	.test_cases = chunks_cases,
};

kunit_test_suite(chunks_suite);

MODULE_LICENSE("GPL");
