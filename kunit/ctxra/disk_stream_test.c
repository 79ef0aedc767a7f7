// SPDX-License-Identifier: GPL-2.0-only
/*
 * max_kb=auto: which windows on a disk are of one stream, whether a reader in order has passed
 * cached pages or has jumped, and what a stream is charged for that ends.
 */
#include <kunit/test.h>

#include "ctxra/disk.h"
#include "ctxra/disk_stream.h"

#define BASE		32UL	/* pages: 128 KiB */
#define PAGE_KB		4UL
#define MEMORY		200000UL	/* pages: 800 MiB */
#define START		1000UL	/* of a reader's own window of BASE pages */
#define MISS		1352UL	/* 320 pages behind that */

static struct ctxra_disk *create(struct kunit *test)
{
	struct ctxra_disk *disk = kunit_kzalloc(test, sizeof(*disk), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, disk);
	ctxra_disk_init(disk, BASE, 0);
	return disk;
}

/* A disk that was not read meanwhile. */
static void sample(struct ctxra_disk *disk, u32 now)
{
	const struct ctxra_disk_stat stat = { .max_sectors = 2560 };

	ctxra_disk_sample(disk, &stat, MEMORY, now);
}

/* The streams of a file. */
static unsigned int count_streams(const struct ctxra_disk *d, const void *mapping)
{
	unsigned int i, nr = 0;

	for (i = 0; i < CTXRA_DISK_STREAMS; i++)
		nr += d->streams[i].mapping == mapping;
	return nr;
}

/* How a page was used. */
enum state {
	PAGE_READ,
	PAGE_UNREAD,
	PAGE_ABSENT,
	PAGE_UNCLEAR,
	PAGE_EVICTED,
	PAGE_IN_FLIGHT,
	NR_STATES,
};

/* A file whose pages were all read, but for those from @first to @last. */
struct pages {
	unsigned long first;
	unsigned long last;
	enum state state;
	unsigned int asked;	/* samples */
};

static enum state state_of(const struct pages *pages, unsigned long index)
{
	return index >= pages->first && index <= pages->last ? pages->state : PAGE_READ;
}

/* ctxra_sample_use() */
static struct ctxra_use sample_use(void *ctx, unsigned long start, unsigned long nr)
{
	unsigned long step = (nr / CTXRA_SAMPLES) | 1, i;
	unsigned int n[NR_STATES] = {};
	struct pages *pages = ctx;

	pages->asked++;
	for (i = 0; i < nr && i < step * CTXRA_SAMPLES; i += step)
		n[state_of(pages, start + i)]++;
	return (struct ctxra_use){
		.used = n[PAGE_READ],
		.unused = n[PAGE_UNREAD],
		.absent = n[PAGE_ABSENT],
		.unclear = n[PAGE_UNCLEAR],
		.evicted = n[PAGE_EVICTED],
	};
}

static const struct ctxra_facts_ops facts_ops = { .sample_use = sample_use };

/* The stock code opens a window for a call, with these pages in the cache. */
static struct ctxra_disk_window stock_window(const struct ctxra_args *args, struct pages *pages)
{
	const struct ctxra_facts facts = { .ops = &facts_ops, .ctx = pages };

	return ctxra_disk_stock_window(pages, args, &facts);
}

/* Readers that share a stream open its windows, which are large, not quite in order. */
static void shared_stream(struct kunit *test)
{
	struct ctxra_disk *disk = create(test);
	struct ctxra_disk_window win = {
		.mapping = disk,
		.nr = 2048,
		.eof = ULONG_MAX,
		.shared = true,
	};
	unsigned int i;

	for (i = 0; i < 16; i++) {
		win.start = 2048 * (i ^ 1);
		win.from = win.start;
		ctxra_disk_add_window(disk, &win, 100 * i);
	}
	KUNIT_EXPECT_EQ(test, count_streams(disk, disk), 1U);
	KUNIT_EXPECT_EQ(test, disk->streams[0].pages, 14 * 2048UL);
	/* It has left less than three windows of its own. */
	win.start = 2048 * 18;
	win.from = win.start;
	ctxra_disk_add_window(disk, &win, 1600);
	KUNIT_EXPECT_EQ(test, count_streams(disk, disk), 2U);
}

/* Two readers of a file, each in order and near to the other, are two streams. */
static void near_readers(struct kunit *test)
{
	struct ctxra_disk *disk = create(test);
	struct ctxra_disk_window win = { .mapping = disk, .eof = ULONG_MAX };
	unsigned int i;

	for (i = 0; i < 64; i++) {
		win.start = BASE * (i / 2) + (i % 2 ? 2 * BASE : 0);
		win.from = i < 2 ? win.start : win.start - BASE;
		ctxra_disk_add_window(disk, &win, 10 * i);
	}
	KUNIT_EXPECT_EQ(test, count_streams(disk, disk), 2U);
	KUNIT_EXPECT_EQ(test, disk->streams[0].pages, 31 * BASE);
	KUNIT_EXPECT_EQ(test, disk->streams[1].pages, 31 * BASE);
}

/*
 * A reader comes to a part of the file that is cached, and misses a page behind it. It is the same
 * stream if all pages in between were read, and none of them counts as read from the disk.
 */
static void passes_cached_part(struct kunit *test)
{
	unsigned int passed, i;

	for (passed = 0; passed < 2; passed++) {
		struct pages pages = {
			.last = ULONG_MAX,
			.state = passed ? PAGE_READ : PAGE_ABSENT,
		};
		struct ctxra_args args = { .eof = ULONG_MAX, .ra_size = BASE };
		struct ctxra_disk *disk = create(test);
		struct ctxra_disk_window win;

		for (i = 0; i < 64; i++) {
			args.folio_nr = i != 32;
			args.index = args.ra_start + (args.folio_nr ? 0 : 10 * BASE);
			win = stock_window(&args, &pages);
			ctxra_disk_add_window(disk, &win, 10 * i);
			args.ra_start = win.start;
		}
		KUNIT_EXPECT_EQ(test, args.ra_start, (63 + 10) * BASE);
		KUNIT_EXPECT_EQ(test, count_streams(disk, &pages), 2U - passed);
		KUNIT_EXPECT_EQ(test, disk->pages, (63 - !passed) * BASE);
		kunit_kfree(test, disk);
	}
}

/* Behind a reader's window, and not in it or at its end, a miss begins a stream of its own. */
static void jumps(struct kunit *test)
{
	static const unsigned long misses[] = { 0, 999, 1000, 1001, 1032, 1033, 5000 };
	struct ctxra_args args = { .ra_start = START, .ra_size = BASE };
	struct pages pages = { .last = ULONG_MAX, .state = PAGE_ABSENT };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(misses); i++) {
		bool follows = misses[i] > 1000 && misses[i] <= 1032;
		struct ctxra_disk_window win;

		args.index = misses[i];
		win = stock_window(&args, &pages);
		KUNIT_EXPECT_EQ_MSG(test, win.from, follows ? 1000 : misses[i], "%lu", misses[i]);
		KUNIT_EXPECT_EQ(test, win.start, misses[i]);
		KUNIT_EXPECT_EQ(test, win.passed, 0UL);
	}
	/* The page cache was asked of those behind the window only. */
	KUNIT_EXPECT_EQ(test, pages.asked, 2U);
}

/*
 * A reader that misses a page far behind its window has jumped if it did not read a part of the
 * pages in between: a page that it read proves nothing of the others.
 */
static void jumps_over_unread_pages(struct kunit *test)
{
	static const struct {
		unsigned long first;
		unsigned long last;
	} parts[] = {
		{ START + BASE - 1, MISS - 1 },		/* all */
		{ START + BASE, MISS - 1 },		/* it has read its window to the end */
		{ START + BASE - 1, MISS - 2 },		/* and the page before the miss */
		{ START + BASE, MISS - 2 },		/* or both */
		{ START + BASE, START + 100 },
		{ MISS - 100, MISS - 2 },
		{ 1180, 1180 + 21 },			/* a 16th of them */
	};
	const struct ctxra_args args = { .index = MISS, .ra_start = START, .ra_size = BASE };
	enum state state;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		for (state = PAGE_READ; state < PAGE_IN_FLIGHT; state++) {
			struct pages pages = { parts[i].first, parts[i].last, state };
			struct ctxra_disk_window win = stock_window(&args, &pages);
			bool passed = state == PAGE_READ;

			KUNIT_EXPECT_EQ_MSG(test, win.from, passed ? START : MISS,
					    "part %u, state %u", i, state);
			KUNIT_EXPECT_EQ(test, win.passed, passed ? MISS - START - BASE : 0);
		}
	}
}

/* Nothing is known of pages in flight, nor where the file has no window yet. */
static void jumps_where_nothing_is_known(struct kunit *test)
{
	struct ctxra_args args = { .index = MISS, .ra_start = START, .ra_size = BASE };
	struct pages pages = { .last = ULONG_MAX, .state = PAGE_IN_FLIGHT };

	KUNIT_EXPECT_EQ(test, stock_window(&args, &pages).from, MISS);
	pages.state = PAGE_READ;
	KUNIT_EXPECT_EQ(test, stock_window(&args, &pages).from, START);
	args.ra_size = 0;
	KUNIT_EXPECT_EQ(test, stock_window(&args, &pages).from, MISS);
	KUNIT_EXPECT_EQ(test, pages.asked, 2U);
}

/* The next window of a stream. */
static void go_on(struct ctxra_disk *disk, struct ctxra_disk_window *win, u32 now)
{
	win->from = win->start;
	win->start += BASE;
	ctxra_disk_add_window(disk, win, now);
}

#define PAUSED_MS	51150

/* Two streams get larger windows, and the first one pauses. Return the credit then. */
static s64 pause_stream(struct kunit *test, struct ctxra_disk *disk, struct ctxra_disk_window *win)
{
	s64 credit = disk->credit;
	unsigned int i, n;

	for (i = 0; i < 1024; i++) {
		if (i == 300)
			disk->win = 16 * BASE;
		/* At last only the second one reads. */
		n = i < 900 ? i % 2 : 1;
		win[n].mapping = &win[n];
		win[n].eof = ULONG_MAX;
		go_on(disk, &win[n], PAUSED_MS / 1023 * i);
		credit += i < 2 ? 0 : BASE;
		KUNIT_ASSERT_EQ(test, disk->credit, credit);
	}
	KUNIT_ASSERT_EQ(test, disk->streams[0].win, 16 * BASE);
	return credit;
}

/* A stream that seems to have ended is charged for what it left unread, until it goes on. */
static void paused_stream(struct kunit *test)
{
	struct ctxra_disk *disk = create(test);
	struct ctxra_disk_window win[2] = {};
	s64 credit = pause_stream(test, disk, win);

	sample(disk, PAUSED_MS);
	KUNIT_EXPECT_EQ(test, disk->credit, credit - 64 * (15 * BASE * 3 / 2));
	sample(disk, PAUSED_MS);
	KUNIT_EXPECT_EQ(test, disk->credit, credit - 64 * (15 * BASE * 3 / 2));
	go_on(disk, &win[0], PAUSED_MS);
	KUNIT_EXPECT_EQ(test, disk->credit, credit + BASE);
}

/* Where little credit was left to lose, a stream that goes on gets no more back. */
static void paused_stream_without_credit(struct kunit *test)
{
	struct ctxra_disk *disk = create(test);
	s64 least = -64 * 32768L / (s64)PAGE_KB;
	struct ctxra_disk_window win[2] = {};

	pause_stream(test, disk, win);
	disk->credit = least + 1000;
	sample(disk, PAUSED_MS);
	KUNIT_EXPECT_EQ(test, disk->credit, least);
	sample(disk, PAUSED_MS);
	KUNIT_EXPECT_EQ(test, disk->credit, least);
	go_on(disk, &win[0], PAUSED_MS);
	KUNIT_EXPECT_EQ(test, disk->credit, least + 1000 + BASE);
}

static struct kunit_case disk_stream_cases[] = {
	KUNIT_CASE(shared_stream),
	KUNIT_CASE(near_readers),
	KUNIT_CASE(passes_cached_part),
	KUNIT_CASE(jumps),
	KUNIT_CASE(jumps_over_unread_pages),
	KUNIT_CASE(jumps_where_nothing_is_known),
	KUNIT_CASE(paused_stream),
	KUNIT_CASE(paused_stream_without_credit),
	{}
};

static struct kunit_suite disk_stream_suite = {
	.name = "ctxra_disk_stream",
	.test_cases = disk_stream_cases,
};

kunit_test_suite(disk_stream_suite);
