// SPDX-License-Identifier: GPL-2.0-only
/* The windows of nfs-ra in the files of a mount, of which each is read from its start. */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "sim/simmount.h"

KUNIT_ARRAY_PARAM(way, sim_ways, sim_way_desc);

#define MOUNT_FILES	40

/* Files of a mount, read one after the other from their start. */
struct mount_files {
	unsigned long pages[MOUNT_FILES];
	unsigned long read[MOUNT_FILES];
};

/* Sizes of 1 to 64 MiB, about as many of each octave; all are read whole. */
static void fill_files(struct mount_files *files, struct rnd_state *rnd)
{
	unsigned int i;

	for (i = 0; i < MOUNT_FILES; i++) {
		unsigned long octave = 256UL << (prandom_u32_state(rnd) % 6);

		files->pages[i] = octave + prandom_u32_state(rnd) % octave;
		files->read[i] = files->pages[i];
	}
}

struct cost {
	unsigned long read;
	unsigned long ios;
};

static void read_files(struct simmount *r, const struct sim_way *way, bool grows,
		       const struct mount_files *files, unsigned long block, struct cost *cost)
{
	unsigned int i;

	sim_reopen(r, way, grows);
	for (i = 0; i < MOUNT_FILES; i++) {
		sim_open_next(r, way, grows, files->pages[i]);
		sim_read_piece(r, 0, files->read[i], block);
		cost->read += r->cache.read;
		cost->ios += r->cache.ios;
	}
}

#define FILE_SEEDS	20

static const unsigned long blocks[] = { 1, 16, 32 };

/*
 * Of files that are left after their head, hardly more is fetched than without the module, in no
 * more I/Os. The gauntlet's mounts/heads has twelve of 4 MiB, and 512 KiB of each are read.
 */
static void left_after_heads(struct kunit *test)
{
	struct mount_files *files = kunit_kzalloc(test, sizeof(*files), GFP_KERNEL);
	struct simmount *r = simmount_alloc(test);
	unsigned int seed, i, grows;
	unsigned long head;

	KUNIT_ASSERT_NOT_NULL(test, files);
	for (head = 16; head <= 1024; head *= 2) {
		struct cost cost[2] = {};

		for (seed = 1; seed <= FILE_SEEDS; seed++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, seed);
			fill_files(files, &rnd);
			for (i = 0; i < MOUNT_FILES; i++)
				files->read[i] = min(head, files->pages[i]);
			for (grows = 0; grows < 2; grows++)
				read_files(r, way_of(test), grows, files, blocks[seed % 3],
					   &cost[grows]);
		}
		kunit_info(test, "heads of %lu pages: %lu of %lu pages, %lu of %lu I/Os\n", head,
			   cost[1].read, cost[0].read, cost[1].ios, cost[0].ios);
		KUNIT_EXPECT_LE_MSG(test, cost[1].read, cost[0].read + cost[0].read / 6,
				    "heads of %lu", head);
		KUNIT_EXPECT_LE_MSG(test, cost[1].ios, cost[0].ios + cost[0].ios / 50,
				    "heads of %lu", head);
	}
}

/* Heads of one length, of files of 128 MiB: ffprobe reads 5 MB, which is 1221 pages. */
static void heads_of_one_length(struct kunit *test)
{
	static const unsigned long heads[] = { 100, 325, 339, 500, 824, 1221, 1520, 2048, 3072,
					       4096 };
	struct simmount *r = simmount_alloc(test);
	unsigned int i, file, grows;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		unsigned long read[2] = {};

		for (grows = 0; grows < 2; grows++) {
			sim_reopen(r, way_of(test), grows);
			for (file = 0; file < MOUNT_FILES; file++) {
				sim_open_next(r, way_of(test), grows, FILE_PAGES);
				sim_read_piece(r, 0, heads[i], 8);
				read[grows] += r->cache.read;
			}
		}
		KUNIT_EXPECT_LE_MSG(test, read[1], read[0] * 7 / 5, "heads of %lu", heads[i]);
	}
}

/*
 * Heads of 1 to 12 reads of more than the mount's readahead. A window that has grown to a READ by
 * itself does not stay so large for them: they had up to 1.7 times the bytes.
 */
static void heads_by_large_reads(struct kunit *test)
{
	static const unsigned long blocks[] = { 33, 40, 64, 75 };
	struct simmount *r = simmount_alloc(test);
	unsigned int i, seed, grows, file;
	unsigned long read[2];

	for (i = 0; i < ARRAY_SIZE(blocks) * 20; i++) {
		unsigned long block = blocks[i % 4];

		seed = i / 4 + 1;
		for (grows = 0; grows < 2; grows++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, seed);
			sim_reopen(r, way_of(test), grows);
			for (file = read[grows] = 0; file < 40; file++) {
				sim_open_next(r, way_of(test), grows, FILE_PAGES);
				sim_read_piece(r, 0, block * (1 + prandom_u32_state(&rnd) % 12),
					       block);
				read[grows] += r->cache.read;
			}
		}
		KUNIT_EXPECT_LE_MSG(test, read[1], read[0] * 27 / 20, "reads of %lu, seed %u",
				    block, seed);
	}
}

/* Whole files are read in few I/Os, also after heads, and the first of a mount, too. */
static void whole_files(struct kunit *test)
{
	struct mount_files *files = kunit_kzalloc(test, sizeof(*files), GFP_KERNEL);
	struct simmount *r = simmount_alloc(test);
	unsigned int seed, i, grows, left;

	KUNIT_ASSERT_NOT_NULL(test, files);
	/* No heads; twenty before; every second, every fourth file. */
	for (left = 0; left < 4; left++) {
		struct cost cost[2] = {};

		for (seed = 1; seed <= FILE_SEEDS; seed++) {
			struct rnd_state rnd;

			prandom_seed_state(&rnd, seed);
			fill_files(files, &rnd);
			for (i = 0; left && i < MOUNT_FILES; i++)
				if (left == 1 ? i < 20 : i % (2 * left - 2) == 0)
					files->read[i] = 128;
			for (grows = 0; grows < 2; grows++)
				read_files(r, way_of(test), grows, files, BLOCK, &cost[grows]);
		}
		kunit_info(test, "whole, heads %u: %lu of %lu pages, %lu of %lu I/Os\n", left,
			   cost[1].read, cost[0].read, cost[1].ios, cost[0].ios);
		KUNIT_EXPECT_LE_MSG(test, cost[1].read, cost[0].read + cost[0].read / 25,
				    "heads %u", left);
		KUNIT_EXPECT_LE_MSG(test, cost[1].ios, cost[0].ios / 6, "heads %u", left);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(left_after_heads, way_gen_params),
	KUNIT_CASE_PARAM(heads_of_one_length, way_gen_params),
	KUNIT_CASE_PARAM(heads_by_large_reads, way_gen_params),
	KUNIT_CASE_PARAM(whole_files, way_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "nfs_ra_files",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
