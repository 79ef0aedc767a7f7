// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that go backwards, at strides, with too little memory, with windows in parts, that
 * drop what they read, or come where others read before: ctxra compared with the stock code
 * of each generation.
 */
#include <kunit/test.h>

#include "ctxra/follow.h"
#include "ctxra/window.h"
#include "sim/simwork.h"

#define FILE_PAGES	16384UL	/* 64 MiB */
#define SEED		20261121

/**
 * struct walk - requests at a constant distance
 * @name: for messages
 * @nr: pages of a request
 * @step: distance from one to the next; negative towards the start of the file
 * @win: window, pages
 * @readers: number of readers
 * @share: how they share the requests
 * @group: requests shuffled among themselves
 * @noise: percentage of random requests
 * @first: the lowest page
 */
struct walk {
	const char *name;
	unsigned long nr;
	long step;
	unsigned long win;
	unsigned int readers;
	enum sim_share share;
	unsigned int group;
	unsigned int noise;
	unsigned long first;
};

static void walk_desc(const struct walk *walk, char *desc)
{
	strscpy(desc, walk->name, KUNIT_PARAM_DESC_SIZE);
}

static struct sim_work walk_work(struct kunit *test, const struct walk *walk, unsigned long eof)
{
	unsigned long step = abs(walk->step), n = FILE_PAGES / step, first = 0, i;
	struct rnd_state rnd = sim_random(SEED);
	struct sim_request *rq;

	rq = kunit_kcalloc(test, 2 * n, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (i = 0; i < n; i++)
		rq[i] = (struct sim_request){
			.index = walk->first + step * (walk->step > 0 ? i : n - 1 - i),
			.nr = walk->nr,
		};
	for (i = 0; walk->group > 1 && i + walk->group <= n; i += walk->group)
		sim_shuffle(rq + i, walk->group, &rnd);
	if (walk->noise) {
		struct sim_shape noise = { .nr = walk->nr, .noise = walk->noise };

		first = sim_add_noise(rq, n, &noise, eof, &rnd);
		n = 2 * n - first;
	}
	return (struct sim_work){
		.requests = rq + first, .nr = n, .readers = max(walk->readers, 1U),
		.share = walk->share, .seed = SEED,
	};
}

#define BACK(nr_, win_, ...) {							\
	.name = #nr_ " pages, window " #win_ " " #__VA_ARGS__,			\
	.nr = nr_, .step = -nr_, .win = win_, __VA_ARGS__			\
}

static const struct walk back_walks[] = {
	BACK(16, 32), BACK(16, 256), BACK(4, 32), BACK(8, 256), BACK(16, 64), BACK(1, 32),
	BACK(16, 24), BACK(32, 256), BACK(16, 32, .readers = 4),
	BACK(16, 256, .readers = 4, .share = SIM_POOL),
	BACK(16, 32, .readers = 4, .group = 2), BACK(16, 256, .readers = 4, .group = 4),
	BACK(16, 256, .readers = 8, .share = SIM_POOL, .group = 8),
};

KUNIT_ARRAY_PARAM(back, back_walks, walk_desc);

/* Backwards: as many I/Os as forwards, no page twice, and hardly a request that waits. */
static void backwards(struct kunit *test)
{
	const struct walk *walk = test->param_value;
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_work work = walk_work(test, walk, FILE_PAGES);
	unsigned long windows = FILE_PAGES / walk->win;
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = sim_eval(sim, &work, way, walk->win, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, walk->win, SIM_ALL_PATTERNS);

		sim_report(test, way, walk->name, &stock, &ctxra);
		kunit_info(test, "missed %lu -> %lu, backward windows %lu\n", stock.missed,
			   ctxra.missed, sim->opened[CTXRA_REVERSE]);
		KUNIT_EXPECT_LE(test, ctxra.ios, windows * 21 / 20 + 12);
		KUNIT_EXPECT_LE(test, ctxra.read, FILE_PAGES);
		KUNIT_EXPECT_LE(test, ctxra.missed, windows / 10 + 16);
		KUNIT_EXPECT_EQ(test, ctxra.unfilled, 0UL);
	}
}

/* Wherever it begins, since where the windows end decides what is judged first. */
static void backwards_from_anywhere(struct kunit *test)
{
	struct walk walk = BACK(16, 256);
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES + 256);
	struct rnd_state rnd = sim_random(SEED);
	unsigned int run, way;

	for (run = 0; run < 20; run++) {
		struct sim_work work;

		walk.first = prandom_u32_state(&rnd) % 256;
		work = walk_work(test, &walk, FILE_PAGES);
		for (way = 0; way < SIM_NR_WAYS; way++) {
			struct sim_outcome ctxra = sim_eval(sim, &work, way, walk.win,
							    SIM_ALL_PATTERNS);

			KUNIT_EXPECT_LE_MSG(test, ctxra.missed, work.nr / 20,
					    "from page %lu, way %u", walk.first, way);
		}
		kunit_kfree(test, work.requests);
	}
}

/* With the pattern off, ctxra opens no window of it. */
static void backwards_off(struct kunit *test)
{
	const struct walk walk = BACK(16, 32);
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_work work = walk_work(test, &walk, FILE_PAGES);

	sim_eval(sim, &work, 0, walk.win, SIM_ALL_PATTERNS & ~BIT(CTXRA_REVERSE));
	KUNIT_EXPECT_EQ(test, sim->opened[CTXRA_REVERSE], 0UL);
	sim_eval(sim, &work, 0, walk.win, SIM_ALL_PATTERNS);
	KUNIT_EXPECT_GT(test, sim->opened[CTXRA_REVERSE], 0UL);
}

#define STEP(nr_, step_, win_, ...) {						\
	.name = #nr_ " of each " #step_ " pages, window " #win_ " " #__VA_ARGS__, \
	.nr = nr_, .step = step_, .win = win_, __VA_ARGS__			\
}

static const struct walk stride_walks[] = {
	STEP(16, 32, 32), STEP(16, 32, 64), STEP(8, 16, 32), STEP(4, 16, 32), STEP(16, 64, 32),
	STEP(16, 32, 256), STEP(16, 48, 256), STEP(4, 12, 32), STEP(16, 128, 128),
	STEP(16, 40, 32), STEP(16, 80, 32), STEP(16, 128, 32), STEP(1, 16, 32), STEP(2, 16, 32),
	STEP(16, -32, 32), STEP(4, -16, 32), STEP(16, -64, 32), STEP(16, 32, 32, .readers = 4),
};

KUNIT_ARRAY_PARAM(stride, stride_walks, walk_desc);

/* At strides: the pages requested, one I/O per piece, and a few windows until the step shows. */
static void at_strides(struct kunit *test)
{
	const struct walk *walk = test->param_value;
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_work work = walk_work(test, walk, FILE_PAGES);
	unsigned long asked = work.nr * walk->nr;
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock, ctxra;

		/*
		 * 6.1 reads through gaps as wide as half the window, so no miss shows them.
		 * Large folios do the same.
		 */
		if ((sim_ways[way].gen == STOCK_6_1 || sim_ways[way].large) &&
		    2 * abs(walk->step) <= walk->win)
			continue;
		stock = sim_eval(sim, &work, way, walk->win, SIM_STOCK);
		ctxra = sim_eval(sim, &work, way, walk->win, SIM_ALL_PATTERNS);
		sim_report(test, way, walk->name, &stock, &ctxra);
		kunit_info(test, "asked %lu, missed %lu -> %lu, pieces %lu\n", asked, stock.missed,
			   ctxra.missed, sim->opened[CTXRA_STRIDE]);
		KUNIT_EXPECT_LE(test, ctxra.read, asked + asked / 50 + 8 * walk->win);
		KUNIT_EXPECT_LE(test, ctxra.ios, work.nr + 8);
		/* Once the step is known no reader waits for a piece with room for a marker. */
		if (walk->nr > 1)
			KUNIT_EXPECT_LE(test, ctxra.missed, work.nr / 20 + 16);
		KUNIT_EXPECT_EQ(test, ctxra.unfilled, 0UL);
	}
}

/* A gap that is narrow compared to the requests is read through. */
static void narrow_gaps(struct kunit *test)
{
	const struct walk walk = STEP(16, 20, 32);
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_work work = walk_work(test, &walk, FILE_PAGES);
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = sim_eval(sim, &work, way, walk.win, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, walk.win, SIM_ALL_PATTERNS);

		sim_report(test, way, walk.name, &stock, &ctxra);
		KUNIT_EXPECT_LE(test, ctxra.ios, FILE_PAGES / walk.win * 21 / 20 + 12);
	}
}

/* Readers that drop what they have read leave no trail: only the table knows the stream. */
static void dropped_behind(struct kunit *test)
{
	static const struct sim_shape shapes[] = {
		{ .name = "in turn", .readers = 4 },
		{ .name = "free", .readers = 4, .share = SIM_FREE },
		{ .name = "pool, one descriptor", .readers = 8, .share = SIM_POOL,
		  .shared_fd = true },
		{ .name = "swapped", .readers = 4, .share = SIM_POOL, .group = 2 },
	};
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	unsigned int n, way;

	sim->drop_behind = true;
	for (n = 0; n < ARRAY_SIZE(shapes); n++) {
		struct sim_shape shape = shapes[n];
		struct sim_work work;

		shape.nr = 16;
		shape.pages = FILE_PAGES;
		shape.seed = SEED;
		work = sim_work_create(test, &shape, FILE_PAGES);
		for (way = 0; way < SIM_NR_WAYS; way++) {
			struct sim_outcome stock, ctxra;

			/* The simulation drops pages, not folios. */
			if (sim_ways[way].large)
				continue;
			stock = sim_eval(sim, &work, way, 32, SIM_STOCK);
			ctxra = sim_eval(sim, &work, way, 32, SIM_ALL_PATTERNS);

			sim_report(test, way, shape.name, &stock, &ctxra);
			KUNIT_EXPECT_LE(test, ctxra.ios, FILE_PAGES / 32 * 21 / 20 + 12);
			KUNIT_EXPECT_LE(test, ctxra.read, FILE_PAGES + FILE_PAGES / 50);
		}
	}
}

/* Windows in parts: one I/O per part, each page once, and as much read ahead. */
static void in_parts(struct kunit *test)
{
	static const struct sim_shape shape = {
		.name = "one reader, in parts", .nr = 16, .pages = FILE_PAGES, .readers = 1,
		.share = SIM_POOL,
	};
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_work work = sim_work_create(test, &shape, FILE_PAGES);
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock, ctxra;

		sim->part = 0;
		stock = sim_eval(sim, &work, way, 256, SIM_STOCK);
		sim->part = 32;
		ctxra = sim_eval(sim, &work, way, 256, SIM_ALL_PATTERNS);
		sim_report(test, way, shape.name, &stock, &ctxra);
		KUNIT_EXPECT_EQ(test, ctxra.read, FILE_PAGES);
		KUNIT_EXPECT_GE(test, ctxra.ios, FILE_PAGES / 32 - 16);
		KUNIT_EXPECT_LE(test, ctxra.ios, FILE_PAGES / 32 + 16);
		KUNIT_EXPECT_LE(test, ctxra.missed, 32UL);
	}
}

/* Several readers in order, each in its own area, with memory for a part of their windows. */
struct thrash_case {
	unsigned int streams;
	unsigned long memory;	/* pages */
	unsigned long least;	/* pages that stock reads, at least, in tenths of ctxra's */
};

static const struct thrash_case thrash_cases[] = {
	{ 4, 1024, 13 }, { 8, 1024, 20 }, { 16, 2048, 20 }, { 16, 4096, 19 },
};

static void thrash_desc(const struct thrash_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u streams, %lu pages", c->streams, c->memory);
}

KUNIT_ARRAY_PARAM(thrash, thrash_cases, thrash_desc);

static void too_little_memory(struct kunit *test)
{
	const struct thrash_case *c = test->param_value;
	unsigned long pages = 4 * FILE_PAGES, per = pages / c->streams, i;
	struct sim *sim = sim_alloc(test, 0, pages);
	struct sim_request *rq;
	struct sim_work work;
	unsigned int way;

	rq = kunit_kcalloc(test, pages / 16, sizeof(*rq), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	/* Reader n of N gets every Nth request: all those of its own area. */
	for (i = 0; i < pages / 16; i++)
		rq[i] = (struct sim_request){ i % c->streams * per + i / c->streams * 16, 16 };
	work = (struct sim_work){
		.requests = rq, .nr = pages / 16, .readers = c->streams, .share = SIM_FREE,
		.seed = SEED,
	};
	simcache_limit(&sim->cache, c->memory);
	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = sim_eval(sim, &work, way, 512, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, 512, SIM_ALL_PATTERNS);

		sim_report(test, way, "thrash", &stock, &ctxra);
		KUNIT_EXPECT_LE(test, c->least * ctxra.read, 10 * stock.read);
	}
}

/* @n requests of @nr pages in order, from page @first on. */
static struct sim_work in_order(struct kunit *test, unsigned long first, unsigned long n,
				unsigned long nr, unsigned int readers)
{
	struct sim_request *rq = kunit_kcalloc(test, n, sizeof(*rq), GFP_KERNEL);
	unsigned long i;

	KUNIT_ASSERT_NOT_NULL(test, rq);
	for (i = 0; i < n; i++)
		rq[i] = (struct sim_request){ first + i * nr, nr };
	return (struct sim_work){ .requests = rq, .nr = n, .readers = readers, .seed = SEED };
}

/* Empty the cache: by reclaim, which leaves shadow entries, or by request, which leaves none. */
static void drop_all(struct simcache *cache, bool reclaimed)
{
	unsigned long i;

	for (i = cache->first; i < cache->eof; i++)
		*sim_page(cache, i) = (struct sim_page){ .evicted = reclaimed };
}

/* Do more work. Returns the requests that had to wait for an I/O of their own. */
static unsigned long count_misses(struct sim *sim, const struct sim_work *work)
{
	unsigned long before = sim->missed;

	sim_run(sim, work);
	return sim->missed - before;
}

/*
 * A burst leaves its readahead unread, and other readers start near there: the distrust must
 * be of the burst, not of them.
 */
struct later_readers {
	unsigned int readers;
	unsigned long most;	/* misses more than with stock */
};

static const struct later_readers laters[] = { { 1, 8 }, { 2, 12 }, { 4, 24 } };

static void later_desc(const struct later_readers *l, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u readers", l->readers);
}

KUNIT_ARRAY_PARAM(laters, laters, later_desc);

static void after_a_burst(struct kunit *test)
{
	static const long patterns[] = { SIM_STOCK, SIM_ALL_PATTERNS };
	const struct later_readers *l = test->param_value;
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	const unsigned long nr = 8, win = 32, first = 4096;
	unsigned long burst, gap;
	unsigned int way, i;

	for (burst = 3; burst < 16; burst++) {
		struct sim_work before = in_order(test, first, burst, nr, 2);

		for (gap = 0; gap <= win; gap += 4) {
			unsigned long next = first + burst * nr + gap, missed[2];
			struct sim_work after = in_order(test, next, 512, nr, l->readers);

			for (way = 0; way < SIM_NR_WAYS; way++) {
				for (i = 0; i < 2; i++) {
					sim_reset(sim, &sim_ways[way], win, patterns[i]);
					sim_run(sim, &before);
					missed[i] = count_misses(sim, &after);
				}
				KUNIT_EXPECT_LE(test, missed[1], missed[0] + l->most);
			}
		}
	}
}

/*
 * Four readers read a file in turn. Then it is dropped, and one reader reads it in order, five
 * times: hardly more misses than with stock, no windows for a backward reader, and few I/Os.
 */
static void read_again(struct kunit *test, bool reclaimed)
{
	static const long patterns[] = { SIM_STOCK, SIM_ALL_PATTERNS };
	static const struct sizes {
		unsigned long pages;
		unsigned long win;
	} sizes[] = { { 256, 32 }, { 128, 32 }, { 2048, 256 }, { 2048, 32 } };
	unsigned int n, way, i, pass;

	for (n = 0; n < ARRAY_SIZE(sizes); n++) {
		struct sim *sim = sim_alloc(test, 0, sizes[n].pages);
		struct sim_work four = in_order(test, 0, sizes[n].pages / 8, 8, 4);
		struct sim_work one = in_order(test, 0, sizes[n].pages / 8, 8, 1);

		for (way = 0; way < SIM_NR_WAYS; way++) {
			unsigned long missed[2] = {}, ios[2];

			for (i = 0; i < 2; i++) {
				sim_reset(sim, &sim_ways[way], sizes[n].win, patterns[i]);
				sim_run(sim, &four);
				for (pass = 0; pass < 5; pass++) {
					drop_all(&sim->cache, reclaimed);
					missed[i] += count_misses(sim, &one);
				}
				ios[i] = sim->cache.ios;
			}
			/* One more per pass, where the reader finds that the pages were dropped. */
			KUNIT_EXPECT_LE(test, missed[1], missed[0] + 5);
			KUNIT_EXPECT_LE(test, 2 * ios[1], 3 * ios[0]);
			KUNIT_EXPECT_EQ(test, sim->opened[CTXRA_REVERSE], 0UL);
		}
	}
}

static void after_reclaim(struct kunit *test)
{
	read_again(test, true);
}

static void after_a_drop(struct kunit *test)
{
	read_again(test, false);
}

/* Readers in order, and with neighbours swapped, take hardly longer with quarters of windows. */
static void in_quarters(struct kunit *test)
{
	static const unsigned long sizes[] = { 8, 16 };
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	unsigned int n, group, way;

	for (n = 0; n < ARRAY_SIZE(sizes); n++)
		for (group = 1; group <= 2; group++) {
			const struct sim_shape shape = {
				.pages = FILE_PAGES, .nr = sizes[n], .readers = 1, .group = group,
			};
			struct sim_work work = sim_work_create(test, &shape, FILE_PAGES);

			for (way = 0; way < SIM_NR_WAYS; way++) {
				unsigned long win = 4 * sizes[n], stock, missed;

				sim->part = 0;
				sim_eval(sim, &work, way, win, SIM_STOCK);
				stock = sim->cache.now;
				sim->part = sizes[n];
				missed = sim_eval(sim, &work, way, win, SIM_ALL_PATTERNS).missed;
				KUNIT_EXPECT_LE(test, missed, 32UL);
				KUNIT_EXPECT_LE(test, 5 * sim->cache.now, 6 * stock);
			}
		}
}

/*
 * One reader leaves out some pages, here and there, as a database does that knows which pages it
 * needs. It follows no stride, so ctxra leaves it to the stock code, but for a few I/Os.
 */
static void leave_out(struct kunit *test, struct sim *sim, struct sim_work *work,
		      unsigned int percent, u32 seed)
{
	static const unsigned long wins[] = { 32, 256, 1024 };
	struct sim_request *rq = (struct sim_request *)work->requests;
	struct rnd_state rnd = sim_random(seed);
	unsigned long i;
	unsigned int w, way;

	work->nr = 0;
	for (i = 0; i < FILE_PAGES; i++)
		if (prandom_u32_state(&rnd) % 100 >= percent)
			rq[work->nr++].index = i;
	for (w = 0; w < ARRAY_SIZE(wins); w++) {
		for (way = 0; way < SIM_NR_WAYS; way++) {
			unsigned long stock, ctxra;

			stock = sim_eval(sim, work, way, wins[w], SIM_STOCK).ios;
			ctxra = sim_eval(sim, work, way, wins[w], SIM_ALL_PATTERNS).ios;
			KUNIT_EXPECT_LE(test, 100 * ctxra, 104 * stock + 200);
		}
	}
}

static void pages_left_out(struct kunit *test)
{
	static const unsigned int percents[] = { 25, 35, 50 };
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_work work = in_order(test, 0, FILE_PAGES, 1, 1);
	unsigned int i;
	u32 seed;

	for (i = 0; i < ARRAY_SIZE(percents); i++)
		for (seed = 0; seed < 5; seed++)
			leave_out(test, sim, &work, percents[i], seed);
}

/*
 * Readers share a file that is larger than memory, and read it twice. At the second reading each
 * page has a shadow entry, also those of the windows that are left out on purpose.
 */
struct twice_case {
	unsigned int readers;
	unsigned long nr;
	unsigned long win;
};

static const struct twice_case twices[] = {
	{ 4, 2, 32 }, { 4, 16, 32 }, { 6, 4, 32 }, { 4, 4, 256 }, { 6, 4, 256 }, { 6, 16, 256 },
};

static void twice_desc(const struct twice_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u readers, %lu pages, window %lu", c->readers,
		 c->nr, c->win);
}

KUNIT_ARRAY_PARAM(twices, twices, twice_desc);

static void read_twice(struct kunit *test)
{
	const struct twice_case *c = test->param_value;
	unsigned long pages = FILE_PAGES / 2, per = pages / c->nr, i, ios[2];
	struct sim *sim = sim_alloc(test, 0, pages);
	struct sim_work work = in_order(test, 0, 2 * per, c->nr, c->readers);
	struct sim_request *rq = (struct sim_request *)work.requests;
	unsigned int way;

	for (i = 0; i < per; i++)
		rq[per + i] = rq[i];
	work.share = SIM_FREE;
	simcache_limit(&sim->cache, pages / 2);
	for (way = 0; way < SIM_NR_WAYS; way++) {
		ios[0] = 0;
		ios[1] = 0;
		for (work.seed = 1; work.seed <= 8; work.seed++) {
			ios[0] += sim_eval(sim, &work, way, c->win, SIM_STOCK).ios;
			ios[1] += sim_eval(sim, &work, way, c->win, SIM_ALL_PATTERNS).ios;
		}
		kunit_info(test, "%u: I/Os %lu -> %lu\n", way, ios[0], ios[1]);
		KUNIT_EXPECT_LE(test, 10 * ios[1], 11 * ios[0]);
	}
}

/*
 * Windows shrink for a page evicted ahead of all readers, but not at the end of the file, nor for
 * one that was left out.
 */
static void shrink_only_ahead(struct kunit *test)
{
	static const struct miss {
		unsigned long index;
		unsigned long eof;
		u32 unbroken;
		bool shrinks;
	} all[] = {
		{ 40, 1000, 32, false }, { 72, 1000, 32, true }, { 72, 96, 32, false },
		{ 72, 1000, 72, true }, { 72, 1000, 80, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct ctxra_stream s = {
			.end = 96, .reader_pos = 64, .hits = 9, .win_size = 32,
			.kind = CTXRA_FORWARD, .trust = U8_MAX, .unbroken = all[i].unbroken,
		};
		struct ctxra_request rq = {
			.index = all[i].index, .nr = 4, .win = 32, .ahead = 32,
			.eof = all[i].eof, .patterns = SIM_ALL_PATTERNS, .evicted = true,
		};
		struct ctxra_budget budget = {};
		struct ctxra_window win;

		ctxra_stream_follow(&s, &budget, &rq, &win);
		KUNIT_EXPECT_EQ(test, s.win_cap, all[i].shrinks ? 16U : 0U);
	}
}

/* The piece below a marker ends below it, even if the last miss was of more pages than a step. */
static void pieces_end_at_the_next(struct kunit *test)
{
	struct ctxra_stream s = {
		.kind = CTXRA_STRIDED, .start = 100, .end = 132, .last_index = 100, .last_nr = 32,
		.step = 10, .direction = -1,
	};
	const struct ctxra_request rq = {
		.index = 105, .nr = 5, .win = 32, .ahead = 32, .eof = 1000, .marker = true,
	};
	struct ctxra_window win;

	KUNIT_EXPECT_EQ(test, ctxra_window_next_piece(&s, &rq, &win), CTXRA_OPEN);
	KUNIT_EXPECT_EQ(test, win.start, 90UL);
	KUNIT_EXPECT_EQ(test, win.nr, 10UL);
	KUNIT_EXPECT_EQ(test, s.start, 90UL);
}

static struct kunit_case pattern_cases[] = {
	KUNIT_CASE_PARAM(backwards, back_gen_params),
	KUNIT_CASE(backwards_from_anywhere),
	KUNIT_CASE(backwards_off),
	KUNIT_CASE_PARAM(at_strides, stride_gen_params),
	KUNIT_CASE(narrow_gaps),
	KUNIT_CASE(dropped_behind),
	KUNIT_CASE(in_parts),
	KUNIT_CASE(in_quarters),
	KUNIT_CASE_PARAM(too_little_memory, thrash_gen_params),
	KUNIT_CASE_PARAM(after_a_burst, laters_gen_params),
	KUNIT_CASE(after_reclaim),
	KUNIT_CASE(after_a_drop),
	KUNIT_CASE(pages_left_out),
	KUNIT_CASE_PARAM(read_twice, twices_gen_params),
	KUNIT_CASE(pieces_end_at_the_next),
	KUNIT_CASE(shrink_only_ahead),
	{}
};

static struct kunit_suite pattern_suite = {
	.name = "ctxra_pattern",
	.test_cases = pattern_cases,
};

kunit_test_suite(pattern_suite);

MODULE_LICENSE("GPL");
