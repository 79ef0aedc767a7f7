/* SPDX-License-Identifier: GPL-2.0-only */
/* Where misses were lately, to tell at once that a miss belongs to no stream. Pure. */
#ifndef CTXRA_RECENT_H
#define CTXRA_RECENT_H

#include <linux/types.h>

#define CTXRA_RECENT_BITS	15

/**
 * struct ctxra_recent - places of misses, a signature for each
 * @signs: hashes of places; a place has one slot, and replaces what another put there
 */
struct ctxra_recent {
	u32 signs[1 << CTXRA_RECENT_BITS];
};

bool ctxra_recent_touch(struct ctxra_recent *recent, const void *mapping, unsigned long index,
			unsigned long nr);

#endif
