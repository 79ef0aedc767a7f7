/* SPDX-License-Identifier: GPL-2.0-only */
/* May a released stripe be held until the rest of it is written? Pure. */
#ifndef RAID5_DEADLINE_VERDICT_H
#define RAID5_DEADLINE_VERDICT_H

#include <linux/types.h>

/**
 * enum r5d_verdict - what becomes of a released stripe
 * @R5D_PASSED_FULL: it needs no pre-read
 * @R5D_LEFT_OFF: the deadline is 0
 * @R5D_LEFT_JOURNAL: the array has a journal or a partial parity log
 * @R5D_LEFT_DEGRADED: a disk is missing or being rebuilt
 * @R5D_LEFT_RESHAPE: the array is being reshaped
 * @R5D_LEFT_SYNC: the stripe is being checked, rebuilt, moved or discarded
 * @R5D_LEFT_DRAIN: the array is being quiesced, suspended or stopped
 * @R5D_LEFT_OVERLAP: another writer waits for this stripe
 * @R5D_LEFT_URGENT: it has a write of metadata, or a FUA, priority or swap write
 * @R5D_LEFT_RECLAIM: the task that released it is freeing memory
 * @R5D_LEFT_PRESSURE: half of the stripes are held
 * @R5D_NR_COUNTED: the verdicts above are counted, by their own numbers
 * @R5D_HOLD: it may be held; the predictor says whether that pays
 * @R5D_IDLE: it has no work to do
 * @R5D_HANDLED: work on it has begun, or a read waits for it
 */
enum r5d_verdict {
	R5D_PASSED_FULL,
	R5D_LEFT_OFF,
	R5D_LEFT_JOURNAL,
	R5D_LEFT_DEGRADED,
	R5D_LEFT_RESHAPE,
	R5D_LEFT_SYNC,
	R5D_LEFT_DRAIN,
	R5D_LEFT_OVERLAP,
	R5D_LEFT_URGENT,
	R5D_LEFT_RECLAIM,
	R5D_LEFT_PRESSURE,
	R5D_NR_COUNTED,
	R5D_HOLD,
	R5D_IDLE,
	R5D_HANDLED,
};

/**
 * struct r5d_stripe_state - a stripe at its release
 * @handle: STRIPE_HANDLE, it has work to do
 * @fresh: STRIPE_BATCH_READY, nothing of it was read, written or cached since init_stripe()
 * @batched: it is part of a batch of full stripes
 * @full_write: STRIPE_FULL_WRITE, all of its data is being written
 * @special: it is used by resync, check, reshape or discard
 * @overlap: another writer waits for it
 * @urgent: it has a write of metadata, or a FUA, priority or swap write
 * @written: data disks with any write, a bit for each
 * @overwritten: number of data disks whose page is written as a whole
 * @data_disks: number of data disks
 */
struct r5d_stripe_state {
	bool handle;
	bool fresh;
	bool batched;
	bool full_write;
	bool special;
	bool overlap;
	bool urgent;
	u64 written;
	int overwritten;
	int data_disks;
};

/**
 * struct r5d_array_conditions - an array when a stripe is released
 * @off: its deadline is 0
 * @journal: it has a journal or PPL
 * @degraded: a disk is missing or not in sync
 * @reshaping: it is being reshaped
 * @draining: it is quiesced or suspended, or about to be
 * @reclaim: the current task is freeing memory
 * @held: stripes that are held
 * @max: stripes in the cache
 */
struct r5d_array_conditions {
	bool off;
	bool journal;
	bool degraded;
	bool reshaping;
	bool draining;
	bool reclaim;
	int held;
	int max;
};

enum r5d_verdict r5d_judge(const struct r5d_stripe_state *sh,
			   const struct r5d_array_conditions *array);
enum r5d_verdict r5d_judge_writes(const struct r5d_stripe_state *sh,
				  const struct r5d_array_conditions *array);
bool r5d_may_be_begun(const struct r5d_stripe_state *sh);
unsigned int r5d_stripe_bytes(int disks);
int r5d_cache_stripes(int chunk_sectors, int disks, unsigned int cache_mb);
int r5d_cache_within(int before, int want, int disks, u64 all, u64 taken);

#endif
