/* SPDX-License-Identifier: GPL-2.0-only */
/* What predict.c and learn.c share: the measure of trust, and the kinds of writes. */
#ifndef RAID5_DEADLINE_TRUST_H
#define RAID5_DEADLINE_TRUST_H

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "stripe.h"

/* Kinds of writes, by length: one stripe, two or three, and so on, up to 256 and more. */
#define R5D_KINDS	9

#define TRUST_MAX	65535U
/* Holding pays if half of the writes are filled. */
#define TRUST_ENOUGH	(TRUST_MAX / 2)
/* Before anything is learned: one write that would have been filled is enough. */
#define TRUST_FIRST	(TRUST_ENOUGH - 1)
/* Stripes in which a stream that was tried in vain is not tried again; doubled each time. */
#define BACKOFF_FIRST	8192U
/* A write may be so far from where its stream ends: writes are not always in order. */
#define REACH_SECTORS	64U
#define REACH_WRITES	8U
/* A wait in vain for as long as raid456 takes for a partial stripe weighs so many fills. */
#define WAIT_WEIGHT	8U
/* A wait counts for nothing if the stream has filled so many times its weight since the last. */
#define WAIT_CREDIT	4U

/**
 * struct r5d_write - a write, as its writer made it
 * @start: first sector in the array
 * @sectors: length
 * @rest: sectors of the array from a stripe's first chunk to its last: data disks less one, in
 *	chunks
 * @data_disks: number of data disks
 */
struct r5d_write {
	u64 start;
	u32 sectors;
	u32 rest;
	u32 data_disks;
};

/* Stripes of a write: those that it writes in part, too. */
static inline u32 r5d_span_of(const struct r5d_write *w)
{
	return ((u32)(w->start % R5D_STRIPE_SECTORS) + w->sectors + R5D_STRIPE_SECTORS - 1) /
	       R5D_STRIPE_SECTORS;
}

static inline int r5d_kind_of(const struct r5d_write *w)
{
	return min(ilog2(max(r5d_span_of(w), 1U)), R5D_KINDS - 1);
}

#endif
