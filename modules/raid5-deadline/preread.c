// SPDX-License-Identifier: GPL-2.0-only
/*
 * raid456 reads for a partial stripe either the old data and parity, to change the parity by what
 * changes (read-modify-write), or the data that are not written, to compute it anew
 * (reconstruct-write). It releases the stripe when these reads have ended, and then computes. A
 * stripe that was fresh before had no page with data, so what has one at that release was read.
 */
#include "hold.h"
#include "preread.h"
#include "raid456.h"
#include "stripe.h"

/**
 * r5d_count_preread - count what was read for a stripe, once
 * @array: the array
 * @stripe: an entry with &r5d_stripe.unread, of a stripe without references on which work has begun
 *
 * The stripe may also be delayed, before its reads. That is not counted yet. Nor is anything if it
 * has been written without a read: its writes are no longer to do then.
 *
 * Context: the array's device_lock is held.
 * Return: true if something was counted, and what was read has just come.
 */
bool r5d_count_preread(struct r5d_array *array, struct r5d_stripe *stripe)
{
	struct stripe_head *sh = stripe->sh;
	bool to_write = false, parity = false;
	unsigned int pages = 0;
	int i;

	for (i = r456_sh_disks(sh); i-- > 0;) {
		char *dev = r456_sh_dev(sh, i);

		if (r456_dev_towrite(dev))
			to_write = true;
		if (!r456_dev_uptodate(dev))
			continue;
		pages++;
		if (r456_sh_is_parity(sh, i))
			parity = true;
	}
	stripe->unread = to_write && !pages;
	if (!to_write || !pages)
		return false;
	r5d_count(array, parity ? R5D_C_WRITTEN_RMW : R5D_C_WRITTEN_RCW);
	r5d_add(array, R5D_C_PRE_READ_SECTORS, pages * R5D_STRIPE_SECTORS);
	return true;
}
