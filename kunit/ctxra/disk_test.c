// SPDX-License-Identifier: GPL-2.0-only
/*
 * max_kb=auto on models of disks: one that seeks, and ones that do not. Streams in order open
 * windows as the stock code does, one ahead of the one that is read.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "ctxra/disk.h"
#include "ctxra/disk_stream.h"

#define SEEDS		20
#define PIECE_SEEDS	24
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
	unsigned long piece;	/* read so many pages, then jump; 0: read on */
	unsigned long gap;	/* jump so far; 0: anywhere */
	unsigned long ends_at;	/* page where the piece ends */
	unsigned long read;	/* pages of the piece that were read, at its last window */
	bool is_file;		/* and a piece is a file */
	unsigned long cached;	/* so many pages before a piece are cached: it looks in order */
	unsigned long left;	/* page where the piece before ended */
	unsigned long last;	/* its last window */
	unsigned long last_size;
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
	u64 useful;		/* pages of pieces that were read */
	unsigned long memory;
	u64 alone;		/* KiB per second of one_alone() */
	bool stock;		/* without ctxra */
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

/* What the page cache tells of the pages between a reader's last window and the next. */
static struct ctxra_use sample_use(void *ctx, unsigned long start, unsigned long nr)
{
	const struct stream *s = ctx;
	unsigned long step = (nr / CTXRA_SAMPLES) | 1, i;
	struct ctxra_use use = {};

	for (i = 0; i < nr && i < step * CTXRA_SAMPLES; i += step) {
		/* It has read the cached pages before a miss, and left the rest of its window. */
		if (start + i >= s->next - s->cached || start + i < s->left)
			use.used++;
		else
			use.absent++;
	}
	return use;
}

static const struct ctxra_facts_ops facts_ops = { .sample_use = sample_use };

/* Note the next window. Return how large it may be. */
static unsigned long note(struct world *w, struct stream *s)
{
	const struct ctxra_facts facts = { .ops = &facts_ops, .ctx = s };
	const struct ctxra_args args = {
		/* A miss behind cached pages, or the marker at the start of the last window. */
		.index = s->size ? s->next - s->size : s->next,
		.folio_nr = s->size ? 1 : 0,
		.ra_start = s->size ? s->next - s->size : s->last,
		.ra_size = s->size ?: s->last_size,
		.eof = s->is_file ? s->ends_at : ULONG_MAX,
	};
	const struct ctxra_disk_window win = ctxra_disk_stock_window(s, &args, &facts);
	u32 now_ms = div_u64(w->now, 1000);
	unsigned long most;

	if (w->stock)
		return BASE;
	most = ctxra_disk_add_window(&w->disk, &win, now_ms);
	if (ctxra_disk_sample_due(&w->disk, now_ms))
		sample(w);
	w->largest = max(w->largest, w->disk.win);
	return min(most, w->disk.win);
}

/* The reader met the marker, at the start of the last window. Or has the piece ended before? */
static bool has_ended(struct world *w, struct stream *s)
{
	unsigned long marker = min(s->next - s->size, s->ends_at);
	unsigned long read = s->piece - (s->ends_at - marker);

	w->useful += read - s->read;
	s->read = read;
	return read == s->piece;
}

static void jump(struct world *w, struct stream *s)
{
	s->left = s->ends_at;
	s->last = s->next - s->size;
	s->last_size = s->size;
	s->next = s->gap ? s->ends_at + s->gap : (1 + below(w, 40000)) * 1000000UL;
	s->ends_at = s->next + s->piece;
	s->size = 0;
	s->read = 0;
}

static void open_window(struct world *w, struct stream *s)
{
	unsigned long most = BASE, at;
	u64 done = w->now;

	if (s->random) {
		done = serve(w, below(w, 1 << 20), 1, w->now);
		s->opens = done + s->think + below(w, s->think);
		return;
	}
	if (s->piece && has_ended(w, s))
		jump(w, s);
	/* The first window of a piece is of a reader in order only behind cached pages. */
	if (!s->piece || s->size || s->cached)
		most = note(w, s);
	s->size = ramp(s->size, most << s->doubled);
	if (s->is_file)
		s->size = min(s->size, s->ends_at - s->next);
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

/* A spindle with one stream, which is alone for two seconds. */
static struct world *one_alone(struct kunit *test, u32 seed, u64 length)
{
	struct world *w = create(test, SPINDLE, seed);

	start(w, 0, length);
	run(w, SECOND);
	w->alone = rate(w, SECOND);
	return w;
}

static void start_some(struct world *w, unsigned int first, unsigned int nr, u64 length)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		start(w, i, length);
}

static void spindle_gains(struct kunit *test)
{
	static const unsigned int counts[] = { 2, 4, 8 };
	unsigned int c;
	u32 seed;

	for (c = 0; c < ARRAY_SIZE(counts); c++) {
		u64 worst = 1000;

		for (seed = 1; seed <= SEEDS; seed++) {
			struct world *w = one_alone(test, seed, 100 * SECOND);
			u64 together;

			KUNIT_ASSERT_GT(test, w->disk.alone.rate, 0U);
			KUNIT_ASSERT_EQ(test, w->largest, BASE);
			start_some(w, 1, counts[c] - 1, 30 * SECOND);
			run(w, 10 * SECOND);
			together = rate(w, 15 * SECOND);
			worst = min(worst, div64_u64(1000 * together, w->alone));
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
	struct world *w = one_alone(test, 1, 100 * SECOND);

	start_some(w, 1, 32, 60 * SECOND);
	run(w, 30 * SECOND);
	KUNIT_EXPECT_GE(test, rate(w, 20 * SECOND) * 1000, 500 * w->alone);
}

/* Others begin when all end: they lose no more than a few samples. */
static void spindle_gains_again(struct kunit *test)
{
	u64 worst = 1000, together;
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct world *w = one_alone(test, seed, 2 * SECOND);

		start_some(w, 1, 2, 8 * SECOND);
		run(w, 8 * SECOND);
		start_some(w, 3, 4, 20 * SECOND);
		together = rate(w, 10 * SECOND);
		worst = min(worst, div64_u64(1000 * together, w->alone));
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

	start_some(w, 0, 4, 20 * SECOND);
	run(w, 15 * SECOND);
	KUNIT_EXPECT_EQ(test, w->largest, BASE);
	KUNIT_EXPECT_GT(test, w->outcomes[CTXRA_DISK_UNKNOWN], 0U);
}

/* As many reads of others as the streams have cost seeks that larger windows do not save. */
static void stands_aside_for_random_reads(struct kunit *test)
{
	u32 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		struct world *w = one_alone(test, seed, 100 * SECOND);

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
	struct world *w = one_alone(test, 1, 100 * SECOND);

	start_some(w, 1, 7, 100 * SECOND);
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

/*
 * Read pieces, after one stream was alone, and after pieces of before were read with large windows:
 * so many may be left unread. Return the pages that were read for them.
 */
static u64 read_pieces(struct world *w, const struct stream *pattern, unsigned int readers)
{
	unsigned int i;
	u64 before;

	start(w, 0, 2 * SECOND);
	run(w, 3 * SECOND);
	for (i = 1; i <= readers; i++) {
		start(w, i, 200 * SECOND);
		w->streams[i].piece = pattern->piece;
		w->streams[i].gap = pattern->gap;
		w->streams[i].is_file = pattern->is_file;
		w->streams[i].cached = pattern->cached;
		w->streams[i].ends_at = w->streams[i].next + pattern->piece;
	}
	run(w, 40 * SECOND);
	before = w->pages;
	w->useful = 0;
	run(w, 120 * SECOND);
	return w->pages - before;
}

/* The sums of all seeds: rate and pages read per useful page, of stock in 1/1000. */
static void compare_pieces(struct kunit *test, const struct stream *pattern, unsigned int readers,
			   u64 *rate, u64 *pages)
{
	u64 read[2] = {}, useful[2] = {};
	unsigned int stock;
	u32 seed;

	for (stock = 0; stock < 2; stock++) {
		for (seed = 1; seed <= PIECE_SEEDS; seed++) {
			struct world *w = create(test, SPINDLE, seed);

			w->stock = stock;
			read[stock] += read_pieces(w, pattern, readers);
			useful[stock] += w->useful;
			kunit_kfree(test, w);
		}
	}
	*rate = div64_u64(1000 * useful[0], useful[1]);
	*pages = div64_u64(1000 * read[0] * useful[1], read[1] * useful[0]);
	kunit_info(test, "%u readers of %lu KiB, gap %lu KiB%s: rate %llu/1000, pages %llu/1000\n",
		   readers, pattern->piece * PAGE_KB, pattern->gap * PAGE_KB,
		   pattern->is_file ? ", files" : "", *rate, *pages);
}

/* A reader of pieces leaves the windows behind each unread: they must not be large. */
static void pieces_read_no_more(struct kunit *test)
{
	static const unsigned long kibs[] = { 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768 };
	struct stream pattern = {};
	unsigned int i, jumps, readers;
	u64 rate, pages;

	for (i = 0; i < ARRAY_SIZE(kibs); i++) {
		for (jumps = 0; jumps < 2; jumps++) {
			for (readers = 2; readers <= 4; readers += 2) {
				pattern.piece = kibs[i] / PAGE_KB;
				pattern.gap = jumps ? 16384 / PAGE_KB : 0;
				compare_pieces(test, &pattern, readers, &rate, &pages);
				KUNIT_EXPECT_LE(test, pages, 1020ULL);
				KUNIT_EXPECT_GE(test, rate, 990ULL);
			}
		}
	}
}

/* A reader that jumps to cached pages looks in order, and has not read the pages in between. */
static void pieces_behind_cached_pages(struct kunit *test)
{
	static const unsigned long kibs[] = { 1024, 2048, 4096, 8192 };
	struct stream pattern = { .gap = 16384 / PAGE_KB, .cached = 256 / PAGE_KB };
	u64 rate, pages;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kibs); i++) {
		pattern.piece = kibs[i] / PAGE_KB;
		compare_pieces(test, &pattern, 2, &rate, &pages);
		KUNIT_EXPECT_LE(test, pages, 1020ULL);
		KUNIT_EXPECT_GE(test, rate, 990ULL);
	}
}

/* No window goes past the end of a file, so files gain, one after another. */
static void whole_files_gain(struct kunit *test)
{
	const struct stream pattern = { .piece = 32768 / PAGE_KB, .is_file = true };
	u64 rate, pages;

	compare_pieces(test, &pattern, 2, &rate, &pages);
	KUNIT_EXPECT_LE(test, pages, 1001ULL);
	KUNIT_EXPECT_GE(test, rate, 1500ULL);
}

/* Another disk has got the number: nothing is known of it. */
static void another_disk(struct kunit *test)
{
	struct world *w = one_alone(test, 1, 100 * SECOND);

	start_some(w, 1, 3, 100 * SECOND);
	run(w, 10 * SECOND);
	KUNIT_EXPECT_GT(test, w->disk.win, BASE);
	w->ios = 0;
	w->pages = 0;
	w->busy = 0;
	w->wait = 0;
	run(w, 10 * SECOND);
	KUNIT_EXPECT_EQ(test, w->disk.win, BASE);
	KUNIT_EXPECT_EQ(test, w->disk.alone.rate, 0U);
	KUNIT_EXPECT_GT(test, w->outcomes[CTXRA_DISK_UNKNOWN], 0U);
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
	KUNIT_CASE(pieces_read_no_more),
	KUNIT_CASE(pieces_behind_cached_pages),
	KUNIT_CASE(whole_files_gain),
	KUNIT_CASE(another_disk),
	{}
};

static struct kunit_suite disk_suite = {
	.name = "ctxra_disk",
	.test_cases = disk_cases,
};

kunit_test_suite(disk_suite);
