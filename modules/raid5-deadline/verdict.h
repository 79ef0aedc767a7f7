/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a stripe that was just released is to wait for the rest of itself. Pure. */
#ifndef RAID5_DEADLINE_VERDICT_H
#define RAID5_DEADLINE_VERDICT_H

#include <linux/types.h>

/**
 * enum r5d_verdict - what becomes of a released stripe
 * @R5D_HOLD: it may wait; whether that pays is asked of the predictor
 * @R5D_IDLE: nothing is to be done for it
 * @R5D_HANDLED: work on it has begun, or a read waits for it
 * @R5D_PASSED_FULL: it needs no pre-read
 * @R5D_LEFT_OFF: the deadline is 0
 * @R5D_LEFT_JOURNAL: the array has a journal or a partial parity log
 * @R5D_LEFT_DEGRADED: a disk is missing or being rebuilt
 * @R5D_LEFT_RESHAPE: the array is being reshaped
 * @R5D_LEFT_SYNC: the stripe is to be checked, rebuilt, moved or discarded
 * @R5D_LEFT_DRAIN: the array is being quiesced, suspended or stopped
 * @R5D_LEFT_OVERLAP: another writer waits for this very stripe
 * @R5D_LEFT_URGENT: FUA, priority or swap
 * @R5D_LEFT_RECLAIM: the writer is freeing memory
 * @R5D_LEFT_PRESSURE: too few stripes are free
 */
enum r5d_verdict {
	R5D_HOLD,
	R5D_IDLE,
	R5D_HANDLED,
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
	R5D_NR_VERDICTS,
};

/**
 * struct r5d_stripe_state - the stripe
 * @handle: the array's thread is to look at it
 * @fresh: nothing of it was read, written or cached since it was last set up
 * @batched: part of a batch of full stripes
 * @special: of resync, check, reshape or discard
 * @overlap: somebody waits for it
 * @urgent: one of its writes is FUA, of priority, or swap
 * @written: data disks with any write, a bit for each
 * @overwritten: data disks whose page is written as a whole
 * @data_disks: how many there are
 */
struct r5d_stripe_state {
	bool handle;
	bool fresh;
	bool batched;
	bool special;
	bool overlap;
	bool urgent;
	u64 written;
	int overwritten;
	int data_disks;
};

/**
 * struct r5d_array_conditions - the array
 * @off: its deadline is 0
 * @journal: it has a journal or PPL
 * @degraded: a disk is not there or not in sync
 * @reshaping: a reshape is under way
 * @draining: quiesced, suspended, or about to be
 * @reclaim: the current task is freeing memory
 * @blocked: a writer sleeps for want of stripes
 * @held: stripes that wait already
 * @active: stripes in use, those included
 * @max: stripes that there are
 */
struct r5d_array_conditions {
	bool off;
	bool journal;
	bool degraded;
	bool reshaping;
	bool draining;
	bool reclaim;
	bool blocked;
	int held;
	int active;
	int max;
};

enum r5d_verdict r5d_judge(const struct r5d_stripe_state *sh, const struct r5d_array_conditions *array);
int r5d_cache_stripes(int chunk_sectors, int disks, unsigned int cache_mb);

#endif
