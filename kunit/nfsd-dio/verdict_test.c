// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "nfsd-dio/verdict.h"

#define MAX_LEN	1048576

/* A write of 4 KiB at byte 512 of a file of 1 MiB, which may be direct. */
static struct nd_write misaligned(void)
{
	return (struct nd_write) {
		.pos = 512,
		.len = 4096,
		.file_size = 1048576,
		.max_len = MAX_LEN,
		.block = 4096,
		.align = 512,
		.known_fs = true,
		.file_ok = true,
	};
}

/* One change to that write, and the verdict. */
struct judge_case {
	const char *name;
	void (*change)(struct nd_write *write);
	enum nd_verdict verdict;
};

#define CHANGE(what, statement)				\
	static void what(struct nd_write *write)	\
	{						\
		statement;				\
	}

CHANGE(nothing, (void)write)
CHANGE(aligned, write->pos = 4096)
CHANGE(aligned_many, write->pos = 8192; write->len = 65536)
CHANGE(begins_aligned, write->pos = 0; write->len = 512)
CHANGE(ends_aligned, write->len = 3584)
CHANGE(within_block, write->pos = 1024; write->len = 1024)
CHANGE(small_blocks, write->block = 1024)
CHANGE(aligned_to_small_blocks, write->block = 1024; write->pos = 1024)
CHANGE(off_sector, write->pos = 513)
CHANGE(odd_length, write->len = 4097)
CHANGE(large_sector, write->align = 4096)
CHANGE(large_sector_large_block, write->align = 4096; write->block = 16384; write->pos = 4096)
CHANGE(no_direct, write->align = 0)
CHANGE(io_cache, write->io_cache = true)
CHANGE(native, write->io_cache = true; write->native = true)
CHANGE(other_flags, write->other_flags = true)
CHANGE(other_fs, write->known_fs = false)
CHANGE(other_device, write->scope = ND_OTHER_DEVICE)
CHANGE(other_export, write->scope = ND_OTHER_EXPORT)
CHANGE(fs_error, write->fs_error = true)
CHANGE(file_not_ok, write->file_ok = false)
CHANGE(mapped, write->mapped = true)
CHANGE(ends_before_last_block, write->file_size = 8192)
CHANGE(ends_in_last_block, write->file_size = 8191)
CHANGE(ends_at_eof, write->file_size = 4608)
CHANGE(ends_beyond_eof, write->file_size = 4607)
CHANGE(begins_at_eof, write->file_size = 512)
CHANGE(empty_file, write->file_size = 0)
CHANGE(block_end_at_eof, write->len = 3584; write->file_size = 4096)
CHANGE(beyond_block_end, write->len = 3584; write->file_size = 4095)
CHANGE(far, write->pos = (1LL << 43) + 512; write->file_size = 1LL << 44)
CHANGE(largest_file, write->pos = LLONG_MAX - 8191 - 512; write->file_size = LLONG_MAX)
CHANGE(beyond_all, write->pos = LLONG_MAX - 511; write->file_size = LLONG_MAX)
CHANGE(negative, write->pos = -512)
CHANGE(longest, write->len = MAX_LEN; write->file_size = 1LL << 30)
CHANGE(too_long, write->len = MAX_LEN + 512; write->file_size = 1LL << 30)
CHANGE(aligned_too, write->pos = 4096; write->aligned_too = true)
CHANGE(misaligned_too, write->aligned_too = true)
CHANGE(aligned_too_at_eof, write->pos = 4096; write->aligned_too = true; write->file_size = 8191)
/* Which of two reasons is given. */
CHANGE(aligned_and_io_cache, write->pos = 4096; write->io_cache = true)
CHANGE(aligned_and_other_fs, write->pos = 4096; write->known_fs = false)
CHANGE(other_fs_and_no_direct, write->known_fs = false; write->align = 0)
CHANGE(no_direct_and_off_sector, write->pos = 513; write->align = 0)
CHANGE(off_sector_and_eof, write->pos = 513; write->file_size = 0)

static const struct judge_case cases[] = {
	{ "nothing", nothing, ND_DIRECT },
	{ "aligned", aligned, ND_LEFT_ALIGNED },
	{ "aligned, many blocks", aligned_many, ND_LEFT_ALIGNED },
	{ "begins aligned", begins_aligned, ND_DIRECT },
	{ "ends aligned", ends_aligned, ND_DIRECT },
	{ "within a block", within_block, ND_DIRECT },
	{ "small blocks", small_blocks, ND_DIRECT },
	{ "aligned to small blocks", aligned_to_small_blocks, ND_LEFT_ALIGNED },
	{ "off the sector", off_sector, ND_LEFT_SECTOR },
	{ "odd length", odd_length, ND_LEFT_SECTOR },
	{ "large sector", large_sector, ND_LEFT_SECTOR },
	{ "large sector and block", large_sector_large_block, ND_DIRECT },
	{ "no direct I/O", no_direct, ND_LEFT_NO_DIRECT },
	{ "nfsd's own", io_cache, ND_LEFT_IO_CACHE_WRITE },
	{ "nfsd's own, with our times", native, ND_NATIVE },
	{ "other flags", other_flags, ND_LEFT_FLAGS },
	{ "other file system", other_fs, ND_LEFT_FS },
	{ "other device", other_device, ND_LEFT_DEVICE },
	{ "other export", other_export, ND_LEFT_EXPORT },
	{ "error of the file system", fs_error, ND_LEFT_FS_ERROR },
	{ "file not ok", file_not_ok, ND_LEFT_FILE },
	{ "mapped", mapped, ND_LEFT_MAPPED },
	{ "ends before the last block", ends_before_last_block, ND_DIRECT },
	{ "ends in the last block", ends_in_last_block, ND_LEFT_EOF },
	{ "ends at the end", ends_at_eof, ND_LEFT_EOF },
	{ "ends beyond the end", ends_beyond_eof, ND_LEFT_EOF },
	{ "begins at the end", begins_at_eof, ND_LEFT_EOF },
	{ "empty file", empty_file, ND_LEFT_EOF },
	{ "block ends with the file", block_end_at_eof, ND_DIRECT },
	{ "block ends beyond the file", beyond_block_end, ND_LEFT_EOF },
	{ "far", far, ND_DIRECT },
	{ "largest file", largest_file, ND_DIRECT },
	{ "beyond all files", beyond_all, ND_LEFT_EOF },
	{ "negative", negative, ND_LEFT_EOF },
	{ "longest", longest, ND_DIRECT },
	{ "too long", too_long, ND_LEFT_LARGE },
	{ "aligned, which may be direct", aligned_too, ND_DIRECT },
	{ "misaligned, where aligned may be", misaligned_too, ND_DIRECT },
	{ "aligned, at the end", aligned_too_at_eof, ND_LEFT_EOF },
	{ "aligned and nfsd's own", aligned_and_io_cache, ND_LEFT_IO_CACHE_WRITE },
	{ "aligned and other file system", aligned_and_other_fs, ND_LEFT_ALIGNED },
	{ "other file system and no direct I/O", other_fs_and_no_direct, ND_LEFT_FS },
	{ "no direct I/O and off the sector", no_direct_and_off_sector, ND_LEFT_NO_DIRECT },
	{ "off the sector and at the end", off_sector_and_eof, ND_LEFT_SECTOR },
};

static void case_desc(const struct judge_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(judge, cases, case_desc);

static void judged(struct kunit *test)
{
	const struct judge_case *c = test->param_value;
	struct nd_write write = misaligned();

	c->change(&write);
	KUNIT_EXPECT_EQ(test, nd_judge_request(&write), c->verdict);
}

/* The partial blocks of a write, with blocks of 4 KiB. */
struct ends {
	loff_t pos;
	size_t len;
	loff_t head;
	loff_t tail;
};

static const struct ends ends[] = {
	{ 4096, 4096, ND_NO_POS, ND_NO_POS },
	{ 512, 4096, 0, 4096 },
	{ 0, 512, ND_NO_POS, 0 },
	{ 512, 3584, 0, ND_NO_POS },
	{ 512, 512, 0, ND_NO_POS },
	{ 3584, 1024, 0, 4096 },
	{ 8192, 4608, ND_NO_POS, 12288 },
	{ 8704, 65536, 8192, 73728 },
	{ (1LL << 43) + 512, 4096, 1LL << 43, (1LL << 43) + 4096 },
};

static void ends_desc(const struct ends *e, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%zu at %lld", e->len, e->pos);
}

KUNIT_ARRAY_PARAM(ends, ends, ends_desc);

static void partial_blocks(struct kunit *test)
{
	const struct ends *e = test->param_value;
	struct nd_write write = misaligned();
	loff_t head, tail;

	write.pos = e->pos;
	write.len = e->len;
	nd_partial_blocks(&write, &head, &tail);
	KUNIT_EXPECT_EQ(test, head, e->head);
	KUNIT_EXPECT_EQ(test, tail, e->tail);
}

/* Every pair of blocks, against the rule written another way. */
static void blocks(struct kunit *test)
{
	unsigned int head, tail;

	for (head = ND_NO_BLOCK; head <= ND_BLOCK_ON_DISK; head++) {
		for (tail = ND_NO_BLOCK; tail <= ND_BLOCK_ON_DISK; tail++) {
			bool hole = head == ND_BLOCK_HOLE || tail == ND_BLOCK_HOLE;
			bool read = head == ND_BLOCK_ON_DISK || tail == ND_BLOCK_ON_DISK;

			KUNIT_EXPECT_EQ(test, nd_judge_blocks(ND_UNCACHED, false, head, tail),
					hole ? ND_LEFT_HOLE : read ? ND_DIRECT : ND_LEFT_CACHED);
			KUNIT_EXPECT_EQ(test, nd_judge_blocks(ND_UNCACHED, true, head, tail),
					hole ? ND_LEFT_HOLE :
					read ? ND_PREFETCHED : ND_LEFT_CACHED);
			KUNIT_EXPECT_EQ(test, nd_judge_blocks(ND_AUTO, false, head, tail),
					nd_judge_blocks(ND_UNCACHED, false, head, tail));
			KUNIT_EXPECT_EQ(test, nd_judge_blocks(ND_UNALIGNED, false, head, tail),
					hole ? ND_LEFT_HOLE : ND_DIRECT);
			KUNIT_EXPECT_EQ(test, nd_judge_blocks(ND_UNALIGNED, true, head, tail),
					hole ? ND_LEFT_HOLE : ND_DIRECT);
		}
	}
}

static void latency(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(0), 0);
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(63), 0);
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(64), 1);
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(127), 1);
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(128), 2);
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(5000), 7);
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(2097151), ND_NR_BUCKETS - 2);
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(2097152), ND_NR_BUCKETS - 1);
	KUNIT_EXPECT_EQ(test, nd_latency_bucket(U64_MAX), ND_NR_BUCKETS - 1);
}

static struct kunit_case verdict_cases[] = {
	KUNIT_CASE_PARAM(judged, judge_gen_params),
	KUNIT_CASE_PARAM(partial_blocks, ends_gen_params),
	KUNIT_CASE(blocks),
	KUNIT_CASE(latency),
	{}
};

static struct kunit_suite verdict_suite = {
	.name = "nfsd_dio_verdict",
	.test_cases = verdict_cases,
};

kunit_test_suite(verdict_suite);

MODULE_LICENSE("GPL");
