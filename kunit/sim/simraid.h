/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated RAID 5 array and its writers, around raid5-deadline's predictor as it is shipped.
 *
 * A partial stripe takes the disks two I/Os, the pre-read and the write, a full one takes them one.
 * The disks answer in parallel, each I/O in a time of its own. A writer makes writes of one length,
 * as many at a time as its depth, and no faster than its rate.
 */
#ifndef SEQKEEP_SIMRAID_H
#define SEQKEEP_SIMRAID_H

#include <kunit/test.h>
#include <linux/prandom.h>

#include "raid5-deadline/predict.h"
#include "raid5-deadline/stripe_table.h"

#define SIMRAID_WRITERS	4
#define SIMRAID_DEPTH	64
/* Latencies are counted by ms. */
#define SIMRAID_MS	128

/**
 * struct simraid_writer - who writes, and what became of it
 * @kib: length of its writes
 * @depth: writes at a time, up to SIMRAID_DEPTH
 * @mb_s: MB/s at most; 0: no limit
 * @random: to random places, otherwise one after the other
 * @meta: metadata, which is never held
 * @burst: makes so many writes, up to @depth at a time, waits until all are done, and begins again,
 *	as before an fsync(); 0: does not wait
 * @jump: begins each burst at a multiple of so many stripes, by chance: a file for each; 0: goes on
 *	where the last one ended
 * @hurries: does not wait at the end of a burst
 * @gaps: leaves out up to so many pieces between two writes, by chance
 * @gap: stripes of such a piece
 * @writes: writes that are done
 * @held: those of which a stripe was held
 * @waited: those of which a stripe was held in vain
 * @ms: their latencies
 */
struct simraid_writer {
	u32 kib;
	u32 depth;
	u32 mb_s;
	bool random;
	bool meta;
	u32 burst;
	u32 jump;
	bool hurries;
	u32 gaps;
	u32 gap;
	u32 writes;
	u32 held;
	u32 waited;
	u32 ms[SIMRAID_MS];
	/* The rest is the simulation's own. */
	u64 next;
	u64 budget;
	u32 in_flight;
	u32 made;
	bool waits;
	struct simraid_write {
		u64 begun;
		u64 start;
		u32 left;
		bool used;
		bool was_held;
		bool has_waited;
	} pool[SIMRAID_DEPTH];
};

/**
 * struct simraid - the array
 * @data_disks: up to 8; simraid_create() sets 2
 * @chunk: stripes of a chunk
 * @disk_us: how long a disk takes for an I/O
 * @stock: nothing is held
 * @writers: see there; one with a depth of 0 is not there
 * @pre_reads: stripes that were read for
 * @full: stripes that were not
 */
struct simraid {
	u32 data_disks;
	u32 chunk;
	u32 disk_us;
	bool stock;
	struct simraid_writer writers[SIMRAID_WRITERS];
	u64 pre_reads;
	u64 full;
	/* The rest is the simulation's own. */
	struct r5d_predictor predictor;
	struct r5d_stripe_table table;
	struct simraid_stripe *stripes;
	struct hlist_head *due;
	struct rnd_state rnd;
	u64 now;
	u64 allocated;
};

struct simraid *simraid_create(struct kunit *test, u32 disk_us, u32 chunk_kib, u32 seed);
void simraid_run(struct kunit *test, struct simraid *array, u32 ms);
u32 simraid_percentile_ms(const struct simraid_writer *writer, u32 percent);

#endif
