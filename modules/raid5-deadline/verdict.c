// SPDX-License-Identifier: GPL-2.0-only
#include "verdict.h"

/* A page, and what a stripe costs beside its pages: its head, and something for each disk. */
#define PAGE_SECTORS	8
#define PAGE_BYTES	4096
#define HEAD_BYTES	512
#define DEV_BYTES	400
/* Rows of chunks that may wait: two that fill, and what a burst of write-back brings at once. */
#define CACHE_ROWS	8
/* What raid5_set_cache_size() takes at most. */
#define MAX_STRIPES	32768

/*
 * No more than half of the stripes wait, and none is added when three quarters
 * are in use: a writer that sleeps for stripes is woken when a quarter is free,
 * so that those under way must suffice for it.
 */
static bool short_of_stripes(const struct r5d_array_conditions *array)
{
	return array->blocked || array->held >= array->max / 2 ||
	       array->active > array->max - array->max / 4;
}

/**
 * r5d_judge - whether a released stripe may wait
 * @sh: the stripe
 * @array: its array
 *
 * Asked in the order of what the stock code would do with it first, so that the
 * counters say the true reason.
 *
 * Return: %R5D_HOLD, or why not.
 */
enum r5d_verdict r5d_judge(const struct r5d_stripe_state *sh, const struct r5d_array_conditions *array)
{
	if (!sh->handle)
		return R5D_IDLE;
	if (sh->special)
		return R5D_LEFT_SYNC;
	if (!sh->fresh)
		return R5D_HANDLED;
	if (sh->batched || sh->overwritten >= sh->data_disks)
		return R5D_PASSED_FULL;
	if (!sh->written)
		return R5D_HANDLED;
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
	if (sh->overlap)
		return R5D_LEFT_OVERLAP;
	if (sh->urgent)
		return R5D_LEFT_URGENT;
	if (array->reclaim)
		return R5D_LEFT_RECLAIM;
	if (short_of_stripes(array))
		return R5D_LEFT_PRESSURE;
	return R5D_HOLD;
}

/**
 * r5d_cache_stripes - how many stripes an array of this geometry should have
 * @chunk_sectors: sectors of a chunk
 * @disks: disks, parity included
 * @cache_mb: MiB that they may take
 *
 * A stripe is a page of each disk, so a row of chunks is chunk / 4 KiB stripes,
 * and a writer goes through a row disk by disk: all of its stripes wait until it
 * comes to the last disk.
 *
 * Return: stripes, to be raised to only.
 */
int r5d_cache_stripes(int chunk_sectors, int disks, unsigned int cache_mb)
{
	u64 bytes = HEAD_BYTES + (u64)disks * (PAGE_BYTES + DEV_BYTES);
	/* Half of them may wait. */
	u64 want = 2ULL * CACHE_ROWS * (chunk_sectors / PAGE_SECTORS);
	u64 bound = ((u64)cache_mb << 20) / (unsigned int)bytes;

	if (want > bound)
		want = bound;
	return want > MAX_STRIPES ? MAX_STRIPES : want;
}
