/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether anybody has seen the times that a write gave a file. */
#ifndef NFSD_DIO_SEEN_H
#define NFSD_DIO_SEEN_H

#include <linux/time64.h>
#include <linux/types.h>

struct inode;

/**
 * struct nd_times - the times of a file before a write
 * @before: their values
 * @shared: by the writes to the file that are in flight
 */
struct nd_times {
	struct timespec64 before;
	bool shared;
};

void nd_times_begin(const struct inode *inode, struct nd_times *times);
void nd_times_end(const struct inode *inode, const struct nd_times *times);
bool nd_times_are_unseen(struct inode *inode, const struct nd_times *times);

#endif
