// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writers beside each other, 20 seeds each: a stream is spared its pre-reads, and nobody else waits
 * for it.
 */
#include "sim/simraid.h"

#define SEEDS	20
#define MS	250

/* A stream, or none, beside another writer. */
struct load_case {
	const char *name;
	u32 disk_us;
	u32 chunk_kib;
	struct simraid_writer stream;
	struct simraid_writer other;
	u32 data_disks;		/* 0: 2 */
};

#define STREAM		{ .kib = 256, .depth = 16 }
#define STREAM_AT(mb)	{ .kib = 256, .depth = 16, .mb_s = (mb) }
#define RANDOM(k, d)	{ .kib = (k), .depth = (d), .random = true }
/* Far behind the stream. */
#define META(k)		{ .kib = (k), .depth = 1, .meta = true, .next = 100000 }

static const struct load_case mixed_cases[] = {
	{ "4 KiB", 5000, 1024, STREAM, RANDOM(4, 1) },
	{ "4 KiB, 16 at a time", 5000, 1024, STREAM, RANDOM(4, 16) },
	{ "16 KiB", 5000, 1024, STREAM, RANDOM(16, 1) },
	{ "16 KiB, 16 at a time", 5000, 1024, STREAM, RANDOM(16, 16) },
	{ "32 KiB", 5000, 1024, STREAM, RANDOM(32, 1) },
	{ "32 KiB, 16 at a time", 5000, 1024, STREAM, RANDOM(32, 16) },
	{ "64 KiB", 5000, 1024, STREAM, RANDOM(64, 1) },
	{ "64 KiB, 16 at a time", 5000, 1024, STREAM, RANDOM(64, 16) },
	{ "16 KiB, disks of 1 ms", 1000, 512, STREAM, RANDOM(16, 1) },
	{ "64 KiB, 16 at a time, spindles", 12000, 512, STREAM, RANDOM(64, 16) },
	{ "a log", 5000, 1024, STREAM, META(32) },
	{ "100 MB/s, 4 KiB", 5000, 512, STREAM_AT(100), RANDOM(4, 1) },
	{ "100 MB/s, 16 KiB", 5000, 512, STREAM_AT(100), RANDOM(16, 1) },
	{ "100 MB/s, 64 KiB", 5000, 512, STREAM_AT(100), RANDOM(64, 1) },
	{ "100 MB/s, a chunk of 1 MiB", 5000, 1024, STREAM_AT(100), RANDOM(16, 1) },
	{ "100 MB/s, spindles", 12000, 1024, STREAM_AT(100), RANDOM(16, 1) },
};

static void load_desc(const struct load_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(mixed, mixed_cases, load_desc);

/* What came of all seeds. */
struct sum {
	struct simraid_writer stream;
	struct simraid_writer other;
	u64 pre_reads;
};

static void add_writer(struct simraid_writer *sum, const struct simraid_writer *w)
{
	u32 ms;

	sum->kib = w->kib;
	sum->writes += w->writes;
	sum->waited += w->waited;
	for (ms = 0; ms < SIMRAID_MS; ms++)
		sum->ms[ms] += w->ms[ms];
}

static struct sum *run_for(struct kunit *test, bool stock, u32 seeds, u32 ms)
{
	const struct load_case *c = test->param_value;
	struct sum *sum = kunit_kzalloc(test, sizeof(*sum), GFP_KERNEL);
	struct simraid *array;
	u32 seed;

	KUNIT_ASSERT_NOT_NULL(test, sum);
	for (seed = 1; seed <= seeds; seed++) {
		array = simraid_create(test, c->disk_us, c->chunk_kib, seed);
		if (c->data_disks)
			array->data_disks = c->data_disks;
		array->stock = stock;
		array->writers[0] = c->stream;
		array->writers[1] = c->other;
		simraid_run(test, array, ms);
		/* Of each run: a trial in vain, or one write in 100, in 10 of bursts. */
		KUNIT_EXPECT_LE_MSG(test, array->writers[1].waited,
				    max3(array->writers[1].writes / (c->other.burst ? 10 : 100),
					 c->other.depth, 4U), "seed %u", seed);
		add_writer(&sum->stream, &array->writers[0]);
		add_writer(&sum->other, &array->writers[1]);
		sum->pre_reads += array->pre_reads;
		kunit_kfree(test, array);
	}
	return sum;
}

static struct sum *run(struct kunit *test, bool stock)
{
	return run_for(test, stock, SEEDS, MS);
}

/*
 * Its throughput is that of stock, and its slowest writes are no slower. A trial in vain, of which
 * there is one in some of these short runs, delays a twentieth of them.
 */
static void expect_no_worse(struct kunit *test, const struct simraid_writer *ours,
			    const struct simraid_writer *stock)
{
	KUNIT_EXPECT_GE(test, ours->writes * 100, stock->writes * 94);
	KUNIT_EXPECT_LE(test, simraid_percentile_ms(ours, 50),
			simraid_percentile_ms(stock, 50) + 1);
	KUNIT_EXPECT_LE(test, simraid_percentile_ms(ours, 95),
			simraid_percentile_ms(stock, 95) * 105 / 100 + 1);
}

/* The stream is spared nine of ten pre-reads, and nobody waits for it. */
static void nobody_waits_for_a_stream(struct kunit *test)
{
	struct sum *stock = run(test, true), *ours = run(test, false);
	/* The other's pre-reads are its own. */
	u64 other = ours->other.writes * (ours->other.kib / 4);

	expect_no_worse(test, &ours->other, &stock->other);
	KUNIT_EXPECT_LE(test, ours->other.waited * 200, ours->other.writes);
	KUNIT_EXPECT_GE(test, ours->stream.writes * 100, stock->stream.writes * 96);
	KUNIT_EXPECT_LE(test, ours->pre_reads * 10, stock->pre_reads + other * 10);
}

/*
 * A test of the simulation: md adds all disks of a stripe that a write covers at once, so whole
 * rows are not read for, and of a row and a half each second row is.
 */
static void writes_of_rows_come_whole(struct kunit *test)
{
	struct simraid *array = simraid_create(test, 5000, 512, 1);

	array->stock = true;
	array->writers[0] = (struct simraid_writer){ .kib = 1024, .depth = 4 };
	simraid_run(test, array, MS);
	KUNIT_EXPECT_EQ(test, array->pre_reads, 0ULL);
	KUNIT_EXPECT_GE(test, array->full, 1024ULL);

	array = simraid_create(test, 5000, 512, 1);
	array->stock = true;
	array->writers[0] = (struct simraid_writer){ .kib = 1536, .depth = 1 };
	simraid_run(test, array, MS);
	KUNIT_EXPECT_GE(test, array->pre_reads, 512ULL);
	KUNIT_EXPECT_GE(test, array->full, 1024ULL);
}

#define STREAM_OF(k, d)	{ .kib = (k), .depth = (d) }

/*
 * Streams of writes that are short in relation to a row: we see the first chunk of each row only.
 * Blocks of a thin pool have 64 KiB, and dm-crypt makes no longer writes than 128 KiB.
 */
static const struct load_case short_cases[] = {
	{ "16 KiB", 5000, 512, STREAM_OF(16, 64), RANDOM(16, 1) },
	{ "16 KiB, disks of 1 ms", 1000, 512, STREAM_OF(16, 64), RANDOM(16, 1) },
	{ "16 KiB beside 20 KiB", 5000, 512, STREAM_OF(16, 64), RANDOM(20, 1) },
	{ "128 KiB, 5 members", 5000, 512, STREAM_OF(128, 32), RANDOM(128, 1), 4 },
	{ "64 KiB, 5 members, spindles", 12000, 512, STREAM_OF(64, 64), RANDOM(64, 1), 4 },
	{ "256 KiB, 7 members", 5000, 512, STREAM_OF(256, 32), RANDOM(256, 1), 6 },
};

KUNIT_ARRAY_PARAM(short_writes, short_cases, load_desc);

/* Writes of the stream's own length, to other places, do not wait either. */
static void nobody_is_taken_for_a_stream(struct kunit *test)
{
	struct sum *stock = run(test, true), *ours = run(test, false);

	expect_no_worse(test, &ours->other, &stock->other);
	KUNIT_EXPECT_LE(test, ours->other.waited * 50, ours->other.writes);
	KUNIT_EXPECT_GE(test, ours->stream.writes * 100, stock->stream.writes * 97);
}

/* Files that nobody waits for, one after the other. */
#define COPY(k, d, n)	{ .kib = (k), .depth = (d), .burst = (n), .jump = 16, .hurries = true }

/* Streams that end often, and leave room for random writes near their ends. */
static const struct load_case end_cases[] = {
	{ "8 KiB, 16 at a time", 5000, 512, COPY(256, 16, 20), RANDOM(8, 16) },
	{ "16 KiB, 16 at a time", 5000, 512, COPY(256, 16, 20), RANDOM(16, 16) },
	{ "32 KiB, 4 at a time", 5000, 1024, COPY(256, 16, 20), RANDOM(32, 4) },
};

KUNIT_ARRAY_PARAM(end, end_cases, load_desc);

/* One write in 600 waits in vain at most; one in 190 to 350 did. */
static void ends_draw_nobody_in(struct kunit *test)
{
	struct sum *ours = run_for(test, false, SEEDS, 500);

	KUNIT_EXPECT_LE(test, ours->other.waited * 600, ours->other.writes);
}

/* Streams about a row deep: stock serves them so slowly that their pace looks too slow to hold. */
static const struct load_case deep_cases[] = {
	{ "64 KiB, 5 members", 5000, 1024, STREAM_OF(64, 64), RANDOM(16, 16), 4 },
	{ "64 KiB, 9 members", 5000, 512, STREAM_OF(64, 64), RANDOM(16, 16), 8 },
};

KUNIT_ARRAY_PARAM(deep, deep_cases, load_desc);

static void deep_streams_gain(struct kunit *test)
{
	struct sum *stock = run_for(test, true, 4, 1000), *ours = run_for(test, false, 4, 1000);

	KUNIT_EXPECT_GE(test, ours->stream.writes * 100, stock->stream.writes * 120);
	KUNIT_EXPECT_LE(test, ours->other.waited * 50, ours->other.writes);
}

#define BURST(k, d, n)	{ .kib = (k), .depth = (d), .burst = (n) }

static const struct load_case idle_cases[] = {
	{ "random 16 KiB", 5000, 1024, {}, RANDOM(16, 16) },
	{ "random 64 KiB", 5000, 1024, {}, RANDOM(64, 16) },
	{ "random 1 MiB", 5000, 1024, {}, RANDOM(1024, 1) },
	{ "random 64 KiB, 0.1 ms", 100, 64, {}, RANDOM(64, 16) },
	{ "one at a time", 5000, 1024, {}, { .kib = 256, .depth = 1 } },
	{ "one at a time, a chunk", 5000, 1024, {}, { .kib = 1024, .depth = 1 } },
	{ "one at a time, small chunks", 1000, 64, {}, { .kib = 64, .depth = 1 } },
	{ "one at a time, 0.1 ms", 100, 512, {}, { .kib = 64, .depth = 1 } },
	{ "half a row at a time", 5000, 1024, {}, { .kib = 256, .depth = 4 } },
	{ "half a chunk at a time", 5000, 1024, {}, { .kib = 256, .depth = 2 } },
	{ "a row at a time", 1000, 256, {}, STREAM_OF(8, 32) },
	{ "a row at a time, 16 KiB", 5000, 512, {}, STREAM_OF(16, 33) },
	{ "a row at a time, 4 members", 1000, 64, {}, STREAM_OF(8, 16), 3 },
	{ "a row at a time, 4 KiB", 5000, 64, {}, STREAM_OF(4, 32), 3 },
	{ "a chunk at a time, 4 KiB", 1000, 64, {}, STREAM_OF(4, 16) },
	{ "bursts of 10", 5000, 1024, {}, BURST(256, 10, 10) },
	{ "bursts of 12", 5000, 1024, {}, BURST(256, 12, 12) },
	{ "bursts of 6, 5 members", 1000, 64, {}, BURST(64, 6, 6), 4 },
	{ "100 MB/s, disks of 1 ms", 1000, 1024, {}, STREAM_AT(100) },
	{ "20 MB/s", 5000, 1024, {}, STREAM_AT(20) },
};

KUNIT_ARRAY_PARAM(idle, idle_cases, load_desc);

/* Writes that waiting cannot help do not wait. */
static void nothing_to_win(struct kunit *test)
{
	struct sum *stock = run(test, true), *ours = run(test, false);

	expect_no_worse(test, &ours->other, &stock->other);
	KUNIT_EXPECT_LE(test, ours->other.waited * 50, ours->other.writes);
}

/* One at a time, longer than two chunks, that of a file likewise. */
static const struct load_case long_cases[] = {
	{ "40 KiB", 1000, 16, {}, { .kib = 40, .depth = 1, .burst = 60, .jump = 16 } },
	{ "160 KiB", 5000, 64, {}, { .kib = 160, .depth = 1, .burst = 60, .jump = 16 } },
	{ "384 KiB", 5000, 128, {}, { .kib = 384, .depth = 1, .burst = 60, .jump = 16 } },
	{ "516 KiB", 5000, 128, {}, { .kib = 516, .depth = 1 } },
};

KUNIT_ARRAY_PARAM(long_writes, long_cases, load_desc);

/* Nobody else fills what a lone writer has begun. */
static void lone_writers_never_wait(struct kunit *test)
{
	struct sum *ours = run_for(test, false, 4, 1000);

	KUNIT_EXPECT_GT(test, ours->other.writes, 100U);
	KUNIT_EXPECT_EQ(test, ours->other.waited, 0U);
}

#define FILES(k, n)	{ .kib = (k), .depth = (n), .burst = (n), .jump = 16 }
#define LONG_FILES(k, d, n, j)	{ .kib = (k), .depth = (d), .burst = (n), .jump = (j) }
/* Far behind the stream. */
#define FAR_BURST(k, n)	{ .kib = (k), .depth = (n), .burst = (n), .next = 60000 }

/* Bursts longer than a row, each of which is waited for: fsync(), or a client's COMMIT. */
static const struct load_case burst_cases[] = {
	{ "17 of 256 KiB", 5000, 512, {}, BURST(256, 17, 17) },
	{ "21 of 256 KiB", 5000, 1024, {}, BURST(256, 21, 21) },
	{ "30 of 256 KiB", 5000, 1024, {}, BURST(256, 30, 30) },
	{ "15 of 512 KiB, 5 members", 5000, 1024, {}, BURST(512, 15, 15), 4 },
	{ "5 of 128 KiB", 1000, 128, {}, BURST(128, 5, 5) },
	{ "41 of 256 KiB, 16 at a time", 5000, 1024, {}, BURST(256, 16, 41) },
	{ "files of 4 of 512 KiB", 5000, 512, {}, FILES(512, 4) },
	{ "files of 16 of 128 KiB", 5000, 512, {}, FILES(128, 16) },
	{ "files of 16 of 256 KiB", 5000, 1024, {}, FILES(256, 16) },
	{ "files of 21 of 256 KiB", 5000, 512, {}, FILES(256, 21) },
	{ "files of 31 of 128 KiB, 4 members", 1000, 128, {}, FILES(128, 31), 3 },
	{ "files of 8 of 128 KiB", 1000, 512, {}, FILES(128, 8) },
	{ "files of 8 MiB, 5 members", 5000, 64, {}, LONG_FILES(128, 16, 60, 1), 4 },
	{ "files of 8 MiB, spindles", 12000, 128, {}, LONG_FILES(128, 16, 60, 16) },
	{ "5 of 256 KiB beside 100 MB/s", 1000, 256, STREAM_AT(100), FAR_BURST(256, 5) },
	{ "3 of 512 KiB beside 100 MB/s", 5000, 512, STREAM_AT(100), FAR_BURST(512, 3) },
};

KUNIT_ARRAY_PARAM(burst, burst_cases, load_desc);

/* What the last row of each burst loses is not more than its full rows win. */
static void bursts_do_not_wait(struct kunit *test)
{
	struct sum *stock = run_for(test, true, SEEDS, 2000);
	struct sum *ours = run_for(test, false, SEEDS, 2000);

	KUNIT_EXPECT_GE(test, ours->other.writes * 100, stock->other.writes * 92);
	KUNIT_EXPECT_LE(test, ours->other.waited * 20, ours->other.writes);
}

/* Files of @n writes, between two of which up to @g times @p stripes are left out. */
#define GAPS(k, d, n, g, p)	\
	{ .kib = (k), .depth = (d), .burst = (n), .jump = 16, .gaps = (g), .gap = (p) }
#define GAPS_COPY(k, d, n, g, p)	\
	{ .kib = (k), .depth = (d), .burst = (n), .jump = 16, .hurries = true, .gaps = (g), \
	  .gap = (p) }

/*
 * Ascending writes with gaps: write-back of files of which some pages are dirty, a checkpoint, the
 * clusters of a disk image. They look like a stream, and fill next to nothing.
 */
static const struct load_case gap_cases[] = {
	{ "4 KiB, 64 at a time", 5000, 512, {}, GAPS(4, 64, 150, 8, 1) },
	{ "4 KiB, spindles", 12000, 512, {}, GAPS(4, 64, 150, 8, 1) },
	{ "8 KiB, chunks of 64 KiB", 5000, 64, {}, GAPS(8, 32, 150, 2, 2) },
	{ "16 KiB, chunks of 16 KiB", 5000, 16, {}, GAPS(16, 32, 159, 8, 4) },
	{ "16 KiB, chunks of 64 KiB", 5000, 64, {}, GAPS(16, 32, 150, 32, 1) },
	{ "16 KiB, nobody waits", 5000, 512, {}, GAPS_COPY(16, 32, 150, 8, 4) },
	{ "64 KiB", 5000, 512, {}, GAPS(64, 64, 150, 32, 1) },
	{ "64 KiB, nobody waits", 5000, 64, {}, GAPS_COPY(64, 64, 150, 8, 16) },
	{ "64 KiB, half of them", 5000, 512, {}, GAPS(64, 64, 150, 2, 16) },
	{ "100 KiB, 7 members", 5000, 16, {}, GAPS(100, 24, 35, 8, 1), 6 },
};

KUNIT_ARRAY_PARAM(gap, gap_cases, load_desc);

static void gaps_are_not_held(struct kunit *test)
{
	struct sum *stock = run_for(test, true, 4, 1000), *ours = run_for(test, false, 4, 1000);

	KUNIT_EXPECT_GE(test, ours->other.writes * 100, stock->other.writes * 95);
}

/* Where much is written before anybody waits, the last row costs little of what the others win. */
static const struct load_case gaining_cases[] = {
	{ "bursts of 100 MiB", 5000, 512, {}, BURST(256, 16, 401) },
	{ "bursts of 50 MiB, spindles", 12000, 512, {}, BURST(256, 16, 201) },
	{ "files of 16 MiB, 5 members", 5000, 512, {}, COPY(256, 32, 64), 4 },
	{ "files of 8 MiB", 5000, 512, {}, COPY(256, 16, 32) },
};

KUNIT_ARRAY_PARAM(gaining, gaining_cases, load_desc);

static void long_writes_gain(struct kunit *test)
{
	struct sum *stock = run_for(test, true, 4, 3000), *ours = run_for(test, false, 4, 3000);

	KUNIT_EXPECT_GE(test, ours->other.writes * 100, stock->other.writes * 110);
}

static struct kunit_case mixed_kunit_cases[] = {
	KUNIT_CASE(writes_of_rows_come_whole),
	KUNIT_CASE_PARAM(nobody_waits_for_a_stream, mixed_gen_params),
	KUNIT_CASE_PARAM(nobody_is_taken_for_a_stream, short_writes_gen_params),
	KUNIT_CASE_PARAM(ends_draw_nobody_in, end_gen_params),
	KUNIT_CASE_PARAM(deep_streams_gain, deep_gen_params),
	KUNIT_CASE_PARAM(nothing_to_win, idle_gen_params),
	KUNIT_CASE_PARAM(lone_writers_never_wait, long_writes_gen_params),
	KUNIT_CASE_PARAM(bursts_do_not_wait, burst_gen_params),
	KUNIT_CASE_PARAM(gaps_are_not_held, gap_gen_params),
	KUNIT_CASE_PARAM(long_writes_gain, gaining_gen_params),
	{}
};

static struct kunit_suite mixed_suite = {
	.name = "raid5_mixed",
	.test_cases = mixed_kunit_cases,
};

kunit_test_suite(mixed_suite);

MODULE_LICENSE("GPL");
