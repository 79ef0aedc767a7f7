// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/math64.h>

#include "nfsd-dio/read_back.h"

/* Write to so many files in turn for ten seconds; returns the writes that are taken. */
static unsigned int write_files(struct kunit *test, unsigned int files, unsigned int per_second)
{
	struct nd_read_back *device = kunit_kzalloc(test, sizeof(*device), GFP_KERNEL);
	unsigned int i, taken = 0;
	struct nd_written found;

	KUNIT_ASSERT_NOT_NULL(test, device);
	for (i = 0; i < 10 * per_second; i++) {
		/* Only compared. */
		const struct inode *inode = (const struct inode *)(i % files + 1UL);
		u64 now = NSEC_PER_SEC + div_u64(i * NSEC_PER_SEC, per_second);
		const struct nd_written written = {
			.inode = inode, .size = i % 3, .pos = i * 4096LL, .when = now,
		};

		nd_read_back_add(device, &written);
		while (nd_read_back_take(device, inode, now, &found)) {
			KUNIT_EXPECT_LE(test, found.when + ND_READ_BACK_AGE_NS, now);
			KUNIT_EXPECT_TRUE(test, found.inode == inode);
			taken++;
		}
	}
	return taken;
}

/* About eight a second are remembered, and most of them are old enough one day. */
static void read_back_is_taken(struct kunit *test)
{
	static const unsigned int rates[] = { 100, 250, 999, 4000 };
	static const unsigned int files[] = { 1, 7, 100 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		for (j = 0; j < ARRAY_SIZE(files); j++)
			KUNIT_EXPECT_GE_MSG(test, write_files(test, files[j], rates[i]), 50,
					    "%u writes a second to %u files", rates[i], files[j]);
}

static void read_back_waits(struct kunit *test)
{
	static struct nd_read_back device;
	const struct inode *inode = (const struct inode *)1UL;
	const struct nd_written written = { .inode = inode, .pos = 4096, .when = NSEC_PER_SEC };
	struct nd_written found;

	device = (struct nd_read_back) {};
	nd_read_back_add(&device, &written);
	KUNIT_EXPECT_FALSE(test, nd_read_back_take(&device, inode, 2 * NSEC_PER_SEC - 1, &found));
	KUNIT_EXPECT_FALSE(test, nd_read_back_take(&device, (const struct inode *)2UL,
						   2 * NSEC_PER_SEC, &found));
	KUNIT_EXPECT_TRUE(test, nd_read_back_take(&device, inode, 2 * NSEC_PER_SEC, &found));
	KUNIT_EXPECT_EQ(test, found.pos, 4096);
	KUNIT_EXPECT_FALSE(test, nd_read_back_take(&device, inode, 2 * NSEC_PER_SEC, &found));
}

static struct kunit_case read_back_cases[] = {
	KUNIT_CASE(read_back_is_taken),
	KUNIT_CASE(read_back_waits),
	{}
};

static struct kunit_suite read_back_suite = {
	.name = "nfsd_dio_read_back",
	.test_cases = read_back_cases,
};
kunit_test_suite(read_back_suite);
