// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/sched.h>

#include "inspect.h"
#include "params.h"
#include "raid456.h"

#define SPECIAL_STATES							\
	(BIT(RAID456_STRIPE_SYNC_REQUESTED) | BIT(RAID456_STRIPE_SYNCING) |	\
	 BIT(RAID456_STRIPE_EXPANDING) | BIT(RAID456_STRIPE_EXPAND_SOURCE) |	\
	 BIT(RAID456_STRIPE_EXPAND_READY) | BIT(RAID456_STRIPE_DISCARD) |	\
	 BIT(RAID456_STRIPE_BATCH_ERR) | BIT(RAID456_STRIPE_ACTIVE) |	\
	 BIT(RAID456_STRIPE_DELAYED))

/*
 * REQ_META for the logs of file systems: each commit waits for its log writes, and nothing follows
 * that would fill their stripes. Not REQ_PREFLUSH: md does the flush apart from the data, and
 * clears the flag.
 */
#define URGENT_OPF	(REQ_META | REQ_FUA | REQ_PRIO | REQ_SWAP)

/* The deadline that applies to an array: ms or R5D_AUTO. */
unsigned int r5d_deadline_setting(const struct r5d_array *array)
{
	unsigned int own = READ_ONCE(array->setting);

	if (!READ_ONCE(array->selected))
		return 0;
	return own == R5D_DEFAULT ? READ_ONCE(r5d_deadline.value) : own;
}

/* How long a stripe of an array may be held now, on trial or not, in ns; 0: no stripe is held. */
u64 r5d_deadline_ns(const struct r5d_array *array, bool trial)
{
	unsigned int ms = r5d_deadline_setting(array);

	return ms == R5D_AUTO ? r5d_auto_deadline(&array->predictor.times, trial) :
				ms * NSEC_PER_MSEC;
}

/* Must all held stripes be released, because md or we are stopping the array? */
bool r5d_is_draining(const struct r5d_array *array)
{
	lockdep_assert_held(r456_device_lock(array->conf));
	return r5d_state(array) >= R5D_CLOSING || r456_conf_quiescing(array->conf) ||
	       r456_mddev_suspended(r456_conf_mddev(array->conf));
}

/**
 * r5d_inspect_stripe - read a stripe's flags and counts
 * @conf: its array
 * @sh: the stripe
 * @state: set, except for what r5d_inspect_writes() sets
 *
 * Context: the array's device_lock is held.
 */
void r5d_inspect_stripe(struct r5conf *conf, struct stripe_head *sh,
			struct r5d_stripe_state *state)
{
	unsigned long flags = READ_ONCE(*r456_sh_state(sh));

	*state = (struct r5d_stripe_state) {
		.handle = flags & BIT(RAID456_STRIPE_HANDLE),
		.fresh = flags & BIT(RAID456_STRIPE_BATCH_READY),
		.special = flags & SPECIAL_STATES,
		.full_write = flags & BIT(RAID456_STRIPE_FULL_WRITE),
		.batched = r456_sh_batched(sh),
		.overwritten = r456_sh_overwritten(sh),
		.data_disks = r456_sh_disks(sh) - r456_conf_max_degraded(conf),
	};
}

/**
 * r5d_inspect_writes - read each write to a stripe
 * @conf: its array
 * @sh: the stripe, without references
 * @state: &r5d_stripe_state.written, .overlap and .urgent are set
 * @longest: set to the longest write
 *
 * Context: the array's device_lock is held.
 */
void r5d_inspect_writes(struct r5conf *conf, struct stripe_head *sh,
			struct r5d_stripe_state *state, struct r5d_write *longest)
{
	int i;

	*longest = (struct r5d_write) {
		.rest = (state->data_disks - 1) * r456_conf_chunk_sectors(conf),
		.data_disks = state->data_disks,
	};
	for (i = r456_sh_disks(sh); i-- > 0;) {
		char *dev = r456_sh_dev(sh, i);
		sector_t end = r456_dev_sector(dev) + R5D_STRIPE_SECTORS;
		struct bio *bio;

		if (r456_dev_overlap(dev))
			state->overlap = true;
		bio = r456_sh_is_parity(sh, i) ? NULL : r456_dev_towrite(dev);
		if (bio)
			state->written |= BIT_ULL(i);
		while (bio) {
			if (bio->bi_opf & URGENT_OPF)
				state->urgent = true;
			if (bio_sectors(bio) > longest->sectors) {
				longest->start = bio->bi_iter.bi_sector;
				longest->sectors = bio_sectors(bio);
			}
			/* The bi_next of a bio that extends beyond this page is the next page's. */
			bio = bio_end_sector(bio) < end ? bio->bi_next : NULL;
		}
	}
}

/* Read what decides whether an array's stripes may be held. device_lock is held. */
void r5d_inspect_array(const struct r5d_array *array, struct r5d_array_conditions *conditions)
{
	struct r5conf *conf = array->conf;

	*conditions = (struct r5d_array_conditions) {
		.off = !r5d_deadline_setting(array),
		.journal = r456_conf_journalled(conf),
		.degraded = r456_mddev_degraded(r456_conf_mddev(conf)),
		.reshaping = r456_conf_reshaping(conf),
		.draining = r5d_is_draining(array),
		.reclaim = current->flags & PF_MEMALLOC,
		.held = array->stripes.nr_held,
		.max = r456_conf_max_stripes(conf),
	};
}
