// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/limits.h>

#include "nfs-ra/habit.h"

#define USUAL	32UL	/* 128 KiB */
#define FILE	16384UL	/* 64 MiB */

/* A file that is read up to @read, in windows of @window pages. */
static void read_file(struct nra_habit *habit, unsigned long read, unsigned long window,
		      unsigned long file)
{
	unsigned long at;

	for (at = 0; at < read; at += window)
		nra_habit_note(habit, at, min(at + window, file), file, USUAL);
}

static unsigned long window(const struct nra_habit *habit, unsigned long run, unsigned long end)
{
	return nra_habit_window(habit, run, end, FILE, USUAL);
}

/* What is allowed for the first file of a mount. */
static void first_file(struct kunit *test)
{
	const struct nra_habit habit = {};

	KUNIT_EXPECT_EQ(test, window(&habit, 20, 60), 10UL);
	KUNIT_EXPECT_EQ(test, window(&habit, 128, 160), 64UL);
	KUNIT_EXPECT_EQ(test, window(&habit, 256, 300), 256UL);
	KUNIT_EXPECT_EQ(test, window(&habit, 1024, 2000), 1024UL);
	KUNIT_EXPECT_EQ(test, window(&habit, 8192, 10000), ULONG_MAX);
}

/* After a file that was read whole nothing is in the way, whatever the windows. */
static void after_whole(struct kunit *test)
{
	unsigned long size;

	for (size = 32; size <= 2048; size *= 2) {
		struct nra_habit habit = {};

		read_file(&habit, FILE, size, FILE);
		KUNIT_EXPECT_EQ_MSG(test, window(&habit, 20, 60), ULONG_MAX, "windows of %lu",
				    size);
		KUNIT_EXPECT_EQ_MSG(test, window(&habit, 500, 700), ULONG_MAX, "windows of %lu",
				    size);
	}
}

/*
 * After files that were left at 512 KiB, a window ends there at most. A reader that comes that far
 * may have windows of a small part of the run.
 */
static void after_heads(struct kunit *test)
{
	struct nra_habit habit = {};
	unsigned int i;

	for (i = 0; i < 4; i++)
		read_file(&habit, 128, 32, FILE);
	KUNIT_EXPECT_EQ(test, window(&habit, 32, 64), 64UL);
	KUNIT_EXPECT_EQ(test, window(&habit, 64, 120), 1UL);
	KUNIT_EXPECT_EQ(test, window(&habit, 96, 128), 96 / 64UL);
	KUNIT_EXPECT_EQ(test, window(&habit, 128, 160), 64UL);
}

/* A mount is forgiven: after some whole files, nothing is in the way again. */
static void recovers(struct kunit *test)
{
	struct nra_habit habit = {};
	unsigned int i;

	for (i = 0; i < 100; i++)
		read_file(&habit, 128, 32, FILE);
	for (i = 0; i < 8 && window(&habit, 32, 64) != ULONG_MAX; i++)
		read_file(&habit, FILE, 32, FILE);
	KUNIT_EXPECT_LE(test, i, 6U);
	/* And learns heads as fast. */
	for (i = 0; i < 8 && window(&habit, 32, 64) == ULONG_MAX; i++)
		read_file(&habit, 128, 32, FILE);
	KUNIT_EXPECT_LE(test, i, 2U);
}

/* Small files say nothing of large ones. */
static void small_files(struct kunit *test)
{
	struct nra_habit habit = {};
	unsigned int i;

	for (i = 0; i < 100; i++)
		read_file(&habit, 127, 32, 127);
	KUNIT_EXPECT_EQ(test, window(&habit, 64, 100), 32UL);
	/* The end of the file is near. */
	read_file(&habit, FILE, 32, FILE);
	KUNIT_EXPECT_EQ(test, nra_habit_window(&habit, 20, 60, 127, USUAL), ULONG_MAX);
}

/* Counts neither wrap nor get stuck, whatever is noted, and for large pages, too. */
static void counts(struct kunit *test)
{
	struct nra_habit habit = {};
	unsigned int i, step;

	for (i = 0; i < 1000; i++) {
		unsigned long start = i * 7 % 300, end = start + i * 37 % 5000;

		nra_habit_note(&habit, start, end, FILE, 2 << i % 5);
		for (step = 0; step < NRA_HABIT_STEPS; step++) {
			KUNIT_EXPECT_LE(test, habit.could[step], 128);
			KUNIT_EXPECT_LE(test, habit.went[step], habit.could[step]);
		}
		nra_habit_window(&habit, end, end + start, FILE, 2 << i % 5);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(first_file),
	KUNIT_CASE(after_whole),
	KUNIT_CASE(after_heads),
	KUNIT_CASE(recovers),
	KUNIT_CASE(small_files),
	KUNIT_CASE(counts),
	{}
};

static struct kunit_suite suite = {
	.name = "nfs_ra_habit",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
