/* SPDX-License-Identifier: GPL-2.0-only */
/* Remembers where some direct writes went, to see if their blocks are read soon after. Pure. */
#ifndef NFSD_DIO_READ_BACK_H
#define NFSD_DIO_READ_BACK_H

#include <linux/time64.h>
#include <linux/types.h>

struct inode;

/* The block of a write is inspected when the write is so old, at least. */
#define ND_READ_BACK_AGE_NS		NSEC_PER_SEC
/* One write in so long is remembered, for NR times as long: its file may have few writes. */
#define ND_READ_BACK_INTERVAL_NS	(NSEC_PER_SEC / 8)
#define ND_READ_BACK_NR			32

/**
 * struct nd_written - a direct write
 * @inode: its file, NULL if there is none; only compared, because the file may be gone
 * @size: the index of its size
 * @pos: where it began, bytes
 * @when: ns
 */
struct nd_written {
	const struct inode *inode;
	unsigned int size;
	loff_t pos;
	u64 when;
};

/**
 * struct nd_read_back - the direct writes to a device that are remembered
 * @written: the writes
 * @next: where the next one goes; it replaces the oldest
 */
struct nd_read_back {
	struct nd_written written[ND_READ_BACK_NR];
	unsigned int next;
};

void nd_read_back_add(struct nd_read_back *device, const struct nd_written *written);
bool nd_read_back_take(struct nd_read_back *device, const struct inode *inode, u64 now,
		       struct nd_written *taken);

#endif
