// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "nfsd-dio/again.h"

#define BLOCK	4096

/* Files of which only the addresses are compared. Each case has its own. */
static const char files[16];

static const struct inode *file_nr(unsigned int nr)
{
	return (const struct inode *)&files[nr];
}

/* One record after the other, within blocks, up to their ends and across them. */
static void records_of_a_log(struct kunit *test)
{
	static const size_t lengths[] = { 512, 1024, 1536, 3584 };
	unsigned int i, first;
	loff_t pos;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		first = 0;
		for (pos = 20480; pos < 81920; pos += lengths[i])
			first += !nd_again(file_nr(i), pos, lengths[i], BLOCK);
		/* Nothing tells that the first record is one. */
		KUNIT_EXPECT_EQ_MSG(test, first, 1, "%zu bytes", lengths[i]);
	}
}

/* Random writes of an image: once a block is written again, all of it is for the cache. */
static void random_writes(struct kunit *test)
{
	const struct inode *file = file_nr(4);
	unsigned int i;

	for (i = 0; i < 512; i++)
		KUNIT_EXPECT_FALSE(test, nd_again(file, (i * 37 % 512) * 16384LL + 512, BLOCK,
						  BLOCK));
	KUNIT_EXPECT_TRUE(test, nd_again(file, 16384 + 512, BLOCK, BLOCK));
	KUNIT_EXPECT_TRUE(test, nd_again(file, 600 * 16384LL + 512, BLOCK, BLOCK));
}

static void other_files(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, nd_again(file_nr(5), 8192 + 512, 512, BLOCK));
	KUNIT_EXPECT_FALSE(test, nd_again(file_nr(6), 8192 + 512, 512, BLOCK));
	KUNIT_EXPECT_TRUE(test, nd_again(file_nr(5), 8192, 512, BLOCK));
	KUNIT_EXPECT_FALSE(test, nd_again(file_nr(6), 65536, 512, BLOCK));
}

static struct kunit_case again_cases[] = {
	KUNIT_CASE(records_of_a_log),
	KUNIT_CASE(random_writes),
	KUNIT_CASE(other_files),
	{}
};

static struct kunit_suite again_suite = {
	.name = "nfsd_dio_again",
	.test_cases = again_cases,
};
kunit_test_suite(again_suite);
