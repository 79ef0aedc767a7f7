// SPDX-License-Identifier: GPL-2.0-only
/*
 * max_kb=auto on models of disks: one that seeks, and ones that do not. Streams in order open
 * windows as the stock code does, one ahead of the one that is read.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "ctxra/disk.h"

#define SEEDS		20
#define STREAMS		40U
#define BASE		32UL	/* pages: 128 KiB */
#define PAGE_KB		4UL
#define MEMORY		200000UL	/* pages: 800 MiB */
#define SECOND		1000000ULL	/* us */
#define MAX_READ	320UL	/* pages: 1280 KiB */

enum model {
	SPINDLE,	/* 60 MB/s, 10 ms for a seek, one request at a time */
	CLOUD,		/* 2 ms for a request, any number at a time */
	SERIAL,		/* 2 ms for a request, one at a time */
	SSD,		/* 500 MB/s and 100 us for a request, one at a time */
	NR_MODELS,
};

static const char *const model_names[] = { "spindle", "cloud", "serial", "ssd" };

struct stream {
	bool runs;
	bool random;		/* 4 KiB at random places, and it is in nobody's windows */
	unsigned int doubled;	/* its windows are, by POSIX_FADV_SEQUENTIAL */
	bool deep;		/* it does not wait for its windows */
	unsigned long next;	/* page */
	unsigned long size;	/* of its last window */
	u64 opens;		/* when it opens its next window */
	u64 ends;		/* when it stops */
	u64 think;		/* time to use a page, us */
};

/* A disk with its readers, and what ctxra makes of them. */
struct world {
	enum model model;
	struct rnd_state rnd;
	struct ctxra_disk disk;
	struct stream streams[STREAMS];
	unsigned long head;
	u64 free_at;
	u64 busy_until;
	u64 busy;		/* us */
	u64 wait;		/* us */
	u64 ios;
	u64 pages;
	unsigned long memory;
	u64 now;
	unsigned long largest;	/* window */
	unsigned int outcomes[CTXRA_DISK_NR_OUTCOMES];
};

static u32 below(struct world *w, u32 limit)
{
	return prandom_u32_state(&w->rnd) % limit;
}

static struct world *create(struct kunit *test, enum model model, u32 seed)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->model = model;
	w->memory = MEMORY;
	prandom_seed_state(&w->rnd, seed);
	ctxra_disk_init(&w->disk, BASE, 0);
	return w;
}

/* One read. Return when it is done. */
static u64 serve(struct world *w, unsigned long page, unsigned long nr, u64 at)
{
	u64 begins = max(at, w->free_at), bytes = nr * PAGE_KB * 1024, done;

	switch (w->model) {
	case SPINDLE:
		done = begins + div_u64(bytes, 60) + (page == w->head ? 0 : 5000 + below(w, 10000));
		break;
	case CLOUD:
		done = at + 1900 + below(w, 200);
		break;
	case SERIAL:
		done = begins + 1900 + below(w, 200);
		break;
	default:
		done = begins + div_u64(bytes, 500) + 100;
	}
	w->free_at = done;
	w->head = page + nr;
	if (done > w->busy_until)
		w->busy += done - max(at, w->busy_until);
	w->busy_until = max(w->busy_until, done);
	w->wait += done - at;
	w->ios++;
	w->pages += nr;
	return done;
}

static void sample(struct world *w)
{
	const struct ctxra_disk_stat stat = {
		.ios = w->ios,
		.sectors = w->pages * PAGE_KB * 2,
		.wait_ms = div_u64(w->wait, 1000),
		/* In ticks, as the kernel counts. */
		.busy_ms = div_u64(w->busy, 4000) * 4,
		.max_sectors = MAX_READ * PAGE_KB * 2,
	};

	w->outcomes[ctxra_disk_sample(&w->disk, &stat, w->memory, div_u64(w->now, 1000))]++;
}

/* get_next_ra_size() */
static unsigned long ramp(unsigned long size, unsigned long most)
{
	if (!size)
		return min(16UL, most);
	if (size < most / 16)
		return 4 * size;
	return size <= most / 2 ? 2 * size : most;
}

static void open_window(struct world *w, struct stream *s)
{
	u32 now_ms = div_u64(w->now, 1000);
	unsigned long most = BASE, at;
	u64 done = w->now;

	if (s->random) {
		done = serve(w, below(w, 1 << 20), 1, w->now);
		s->opens = done + s->think + below(w, s->think);
		return;
	}
	if (ctxra_disk_add_window(&w->disk, s, s->next, now_ms))
		most = w->disk.win;
	if (ctxra_disk_sample_due(&w->disk, now_ms))
		sample(w);
	w->largest = max(w->largest, w->disk.win);
	s->size = ramp(s->size, most << s->doubled);
	for (at = 0; at < s->size; at += MAX_READ)
		done = max(done, serve(w, s->next + at, min(MAX_READ, s->size - at), w->now));
	s->next += s->size;
	s->opens = s->deep ? w->now + 500 : max(done, w->now + s->size * s->think);
}

static void start(struct world *w, unsigned int i, u64 length)
{
	w->streams[i] = (struct stream){
		.runs = true,
		.next = (i + 1) * 100000000UL,
		.opens = w->now + below(w, 20000),
		.ends = w->now + length,
		.think = 1 + below(w, 20),
	};
}

static void start_random(struct world *w, unsigned int i, u64 length, u64 every)
{
	start(w, i, length);
	w->streams[i].random = true;
	w->streams[i].think = every;
}

static void run(struct world *w, u64 length)
{
	u64 end = w->now + length;

	for (;;) {
		struct stream *next = NULL, *s;

		for (s = w->streams; s < w->streams + STREAMS; s++) {
			if (s->runs && s->opens >= s->ends)
				s->runs = false;
			if (s->runs && (!next || s->opens < next->opens))
				next = s;
		}
		if (!next || next->opens >= end)
			break;
		w->now = next->opens;
		open_window(w, next);
	}
	w->now = end;
}

/* KiB per second that were read in a while. */
static u64 rate(struct world *w, u64 length)
{
	u64 pages = w->pages;

	run(w, length);
	return div_u64((w->pages - pages) * PAGE_KB * SECOND, length);
}

static void spindle_gains(struct kunit *test)
{
	static const unsigned int counts[] = { 2, 4, 8 };
	unsigned int c, i;
	u32 seed;

	for (c = 0; c < ARRAY_SIZE(counts); c++) {
		u64 worst = 1000;

		for (seed = 1; seed <= SEEDS; seed++) {
			struct world *w = create(test, SPINDLE, seed);
			u64 alone, together;

			start(w, 0, 100 * SECOND);
			run(w, SECOND);
			alone = rate(w, SECOND);
			KUNIT_ASSERT_GT(test, w->disk.alone.rate, 0U);
			KUNIT_ASSERT_EQ(test, w->largest, BASE);
			for (i = 1; i < counts[c]; i++)
				start(w, i, 30 * SECOND);
			run(w, 10 * SECOND);
			together = rate(w, 15 * SECOND);
			worst = min(worst, div64_u64(1000 * together, alone));
			/* The others end. */
			run(w, 9 * SECOND);
			KUNIT_EXPECT_EQ_MSG(test, w->disk.win, BASE, "%u streams, seed %u",
					    counts[c], seed);
			kunit_kfree(test, w);
		}
		kunit_info(test, "%u streams: %llu/1000 of one stream's rate\n", counts[c], worst);
		KUNIT_EXPECT_GE(test, worst, 800ULL);
	}
}

/* More streams than a small table has room for, in turn. Memory bounds their windows. */
static void spindle_gains_for_many(struct kunit *test)
{
	struct world *w = create(test, SPINDLE, 1);
	unsigned int i;
	u64 alone;

	start(w, 0, 100 * SECOND);
	run(w, SECOND);
	alone = rate(w, SECOND);
	for (i = 1; i < 33; i++)
		start(w, i, 60 * SECOND);
	run(w, 30 * SECOND);
	KUNIT_EXPECT_GE(test, rate(w, 20 * SECOND) * 1000, 500 * alone);
}

/* Others begin when all end: they lose no more than a few samples. */
static void spindle_gains_again(struct kunit *test)
{
	u64 worst = 1000, alone, together;
	unsigned int i;
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct world *w = create(test, SPINDLE, seed);

		start(w, 0, 2 * SECOND);
		run(w, SECOND);
		alone = rate(w, SECOND);
		for (i = 0; i < 2; i++)
			start(w, 1 + i, 8 * SECOND);
		run(w, 8 * SECOND);
		for (i = 0; i < 4; i++)
			start(w, 3 + i, 20 * SECOND);
		together = rate(w, 10 * SECOND);
		worst = min(worst, div64_u64(1000 * together, alone));
		kunit_kfree(test, w);
	}
	kunit_info(test, "%llu/1000 of one stream's rate\n", worst);
	KUNIT_EXPECT_GE(test, worst, 700ULL);
}

/* Streams come and go, and another load reads at random. */
static void mixed_load(struct world *w)
{
	unsigned int round, i;

	start(w, 0, 100 * SECOND);
	run(w, SECOND * (1 + below(w, 2)));
	for (round = 0; round < 20; round++) {
		for (i = 1; i < 8; i++)
			if (!w->streams[i].runs && below(w, 2))
				start(w, i, SECOND / 10 + below(w, 4 * SECOND));
		if (!below(w, 4))
			start_random(w, 10, below(w, 3 * SECOND), 500 + below(w, 20000));
		if (!w->streams[0].runs || !below(w, 6))
			start(w, 0, SECOND * (1 + below(w, 10)));
		run(w, below(w, 2 * SECOND));
	}
}

static void no_growth_without_seeks(struct kunit *test)
{
	enum model model;
	u32 seed;

	for (model = CLOUD; model < NR_MODELS; model++) {
		for (seed = 1; seed <= 3 * SEEDS; seed++) {
			struct world *w = create(test, model, seed);

			mixed_load(w);
			KUNIT_EXPECT_EQ_MSG(test, w->largest, BASE, "%s, seed %u",
					    model_names[model], seed);
			KUNIT_EXPECT_EQ(test, w->outcomes[CTXRA_DISK_GREW], 0U);
			kunit_kfree(test, w);
		}
	}
}

/*
 * The stream that was alone had larger requests, or more at a time, than the streams that are
 * compared to it: these are slower without any seek.
 */
static void no_growth_after_larger_or_deeper(struct kunit *test)
{
	unsigned int which, i;
	u32 seed;

	for (which = 0; which < 2; which++) {
		for (seed = 1; seed <= SEEDS; seed++) {
			struct world *w = create(test, CLOUD, seed);

			start(w, 0, SECOND);
			w->streams[0].doubled = !which;
			w->streams[0].deep = which;
			run(w, 2 * SECOND);
			KUNIT_EXPECT_GT(test, w->disk.alone.rate, 100000U);
			for (i = 1; i < 3; i++) {
				start(w, i, 10 * SECOND);
				w->streams[i].think = 300;
			}
			run(w, 10 * SECOND);
			KUNIT_EXPECT_EQ_MSG(test, w->largest, BASE, "%u, seed %u", which, seed);
			kunit_kfree(test, w);
		}
	}
}

static void no_growth_unless_one_was_alone(struct kunit *test)
{
	struct world *w = create(test, SPINDLE, 1);
	unsigned int i;

	for (i = 0; i < 4; i++)
		start(w, i, 20 * SECOND);
	run(w, 15 * SECOND);
	KUNIT_EXPECT_EQ(test, w->largest, BASE);
	KUNIT_EXPECT_GT(test, w->outcomes[CTXRA_DISK_UNKNOWN], 0U);
}

/* As many reads of others as the streams have cost seeks that larger windows do not save. */
static void stands_aside_for_random_reads(struct kunit *test)
{
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct world *w = create(test, SPINDLE, seed);

		start(w, 0, 100 * SECOND);
		run(w, 2 * SECOND);
		start(w, 1, 100 * SECOND);
		start_random(w, 10, 100 * SECOND, 5000);
		run(w, 10 * SECOND);
		KUNIT_EXPECT_EQ_MSG(test, w->disk.win, BASE, "seed %u", seed);
		KUNIT_EXPECT_GT(test, w->outcomes[CTXRA_DISK_OTHERS], 0U);
		kunit_kfree(test, w);
	}
}

/* Two windows of each stream never take more than an eighth of the memory. */
static void fits_memory(struct kunit *test)
{
	struct world *w = create(test, SPINDLE, 1);
	unsigned int i;

	start(w, 0, 100 * SECOND);
	run(w, 2 * SECOND);
	for (i = 1; i < 8; i++)
		start(w, i, 100 * SECOND);
	run(w, 15 * SECOND);
	KUNIT_EXPECT_GE(test, w->disk.win, 512UL);
	w->memory = 8 * 16 * 128;
	run(w, 10 * SECOND);
	KUNIT_EXPECT_LE(test, w->disk.win, 128UL);
	KUNIT_EXPECT_GT(test, w->outcomes[CTXRA_DISK_MEMORY], 0U);
	w->memory = 0;
	run(w, 10 * SECOND);
	KUNIT_EXPECT_EQ(test, w->disk.win, BASE);
}

/* On a spindle, too, the window is the device's when one stream is left, whatever was before. */
static void one_stream_left(struct kunit *test)
{
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct world *w = create(test, SPINDLE, seed);

		mixed_load(w);
		memset(w->streams, 0, sizeof(w->streams));
		start(w, 0, 100 * SECOND);
		run(w, 6 * SECOND);
		KUNIT_EXPECT_EQ_MSG(test, w->disk.win, BASE, "seed %u", seed);
		kunit_kfree(test, w);
	}
}

static struct kunit_case disk_cases[] = {
	KUNIT_CASE(spindle_gains),
	KUNIT_CASE(spindle_gains_again),
	KUNIT_CASE(spindle_gains_for_many),
	KUNIT_CASE(no_growth_without_seeks),
	KUNIT_CASE(no_growth_after_larger_or_deeper),
	KUNIT_CASE(no_growth_unless_one_was_alone),
	KUNIT_CASE(stands_aside_for_random_reads),
	KUNIT_CASE(fits_memory),
	KUNIT_CASE(one_stream_left),
	{}
};

static struct kunit_suite disk_suite = {
	.name = "ctxra_disk",
	.test_cases = disk_cases,
};

kunit_test_suite(disk_suite);
