/* SPDX-License-Identifier: GPL-2.0-only */
/* How large the windows on a disk should be, from what its reads achieve. Pure. */
#ifndef CTXRA_DISK_H
#define CTXRA_DISK_H

#include "disk_state.h"

/* What came of a sample. */
enum ctxra_disk_outcome {
	CTXRA_DISK_NOTHING,	/* no change, nothing to tell */
	CTXRA_DISK_GREW,	/* windows were made larger */
	CTXRA_DISK_ALONE,	/* back to the device's window: one stream is left, or none */
	CTXRA_DISK_NO_GAIN,	/* one step back: larger windows were hardly faster */
	CTXRA_DISK_NO_SEEKS,	/* back: faster than one stream alone, so seeks are not the limit */
	CTXRA_DISK_OTHERS,	/* much of the disk's work is not these streams' */
	CTXRA_DISK_MEMORY,	/* memory is too short for larger windows */
	CTXRA_DISK_UNKNOWN,	/* no stream was alone so far */
	CTXRA_DISK_NR_OUTCOMES,
};

void ctxra_disk_init(struct ctxra_disk *d, unsigned long base, u32 now);
unsigned long ctxra_disk_add_window(struct ctxra_disk *d, const struct ctxra_disk_window *win,
				    u32 now);
bool ctxra_disk_sample_due(const struct ctxra_disk *d, u32 now);
enum ctxra_disk_outcome ctxra_disk_sample(struct ctxra_disk *d, const struct ctxra_disk_stat *stat,
					  unsigned long available, u32 now);

#endif
