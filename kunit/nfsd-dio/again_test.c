// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/prandom.h>

#include "nfsd-dio/again.h"

#define BLOCK	4096

/* Files of which only the addresses are compared. Each case has its own. */
static const char files[16];

static const struct inode *file_nr(unsigned int nr)
{
	return (const struct inode *)&files[nr];
}

/* How many writes in a row, of which each comes again, make a file one of these. */
#define ENOUGH	11U

/* One record after the other, within blocks, up to their ends and across them. */
static void records_of_a_log(struct kunit *test)
{
	static const size_t lengths[] = { 512, 1024, 1536, 3584 };
	unsigned int i, nr, direct;
	loff_t pos;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		direct = 0;
		for (pos = 20480, nr = 0; nr < 100; pos += lengths[i], nr++) {
			if (!nd_again(file_nr(i), pos, lengths[i], BLOCK))
				direct++;
			else if (nr < ENOUGH)
				break;
		}
		/* The first one does not come again. */
		KUNIT_EXPECT_EQ_MSG(test, direct, ENOUGH, "%zu bytes", lengths[i]);
	}
}

/* Random writes of an image in two passes: in the second it is for the cache. */
static void random_writes(struct kunit *test)
{
	unsigned int pass, i, cached;

	for (pass = 0; pass < 2; pass++) {
		cached = 0;
		/* Adjacent ones, too. */
		for (i = 0; i < 512; i++)
			cached += nd_again(file_nr(4), (i * 37 % 512) * 4096LL + 512, BLOCK,
					   BLOCK);
		if (pass)
			KUNIT_EXPECT_GE(test, cached, 480U);
		else
			KUNIT_EXPECT_EQ(test, cached, 0U);
	}
	/* It is written to elsewhere: a few writes later it is for the disk again. */
	for (i = cached = 0; i < 64; i++)
		cached += nd_again(file_nr(4), (i + 1000) * 4096LL + 512, BLOCK, BLOCK);
	KUNIT_EXPECT_LE(test, cached, 48U);
}

/* A stream of longer writes that share blocks; and writes of which few come again. */
static void not_again(struct kunit *test)
{
	unsigned int i, cached = 0;

	for (i = 0; i < 512; i++) {
		cached += nd_again(file_nr(5), i * 8192LL + 512, 8192, BLOCK);
		cached += nd_again(file_nr(6), (i / 8 * 7 + i % 8) * 65536LL + 512, BLOCK, BLOCK);
	}
	KUNIT_EXPECT_EQ(test, cached, 0U);
}

/* Random writes fill a file. The way they go changes seldom. */
static void changes_seldom(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int i, changes = 0;
	bool before = false;

	prandom_seed_state(&rnd, 7);
	for (i = 0; i < 200000; i++) {
		loff_t pos = prandom_u32_state(&rnd) % 32768 * 4096LL + 512;
		bool cached = nd_again(file_nr(9), pos, BLOCK, BLOCK);

		changes += cached != before;
		before = cached;
	}
	KUNIT_EXPECT_TRUE(test, before);
	KUNIT_EXPECT_LE(test, changes, 64U);
}

/* Where a record ends tells something only at the end of its block. */
static void records_apart(struct kunit *test)
{
	unsigned int i, cached[2] = {};

	for (i = 0; i < 200; i++) {
		loff_t pos = i * 16384LL;

		/* Within a block, and to its end; then to the next block. */
		cached[0] += nd_again(file_nr(10), pos + 1024, 512, BLOCK);
		cached[0] += nd_again(file_nr(10), pos + 4096, 512, BLOCK);
		cached[1] += nd_again(file_nr(11), pos + 3584, 512, BLOCK);
		cached[1] += nd_again(file_nr(11), pos + 4096, 512, BLOCK);
	}
	KUNIT_EXPECT_EQ(test, cached[0], 0U);
	KUNIT_EXPECT_GE(test, cached[1], 300U);
}

/* Places 4 GiB apart; long writes, which go as the short ones do. */
static void far_and_long(struct kunit *test)
{
	unsigned int i, cached = 0;

	for (i = 0; i < 100; i++) {
		loff_t pos = (u64)i << 32 | 512;

		cached += nd_again(file_nr(12), pos, BLOCK, BLOCK);
		cached += nd_again(file_nr(12), 65536 + 512, 32768, BLOCK);
	}
	KUNIT_EXPECT_EQ(test, cached, 0U);
	for (i = 0; i < 100; i++)
		cached += nd_again(file_nr(12), 512, BLOCK, BLOCK);
	KUNIT_EXPECT_GE(test, cached, 80U);
	KUNIT_EXPECT_TRUE(test, nd_again(file_nr(12), 65536 + 512, 32768, BLOCK));
}

/* Files of one set: what one has is not the other's, and as many as there are slots keep theirs. */
static void files_of_one_set(struct kunit *test)
{
	static const char more[8192];
	const struct inode *same[5];
	unsigned int i, at, nr = 0;

	for (at = 0; at < sizeof(more) && nr < ARRAY_SIZE(same); at++)
		if (hash_ptr(&more[at], 8) == hash_ptr(&more[0], 8))
			same[nr++] = (const struct inode *)&more[at];
	KUNIT_ASSERT_EQ(test, nr, (unsigned int)ARRAY_SIZE(same));
	for (i = 0; i < 40 * 4; i++)
		nd_again(same[i % 4], 512, BLOCK, BLOCK);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_TRUE_MSG(test, nd_again(same[i], 512, BLOCK, BLOCK), "file %u", i);
	KUNIT_EXPECT_FALSE(test, nd_again(same[4], 65536 + 512, 32768, BLOCK));
	/* All but the one whose last short write is longest ago keep theirs. */
	msleep(50);
	for (i = 0; i < 4; i++)
		if (i != 2)
			nd_again(same[i], 512, BLOCK, BLOCK);
	KUNIT_EXPECT_FALSE(test, nd_again(same[4], 512, BLOCK, BLOCK));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ_MSG(test, nd_again(same[i], 65536 + 512, 32768, BLOCK), i != 2,
				    "file %u", i);
}

static void make_cached(struct kunit *test, const struct inode *file)
{
	unsigned int i;

	for (i = 0; i < 40; i++)
		nd_again(file, 512, BLOCK, BLOCK);
	KUNIT_ASSERT_TRUE(test, nd_again(file, 512, BLOCK, BLOCK));
}

/* Longer writes: eight for each short one that comes again change nothing, many alone do. */
static void long_writes(struct kunit *test)
{
	const struct inode *file = file_nr(13);
	loff_t pos = 1 << 20 | 512;
	unsigned int i;

	make_cached(test, file);
	for (i = 0; i < 4000; i++, pos += 65536) {
		KUNIT_EXPECT_TRUE(test, nd_again(file, pos, 65536, BLOCK));
		if (i % 8 == 7)
			nd_again(file, 512, BLOCK, BLOCK);
	}
	for (i = 0; i < 1000; i++, pos += 65536)
		if (!nd_again(file, pos, 65536, BLOCK))
			break;
	KUNIT_EXPECT_LE(test, i, 512U);
	KUNIT_EXPECT_GE(test, i, 64U);
}

/* Stable writes, which go direct, beside others that come again. */
static void stable_writes(struct kunit *test)
{
	const struct inode *file = file_nr(14);
	unsigned int i, each, cached = 0;

	make_cached(test, file);
	for (i = 0; i < 1000; i++) {
		nd_again_stable(file);
		cached += nd_again(file, 512, BLOCK, BLOCK);
	}
	KUNIT_EXPECT_EQ(test, cached, 1000U);
	for (i = cached = 0; i < 1000; i++) {
		for (each = 0; each < 32; each++)
			nd_again_stable(file);
		cached += nd_again(file, 512, BLOCK, BLOCK);
	}
	KUNIT_EXPECT_LE(test, cached, 4U);
	/* One that nothing is known of. */
	nd_again_stable(file_nr(15));
	KUNIT_EXPECT_FALSE(test, nd_again(file_nr(15), 512, BLOCK, BLOCK));
}

/* What one file has does not make another one of these. */
static void other_files(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 40; i++) {
		nd_again(file_nr(7), 8192 + 512, 512, BLOCK);
		KUNIT_EXPECT_FALSE(test, nd_again(file_nr(8), i * 65536LL + 8704, 512, BLOCK));
	}
	KUNIT_EXPECT_TRUE(test, nd_again(file_nr(7), 8192, 512, BLOCK));
	KUNIT_EXPECT_FALSE(test, nd_again(file_nr(8), 8192, 512, BLOCK));
}

static struct kunit_case again_cases[] = {
	KUNIT_CASE(records_of_a_log),
	KUNIT_CASE(random_writes),
	KUNIT_CASE(not_again),
	KUNIT_CASE(changes_seldom),
	KUNIT_CASE(records_apart),
	KUNIT_CASE(far_and_long),
	KUNIT_CASE(files_of_one_set),
	KUNIT_CASE(long_writes),
	KUNIT_CASE(stable_writes),
	KUNIT_CASE(other_files),
	{}
};

static struct kunit_suite again_suite = {
	.name = "nfsd_dio_again",
	.test_cases = again_cases,
};
kunit_test_suite(again_suite);
