// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties of ctxra's stream policy that hold for any requests: random interleavings of
 * streams, requests at the limits of an index, and the entries of the table. The seeds are
 * fixed; a failure names its seed.
 */
#include <kunit/test.h>

#include "ctxra/budget.h"
#include "ctxra/follow.h"
#include "ctxra/governor.h"
#include "ctxra/stream.h"
#include "ctxra/window.h"
#include "sim/simwork.h"

#define FILE_PAGES	8192UL
#define MAX_STREAMS	8

/* A stream whose windows have been read for long. */
#define TRUSTED	.kind = CTXRA_FORWARD, .trust = U8_MAX

static const u32 seeds[] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049,
	1051, 1061, 1063, 1069, 1087, 1091, 1093, 1097,
	0x9e3779b9, 0x7f4a7c15, 0xf39cc060, 0x5cedc834,
	0x1082276b, 0xf3a27251, 0xf86c6a11, 0xd0c18e95,
};

static void seed_desc(const u32 *seed, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %#x", *seed);
}

KUNIT_ARRAY_PARAM(seeds, seeds, seed_desc);

static u32 pick(struct rnd_state *rnd, u32 from, u32 to)
{
	return from + prandom_u32_state(rnd) % (to - from + 1);
}

/*
 * Up to eight streams at random places, which may overlap. Each has its own request size, is
 * in order or shuffled, and may go towards the start of the file. Their requests are
 * interleaved at random, with single random requests between them.
 */
static struct sim_work random_work(struct kunit *test, unsigned long win, unsigned long eof,
				   struct rnd_state *rnd)
{
	unsigned int streams = pick(rnd, 1, MAX_STREAMS), left = streams, s;
	struct {
		struct sim_request *requests;
		unsigned long next, nr;
	} stream[MAX_STREAMS];
	unsigned long total = 0, n = 0;
	struct sim_request *all;

	for (s = 0; s < streams; s++) {
		unsigned long nr = pick(rnd, 1, min(win + 2, 40UL)), count = pick(rnd, 1, 150);
		unsigned long first = pick(rnd, 0, eof - 1), i;
		unsigned int group = pick(rnd, 1, 16);
		struct sim_request *one;
		bool reverse = !pick(rnd, 0, 7);

		one = kunit_kcalloc(test, count, sizeof(*one), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, one);
		for (i = 0; i < count; i++) {
			unsigned long at = reverse ? count - i : i;

			one[i] = (struct sim_request){ (first + at * nr) % eof, nr };
		}
		for (i = 0; group > 1 && i + group <= count; i += group)
			sim_shuffle(one + i, group, rnd);
		stream[s].requests = one;
		stream[s].nr = count;
		stream[s].next = 0;
		total += 2 * count;
	}
	all = kunit_kcalloc(test, total, sizeof(*all), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, all);
	while (left) {
		s = pick(rnd, 0, streams - 1);
		if (stream[s].next == stream[s].nr)
			continue;
		all[n++] = stream[s].requests[stream[s].next++];
		if (!pick(rnd, 0, 9))
			all[n++] = sim_random_request(pick(rnd, 1, win), eof, rnd);
		if (stream[s].next == stream[s].nr)
			left--;
	}
	return (struct sim_work){
		.requests = all,
		.nr = n,
		.readers = pick(rnd, 1, SIM_READERS),
		.share = pick(rnd, SIM_TURN, SIM_POOL),
		.shared_fd = pick(rnd, 0, 1),
		.seed = pick(rnd, 0, U32_MAX - 1),
	};
}

/*
 * simread.c checks every window: sim_assert_window(), and that the stock code reads all of it,
 * so that none of its pages was in flight. This test checks that every page requested is
 * cached, and not by filemap_create_folio().
 */
static void random_interleavings(struct kunit *test)
{
	static const unsigned int windows[] = { 1, 2, 4, 8, 24, 32, 33, 64, 100, 256, 1024, 16384 };
	const u32 *seed = test->param_value;
	struct rnd_state rnd = sim_random(*seed);
	unsigned long win, eof, i, page;
	struct sim_work work;
	struct sim *sim;
	unsigned int way;

	win = windows[pick(&rnd, 0, ARRAY_SIZE(windows) - 1)];
	eof = FILE_PAGES - pick(&rnd, 0, 63);
	sim = sim_alloc(test, 0, eof);
	work = random_work(test, win, eof, &rnd);
	for (way = 0; way < SIM_NR_WAYS; way++) {
		sim_reset(sim, &sim_ways[way], win, SIM_ALL_PATTERNS);
		sim_run(sim, &work);
		KUNIT_EXPECT_EQ(test, sim->unfilled, 0UL);
		for (i = 0; i < work.nr; i++) {
			const struct sim_request *rq = &work.requests[i];

			for (page = rq->index; page < min(rq->index + rq->nr, eof); page++)
				KUNIT_ASSERT_TRUE(test, sim_cached(&sim->cache, page));
		}
	}
}

/* Assert what ctxra_stream_follow() promises of a window, for any request. */
static void assert_window(struct kunit *test, const struct ctxra_stream *s,
			  const struct ctxra_request *rq, const struct ctxra_window *win)
{
	unsigned long last, end;

	KUNIT_ASSERT_GT(test, win->nr, 0UL);
	KUNIT_ASSERT_LE(test, win->nr, rq->win);
	KUNIT_ASSERT_LT(test, win->start, rq->eof);
	KUNIT_ASSERT_LE(test, win->nr, rq->eof - win->start);
	KUNIT_ASSERT_GE(test, win->marker, win->start);
	KUNIT_ASSERT_LE(test, win->marker - win->start, win->nr);
	KUNIT_ASSERT_TRUE(test, rq->patterns & BIT(win->pattern));
	KUNIT_ASSERT_LE(test, s->start, s->end);
	if (s->kind == CTXRA_FORWARD || (s->kind == CTXRA_STRIDED && s->direction >= 0))
		KUNIT_ASSERT_GE(test, s->end, win->start + win->nr);
	else if (s->kind == CTXRA_BACKWARD)
		KUNIT_ASSERT_LE(test, s->start, win->start);
	if (win->ahead) {
		KUNIT_ASSERT_TRUE(test, win->start >= rq->index + rq->marker ||
				  win->start + win->nr <= rq->index);
		return;
	}
	KUNIT_ASSERT_FALSE(test, rq->marker);
	KUNIT_ASSERT_LE(test, win->start, rq->index);
	KUNIT_ASSERT_LT(test, rq->index - win->start, win->nr);
	/* A request that fits into an aligned window is read at once. */
	if (win->pattern == CTXRA_THRASH)
		return;
	last = rq->index + min(rq->nr, rq->eof - rq->index) - 1;
	ctxra_window_bounds(s, rq->win, rq->index, &end);
	if (last < end)
		KUNIT_ASSERT_LT(test, last - win->start, win->nr);
}

struct limit {
	const char *name;
	unsigned long around;	/* requests are near this index */
	unsigned long eof;
};

static const struct limit limits[] = {
	{ "start of the file", 0, 1UL << 40 },
	{ "a file of one page", 0, 1 },
	{ "a small file", 100, 200 },
	{ "32 bits", 1UL << 32, 1UL << 40 },
	{ "the largest file", S64_MAX >> PAGE_SHIFT, (S64_MAX >> PAGE_SHIFT) + 1 },
	{ "LONG_MAX", LONG_MAX, LONG_MAX },
	{ "past LONG_MAX", LONG_MAX, ULONG_MAX },
	{ "ULONG_MAX", ULONG_MAX, ULONG_MAX },
	{ "beyond the end", 1000, 500 },
};

static void limit_desc(const struct limit *l, char *desc)
{
	strscpy(desc, l->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(limits, limits, limit_desc);

/* Any values at all, even such as no page cache would give. Nothing may wrap. */
static void follow_at_limits(struct kunit *test)
{
	static const struct ctxra_file file = { .mapping = &file, .ino = 1 };
	const struct limit *l = test->param_value;
	struct ctxra_stream streams[4] = {};
	struct ctxra_lru lru;
	struct rnd_state rnd = sim_random(20261121);
	unsigned int i, opened = 0;
	struct ctxra_budget budget;

	ctxra_budget_init(&budget);
	ctxra_lru_init(&lru, streams, ARRAY_SIZE(streams));
	for (i = 0; i < 200000; i++) {
		struct ctxra_request rq = {
			.win = 1UL << pick(&rnd, 0, 14),
			.eof = l->eof,
			.patterns = SIM_ALL_PATTERNS,
			.marker = pick(&rnd, 0, 1),
			.in_order = !pick(&rnd, 0, 3),
		};
		struct ctxra_window win = {};
		struct ctxra_stream *s;

		rq.in_flight = !rq.marker && !pick(&rnd, 0, 3);
		rq.sparse = rq.marker && rq.in_order && !pick(&rnd, 0, 3);
		rq.evicted = !rq.marker && !pick(&rnd, 0, 3);
		rq.ahead = rq.win << pick(&rnd, 0, 3);
		rq.nr = pick(&rnd, 1, rq.win);
		rq.index = l->around - 500 + pick(&rnd, 0, 999);
		rq.cached = pick(&rnd, 0, rq.win);
		if (rq.evicted && rq.in_order)
			rq.evicted_window = pick(&rnd, 1, rq.win);
		if (!rq.marker)
			rq.cached = min(rq.cached, rq.index);
		s = ctxra_stream_find(streams, ARRAY_SIZE(streams), &file, &rq);
		if (!s) {
			s = ctxra_lru_victim(&lru, i);
			KUNIT_ASSERT_NOT_NULL(test, s);
			ctxra_stream_start(s, &file, &rq);
		}
		if (ctxra_stream_probe_due(s, &rq, &win)) {
			struct ctxra_use use = {
				pick(&rnd, 0, 8), pick(&rnd, 0, 8), pick(&rnd, 0, 8),
			};

			ctxra_stream_judge(s, &budget, 32, &use);
		}
		if (ctxra_stream_follow(s, &budget, &rq, &win) == CTXRA_OPEN) {
			assert_window(test, s, &rq, &win);
			opened++;
		}
		ctxra_lru_touch(&lru, s, i);
	}
	if (l->around < l->eof && l->eof > 1)
		KUNIT_EXPECT_GT(test, opened, 0U);
}

/* A request that is beyond the file, or larger than the window, changes nothing. */
static void follow_ignores_invalid(struct kunit *test)
{
	struct ctxra_stream s = { .start = 0, .end = 64, .hits = 9, .win_size = 32, TRUSTED };
	const struct ctxra_stream before = s;
	struct ctxra_request rq = {
		.index = 64, .nr = 33, .win = 32, .ahead = 32, .eof = 1000,
		.patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_window win;
	struct ctxra_budget budget = {};

	KUNIT_EXPECT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_STOCK);
	rq.nr = 16;
	rq.index = 1000;
	KUNIT_EXPECT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_STOCK);
	rq.index = ULONG_MAX;
	KUNIT_EXPECT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_STOCK);
	KUNIT_EXPECT_EQ(test, memcmp(&s, &before, sizeof(s)), 0);
}

/*
 * The window of a request that comes early includes the hole before it, but nothing before
 * the stream's end. The marker is on the request's first page, so that its reader opens the
 * next window before it waits.
 */
static void follow_early(struct kunit *test)
{
	struct ctxra_stream s = { .start = 0, .end = 72, .hits = 9, .win_size = 32, TRUSTED };
	struct ctxra_request rq = {
		.index = 80, .nr = 4, .win = 32, .ahead = 32, .eof = 1000,
		.patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_window win;
	struct ctxra_budget budget = {};

	KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_OPEN);
	assert_window(test, &s, &rq, &win);
	KUNIT_EXPECT_EQ(test, win.start, 72UL);
	KUNIT_EXPECT_EQ(test, win.marker, 80UL);
	KUNIT_EXPECT_EQ(test, win.pattern, CTXRA_REORDER);
	/* The hole may stay, so the window does not grow. */
	s = (struct ctxra_stream){ .end = 72, .hits = 9, .win_size = 8, TRUSTED };
	KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_OPEN);
	KUNIT_EXPECT_EQ(test, s.win_size, 8U);
}

/* While another reader opens the window with the page, this one opens the next window. */
static void follow_while_in_flight(struct kunit *test)
{
	struct ctxra_stream s = { .start = 0, .end = 96, .hits = 9, .win_size = 32, TRUSTED };
	struct ctxra_request rq = {
		.index = 80, .nr = 4, .win = 32, .ahead = 32, .eof = 1000,
		.patterns = SIM_ALL_PATTERNS,
		.in_flight = true,
	};
	struct ctxra_window win;
	struct ctxra_budget budget = {};

	KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_OPEN);
	assert_window(test, &s, &rq, &win);
	KUNIT_EXPECT_TRUE(test, win.ahead);
	KUNIT_EXPECT_GE(test, win.start, 96UL);
}

/* The range of a stream stays short, however long the stream is. */
static void range_is_bounded(struct kunit *test)
{
	const struct ctxra_file file = { .mapping = test };
	struct ctxra_stream s = { .file = file, .end = 50000, .win_size = 32, TRUSTED };
	struct ctxra_request rq = {
		.index = 50000, .nr = 4, .win = 32, .ahead = 32, .eof = 100000,
		.patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_window win;
	struct ctxra_budget budget = {};
	unsigned int i;

	ctxra_stream_follow(&s, &budget, &rq, &win);
	KUNIT_EXPECT_TRUE(test, s.kind);
	rq.index = 25000;
	KUNIT_EXPECT_NULL(test, ctxra_stream_find(&s, 1, &file, &rq));
	rq.index = 0;
	rq.patterns &= ~BIT(CTXRA_STRIDE);
	ctxra_stream_start(&s, &file, &rq);
	for (i = 0; i < 200; i++) {
		rq.index = i * 60;
		ctxra_stream_follow(&s, &budget, &rq, &win);
		KUNIT_ASSERT_FALSE(test, s.kind);
		KUNIT_ASSERT_LT(test, s.end - s.start, 1000UL);
	}
}

/* A stream whose requests leave holes that nobody fills is given up before long. */
static void follow_gives_up(struct kunit *test)
{
	struct ctxra_stream s = { .start = 0, .end = 64, .hits = 9, .win_size = 32, TRUSTED };
	struct ctxra_request rq = {
		.nr = 4, .win = 32, .ahead = 32, .eof = 100000,
		.patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_window win;
	struct ctxra_budget budget = {};
	unsigned int holes = 0;

	while (s.kind && holes < 100) {
		rq.index = s.end + 40;
		ctxra_stream_follow(&s, &budget, &rq, &win);
		holes++;
	}
	KUNIT_EXPECT_FALSE(test, s.kind);
	/* Not at once, because readers that take turns leave holes for a while. */
	KUNIT_EXPECT_GT(test, holes, 4U);
}

/*
 * Half of each request between two windows is still to come: that is no hole, up- or downwards. Too
 * short ones to move the windows, as long ones do.
 */
static void follow_beside(struct kunit *test)
{
	struct ctxra_stream up = { .start = 0, .end = 128, .hits = 9, .win_size = 128, TRUSTED };
	struct ctxra_stream down = {
		.start = 51200, .end = 51300, .hits = 9, .win_size = 128, TRUSTED,
	};
	struct ctxra_request rq = {
		.nr = 16, .win = 128, .ahead = 128, .eof = 100000, .patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_budget budget = {};
	struct ctxra_window win;
	unsigned int i;

	down.kind = CTXRA_BACKWARD;
	for (i = 0; i < 100; i++) {
		rq.index = up.end + 8;
		KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&up, &budget, &rq, &win), CTXRA_OPEN);
		KUNIT_ASSERT_EQ(test, win.start, rq.index - 8);
		KUNIT_ASSERT_EQ(test, win.nr, 128UL);
		rq.index = down.start - 8 - rq.nr;
		KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&down, &budget, &rq, &win), CTXRA_OPEN);
		KUNIT_ASSERT_EQ(test, win.start + win.nr, rq.index + rq.nr + 8);
	}
	KUNIT_EXPECT_EQ(test, up.kind, CTXRA_FORWARD);
	KUNIT_EXPECT_EQ(test, down.kind, CTXRA_BACKWARD);
}

/* Long requests move the windows of a stream, so that they end where requests do. */
static void follow_long_requests(struct kunit *test)
{
	struct ctxra_stream s = { .start = 0, .end = 64, .hits = 9, .win_size = 32, TRUSTED };
	struct ctxra_request rq = {
		.nr = 16, .win = 32, .ahead = 32, .eof = 100000, .patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_budget budget = {};
	struct ctxra_window win;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		/* Neighbours are swapped. */
		rq.index = s.end + (s.phase ? 16 : 24);
		KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_OPEN);
		if (i > 5) {
			KUNIT_ASSERT_EQ(test, win.start, rq.index - 16);
			KUNIT_ASSERT_EQ(test, win.nr, 32UL);
		}
		/* The rest of a request, and short ones, move nothing. */
		rq.index = s.end;
		rq.nr = 4;
		KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_OPEN);
		rq.nr = 16;
	}
	KUNIT_EXPECT_EQ(test, s.phase, 8U);
}

/* Windows that are as long as requests, but may grow or come in parts, stay where they are. */
static void follow_requests_as_long(struct kunit *test)
{
	struct ctxra_request rq = {
		.nr = 32, .win = 32, .ahead = 32, .eof = 100000, .patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_budget budget = {};
	struct ctxra_window win;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct ctxra_stream s = { .end = 64, .hits = 9, .win_size = 32, TRUSTED };
		unsigned int n;

		/* They grow once the stream is trusted in full. */
		if (i == 1)
			s.trust = 2;
		rq.grown = i == 1 ? 128 : 0;
		rq.ahead = i == 2 ? 128 : 32;
		for (n = 0; n < 8; n++) {
			rq.index = 8 + 32 * (n + 3);
			ctxra_stream_follow(&s, &budget, &rq, &win);
		}
		KUNIT_EXPECT_EQ(test, s.phase, i ? 0U : 8U);
	}
}

/* A window behind cached pages begins at the miss, and its marker is not there. */
static void follow_behind_cached(struct kunit *test)
{
	struct ctxra_stream s = { .end = 64, .hits = 9, .win_size = 32, TRUSTED };
	struct ctxra_request rq = {
		.index = 96, .nr = 16, .win = 32, .ahead = 32, .eof = 100000, .cached = 32,
		.patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_budget budget = {};
	struct ctxra_window win;

	KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_OPEN);
	KUNIT_EXPECT_EQ(test, win.start, 96UL);
	KUNIT_EXPECT_EQ(test, win.marker, 112UL);
	/* Also in the middle of an aligned window. */
	s = (struct ctxra_stream){ .end = 64, .hits = 9, .win_size = 32, TRUSTED };
	rq.index = 72;
	rq.nr = 4;
	KUNIT_ASSERT_EQ(test, ctxra_stream_follow(&s, &budget, &rq, &win), CTXRA_OPEN);
	KUNIT_EXPECT_EQ(test, win.start, 72UL);
	KUNIT_EXPECT_EQ(test, win.marker, 76UL);
}

/* Pages cached next to the first request count as requested: a trail outlives its entry. */
static void start_counts_the_trail(struct kunit *test)
{
	const struct ctxra_file file = { .mapping = test };
	struct ctxra_request rq = {
		.index = 100, .nr = 4, .win = 32, .ahead = 32, .eof = 1000, .cached = 20,
	};
	struct ctxra_stream s;

	ctxra_stream_start(&s, &file, &rq);
	KUNIT_EXPECT_EQ(test, s.start, 80UL);
	KUNIT_EXPECT_EQ(test, s.end, 100UL);
	KUNIT_EXPECT_EQ(test, s.requested, 20U);
	rq.index = 7;
	ctxra_stream_start(&s, &file, &rq);
	KUNIT_EXPECT_EQ(test, s.start, 0UL);
	KUNIT_EXPECT_EQ(test, s.end, 7UL);
	rq.index = 100;
	rq.marker = true;
	ctxra_stream_start(&s, &file, &rq);
	KUNIT_EXPECT_EQ(test, s.start, 100UL);
	KUNIT_EXPECT_EQ(test, s.end, 120UL);
	KUNIT_EXPECT_FALSE(test, s.kind);
}

/* A stream is found by its file only, however close streams of other files are. */
static void find_by_file(struct kunit *test)
{
	const struct ctxra_file file = { .mapping = test, .ino = 7, .generation = 3 };
	struct ctxra_request rq = {
		.index = 100, .nr = 4, .win = 32, .ahead = 32, .eof = 1000,
		.patterns = SIM_ALL_PATTERNS,
	};
	struct ctxra_stream streams[4] = {};
	struct ctxra_file other;

	ctxra_stream_start(&streams[2], &file, &rq);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_stream_find(streams, 4, &file, &rq), &streams[2]);
	other = file;
	other.mapping = streams;
	KUNIT_EXPECT_NULL(test, ctxra_stream_find(streams, 4, &other, &rq));
	other = file;
	other.ino++;
	KUNIT_EXPECT_NULL(test, ctxra_stream_find(streams, 4, &other, &rq));
	other = file;
	other.generation++;
	KUNIT_EXPECT_NULL(test, ctxra_stream_find(streams, 4, &other, &rq));
	rq.index = 900;
	rq.nr = 1;
	KUNIT_EXPECT_NULL(test, ctxra_stream_find(streams, 4, &file, &rq));
}

/* The nearest stream is found, before or behind; of two equally near, the recognised one. */
static void find_nearest(struct kunit *test)
{
	const struct ctxra_file file = { .mapping = test };
	struct ctxra_stream streams[3] = {
		{ .file = file, .start = 100, .end = 150 },
		{ .file = file, .start = 200, .end = 250 },
		{ .file = file, .start = 100, .end = 150, .kind = CTXRA_FORWARD },
	};
	struct ctxra_request rq = { .index = 196, .nr = 2, .win = 64, .ahead = 64, .eof = 1000 };

	KUNIT_EXPECT_PTR_EQ(test, ctxra_stream_find(streams, 3, &file, &rq), &streams[1]);
	rq.index = 152;
	KUNIT_EXPECT_PTR_EQ(test, ctxra_stream_find(streams, 3, &file, &rq), &streams[2]);
	rq.index = 96;
	KUNIT_EXPECT_PTR_EQ(test, ctxra_stream_find(streams, 3, &file, &rq), &streams[2]);
	rq.index = 251;
	KUNIT_EXPECT_PTR_EQ(test, ctxra_stream_find(streams, 3, &file, &rq), &streams[1]);
}

/* Free entries go first, then those unused for longest, and recognised streams last. */
static void victim_order(struct kunit *test)
{
	struct ctxra_stream streams[4] = {};
	struct ctxra_lru lru;

	ctxra_lru_init(&lru, streams, 4);
	streams[2].file.mapping = test;
	ctxra_lru_touch(&lru, &streams[2], 90);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 100), &streams[0]);
	streams[0].file.mapping = test;
	ctxra_lru_touch(&lru, &streams[0], 95);
	streams[1].file.mapping = test;
	streams[1].kind = CTXRA_FORWARD;
	ctxra_lru_touch(&lru, &streams[1], 96);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 100), &streams[3]);
	streams[3].file.mapping = test;
	ctxra_lru_touch(&lru, &streams[3], 97);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 100), &streams[2]);
	ctxra_lru_touch(&lru, &streams[2], 98);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 100), &streams[0]);
	/* A recognised stream stays while candidates come and go, but not when it is idle. */
	ctxra_lru_touch(&lru, &streams[0], 96 + 9000);
	ctxra_lru_touch(&lru, &streams[2], 96 + 9000);
	ctxra_lru_touch(&lru, &streams[3], 96 + 9000);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 96 + 10000), &streams[0]);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 96 + 10001), &streams[1]);
	/* A call may read the clock before another CPU uses the stream. */
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 92), &streams[0]);
	/* A demoted stream goes like any candidate. A newly recognised one stays. */
	streams[1].kind = CTXRA_CANDIDATE;
	streams[0].kind = CTXRA_STRIDED;
	ctxra_lru_touch(&lru, &streams[0], 96 + 10001);
	ctxra_lru_touch(&lru, &streams[1], 96 + 10002);
	ctxra_lru_touch(&lru, &streams[2], 96 + 10003);
	ctxra_lru_touch(&lru, &streams[3], 96 + 10004);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 96 + 10004), &streams[1]);
	/* A free entry goes before all. */
	streams[0].file.mapping = NULL;
	ctxra_lru_free(&lru, &streams[0]);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 96 + 30000), &streams[0]);
}

/* The time wraps after weeks: 0xfffffff0 is before 5. */
static void victim_time_wraps(struct kunit *test)
{
	struct ctxra_stream streams[3] = {
		{ .file.mapping = test, .kind = CTXRA_BACKWARD },
		{ .file.mapping = test },
		{ .file.mapping = test },
	};
	struct ctxra_lru lru;

	ctxra_lru_init(&lru, streams, 3);
	ctxra_lru_touch(&lru, &streams[0], 0xfffffff0);
	ctxra_lru_touch(&lru, &streams[1], 0xfffffff0);
	ctxra_lru_touch(&lru, &streams[2], 5);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 5), &streams[1]);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 9000), &streams[1]);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 10000), &streams[0]);
}

/*
 * When nearly all are recognised, the last candidates replace each other only while there are two.
 * After that any of the recognised streams may be the victim, not always the oldest.
 */
static void victims_of_a_full_set(struct kunit *test)
{
	struct ctxra_stream streams[8] = {};
	unsigned int i, chosen = 0;
	struct ctxra_lru lru;

	ctxra_lru_init(&lru, streams, 8);
	for (i = 0; i < 8; i++) {
		streams[i].file.mapping = test;
		streams[i].kind = i < 6 ? CTXRA_FORWARD : CTXRA_CANDIDATE;
		ctxra_lru_touch(&lru, &streams[i], i);
	}
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 10), &streams[6]);
	streams[6].kind = CTXRA_FORWARD;
	ctxra_lru_touch(&lru, &streams[6], 10);
	for (i = 0; i < 200; i++)
		chosen |= BIT(ctxra_lru_victim(&lru, 10) - streams);
	KUNIT_EXPECT_EQ(test, chosen, 0x7fU);
}

/* An entry that begins another stream keeps its position in the LRU lists. */
static void start_keeps_order(struct kunit *test)
{
	const struct ctxra_file file = { .mapping = test };
	struct ctxra_request rq = { .index = 9, .nr = 1, .win = 32, .ahead = 32, .eof = 1000 };
	struct ctxra_stream streams[2] = {};
	struct ctxra_lru lru;

	ctxra_lru_init(&lru, streams, 2);
	ctxra_stream_start(&streams[0], &file, &rq);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 1), &streams[0]);
	ctxra_lru_touch(&lru, &streams[0], 1);
	KUNIT_EXPECT_PTR_EQ(test, ctxra_lru_victim(&lru, 1), &streams[1]);
}

static struct kunit_case stream_property_cases[] = {
	KUNIT_CASE_PARAM(random_interleavings, seeds_gen_params),
	KUNIT_CASE_PARAM(follow_at_limits, limits_gen_params),
	KUNIT_CASE(follow_ignores_invalid),
	KUNIT_CASE(follow_early),
	KUNIT_CASE(follow_while_in_flight),
	KUNIT_CASE(follow_gives_up),
	KUNIT_CASE(follow_beside),
	KUNIT_CASE(follow_long_requests),
	KUNIT_CASE(follow_requests_as_long),
	KUNIT_CASE(follow_behind_cached),
	KUNIT_CASE(range_is_bounded),
	KUNIT_CASE(start_counts_the_trail),
	KUNIT_CASE(find_by_file),
	KUNIT_CASE(find_nearest),
	KUNIT_CASE(victim_order),
	KUNIT_CASE(victim_time_wraps),
	KUNIT_CASE(victims_of_a_full_set),
	KUNIT_CASE(start_keeps_order),
	{}
};

static struct kunit_suite stream_property_suite = {
	.name = "ctxra_stream_property",
	.test_cases = stream_property_cases,
};

kunit_test_suite(stream_property_suite);

MODULE_LICENSE("GPL");
