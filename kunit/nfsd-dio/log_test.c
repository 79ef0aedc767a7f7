// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "nfsd-dio/log.h"

#define BLOCK	4096

/* Only its address is compared. Each case has a file of its own. */
static const struct inode *new_file(struct kunit *test)
{
	void *file = kunit_kzalloc(test, 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, file);
	return file;
}

/* One write after the other, within blocks, up to their ends and across them. */
static void log_in_sequence(struct kunit *test)
{
	static const size_t lengths[] = { 512, 1024, 1536, 3584 };
	const struct inode *file;
	unsigned int i;
	loff_t pos;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		file = new_file(test);
		pos = 20480;
		KUNIT_EXPECT_FALSE(test, nd_log_goes_on(file, pos, lengths[i], BLOCK));
		for (pos += lengths[i]; pos < 81920; pos += lengths[i])
			KUNIT_EXPECT_TRUE_MSG(test, nd_log_goes_on(file, pos, lengths[i], BLOCK),
					      "%zu bytes at %lld", lengths[i], pos);
		/* It begins anew. */
		KUNIT_EXPECT_FALSE(test, nd_log_goes_on(file, 0, lengths[i], BLOCK));
		KUNIT_EXPECT_TRUE(test, nd_log_goes_on(file, lengths[i], lengths[i], BLOCK));
	}
}

/* The same block again and again, as the last one of a log whose records are padded. */
static void log_in_one_block(struct kunit *test)
{
	const struct inode *file = new_file(test);

	KUNIT_EXPECT_FALSE(test, nd_log_goes_on(file, 8192 + 512, 512, BLOCK));
	KUNIT_EXPECT_TRUE(test, nd_log_goes_on(file, 8192 + 512, 512, BLOCK));
	KUNIT_EXPECT_TRUE(test, nd_log_goes_on(file, 8192, 512, BLOCK));
	KUNIT_EXPECT_TRUE(test, nd_log_goes_on(file, 8192 + 3584, 512, BLOCK));
}

static void log_elsewhere(struct kunit *test)
{
	const struct inode *file = new_file(test), *other = new_file(test);

	KUNIT_EXPECT_FALSE(test, nd_log_goes_on(file, 65536 + 3584, 512, BLOCK));
	/* Next to it, but after a gap. */
	KUNIT_EXPECT_FALSE(test, nd_log_goes_on(file, 69632 + 512, 512, BLOCK));
	/* Before it. */
	KUNIT_EXPECT_FALSE(test, nd_log_goes_on(file, 65536 + 3584, 512, BLOCK));
	KUNIT_EXPECT_FALSE(test, nd_log_goes_on(other, 69632, 512, BLOCK));
}

static struct kunit_case log_cases[] = {
	KUNIT_CASE(log_in_sequence),
	KUNIT_CASE(log_in_one_block),
	KUNIT_CASE(log_elsewhere),
	{}
};

static struct kunit_suite log_suite = {
	.name = "nfsd_dio_log",
	.test_cases = log_cases,
};
kunit_test_suite(log_suite);
