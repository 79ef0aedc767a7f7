/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters by the device that the file system is on. */
#ifndef NFSD_DIO_DEVICE_STATS_H
#define NFSD_DIO_DEVICE_STATS_H

#include <linux/types.h>

struct seq_file;

/* So many devices have a row of their own. */
#define ND_DEVICES	64

/**
 * enum nd_device_counter - the columns
 * @ND_D_DIRECT: writes served by direct I/O
 * @ND_D_BYTES: their bytes
 * @ND_D_LEFT: writes left to the stock code at once or after a prefetch
 * @ND_D_FALLBACK: writes left to the stock code after a direct attempt
 */
enum nd_device_counter {
	ND_D_DIRECT,
	ND_D_BYTES,
	ND_D_LEFT,
	ND_D_FALLBACK,
	ND_D_NR,
};

unsigned int nd_device_index(dev_t dev);
dev_t nd_device_at(unsigned int index);
void nd_device_stats_add(dev_t dev, enum nd_device_counter counter, u64 n);
int nd_device_stats_show(struct seq_file *m, void *unused);

#endif
