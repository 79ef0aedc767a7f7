// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
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
	KUNIT_EXPECT_LE(test, cached, 24U);
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
	for (i = 0; i < 40000; i++) {
		loff_t pos = prandom_u32_state(&rnd) % 4096 * 4096LL + 512;
		bool cached = nd_again(file_nr(9), pos, BLOCK, BLOCK);

		changes += cached != before;
		before = cached;
	}
	KUNIT_EXPECT_TRUE(test, before);
	KUNIT_EXPECT_LE(test, changes, 64U);
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
	KUNIT_CASE(other_files),
	{}
};

static struct kunit_suite again_suite = {
	.name = "nfsd_dio_again",
	.test_cases = again_cases,
};
kunit_test_suite(again_suite);
