// SPDX-License-Identifier: GPL-2.0-only
#include "stripe.h"
#include "verdict.h"

/* Memory of a stripe: a page of each disk, its stripe_head, and a part of that for each disk. */
#define PAGE_BYTES	4096
#define HEAD_BYTES	512
#define DEV_BYTES	400
/* Rows of chunks that may be held: two that fill, and those of a burst of write-back. */
#define CACHE_ROWS	8
/* The most that raid5_set_cache_size() takes. */
#define MAX_STRIPES	32768

/**
 * r5d_judge - decide whether a released stripe may be held, before its writes are read
 * @sh: the stripe, without what r5d_inspect_writes() sets
 * @array: its array
 *
 * The first reason that applies wins, and is the one that is counted. A full stripe is
 * %R5D_PASSED_FULL even if the module is off for the array.
 *
 * Return: %R5D_HOLD, or why not.
 */
enum r5d_verdict r5d_judge(const struct r5d_stripe_state *sh,
			   const struct r5d_array_conditions *array)
{
	if (!sh->handle)
		return R5D_IDLE;
	if (sh->special)
		return R5D_LEFT_SYNC;
	if (!sh->fresh)
		return R5D_HANDLED;
	if (sh->batched || sh->overwritten >= sh->data_disks)
		return R5D_PASSED_FULL;
	if (array->off)
		return R5D_LEFT_OFF;
	if (array->journal)
		return R5D_LEFT_JOURNAL;
	if (array->reshaping)
		return R5D_LEFT_RESHAPE;
	if (array->degraded)
		return R5D_LEFT_DEGRADED;
	if (array->draining)
		return R5D_LEFT_DRAIN;
	if (array->reclaim)
		return R5D_LEFT_RECLAIM;
	return R5D_HOLD;
}

/**
 * r5d_judge_writes - decide the same, by the stripe's writes
 * @sh: the stripe, for which r5d_judge() returned %R5D_HOLD
 * @array: its array
 *
 * No more than half of the stripes are held. That alone lets writers go on that wait for a free
 * stripe: what is not held ends by itself, and raid456 wakes them when a quarter is free. (That
 * the free ones may be of other stripe hash groups is for the timer to see.)
 *
 * Return: %R5D_HOLD, or why not.
 */
enum r5d_verdict r5d_judge_writes(const struct r5d_stripe_state *sh,
				  const struct r5d_array_conditions *array)
{
	if (!sh->written)
		return R5D_HANDLED;
	if (sh->overlap)
		return R5D_LEFT_OVERLAP;
	if (sh->urgent)
		return R5D_LEFT_URGENT;
	if (array->held >= array->max / 2)
		return R5D_LEFT_PRESSURE;
	return R5D_HOLD;
}

/*
 * May it be a partial stripe that raid456 has begun to write? @sh as for r5d_judge(). A cached
 * stripe with new work looks the same.
 */
bool r5d_may_be_begun(const struct r5d_stripe_state *sh)
{
	return sh->handle && !sh->special && !sh->fresh && !sh->batched && !sh->full_write;
}

/* The memory that a stripe of an array takes. */
unsigned int r5d_stripe_bytes(int disks)
{
	return HEAD_BYTES + (unsigned int)disks * (PAGE_BYTES + DEV_BYTES);
}

/**
 * r5d_cache_stripes - how many stripes an array of this geometry should have
 * @chunk_sectors: sectors of a chunk
 * @disks: disks, parity included
 * @cache_mb: MiB that they may take
 *
 * A stripe is a page of each disk, so a row of chunks has chunk / 4 KiB stripes. A writer goes
 * through a row disk by disk: all stripes of the row are held until it reaches the last disk.
 *
 * The number is odd, because users set even ones: so a size that is set while the cache is raised
 * is not taken for the module's own.
 *
 * Return: stripes. A larger cache stays as it is.
 */
int r5d_cache_stripes(int chunk_sectors, int disks, unsigned int cache_mb)
{
	/* Half of them may be held. */
	u64 want = 2ULL * CACHE_ROWS * (chunk_sectors / R5D_STRIPE_SECTORS);
	u64 bound = ((u64)cache_mb << 20) / r5d_stripe_bytes(disks);

	if (want > bound)
		want = bound;
	if (want > MAX_STRIPES)
		want = MAX_STRIPES;
	return want ? (want - 1) | 1 : 0;
}

/**
 * r5d_cache_within - how many stripes an array may have beside the caches of other arrays
 * @before: stripes that it had before the module raised its cache
 * @want: stripes that it should have
 * @disks: disks, parity included
 * @all: bytes that the module may add to the caches of all arrays
 * @taken: bytes of that which other arrays have
 *
 * Return: @want or fewer stripes, odd like @want if the memory is the bound.
 */
int r5d_cache_within(int before, int want, int disks, u64 all, u64 taken)
{
	u64 more = all > taken ? (all - taken) / r5d_stripe_bytes(disks) : 0;

	if (want <= before || (u64)(want - before) <= more)
		return want;
	return more ? (before + (int)more - 1) | 1 : before;
}
