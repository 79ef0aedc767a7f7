/* SPDX-License-Identifier: GPL-2.0-only */
/* Updates a file's times after its data, once for all writers that wait for it. */
#ifndef NFSD_DIO_MTIME_H
#define NFSD_DIO_MTIME_H

#include <linux/time64.h>
#include <linux/types.h>

struct file;
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

void nd_mtime_init(void);
void nd_times_begin(const struct inode *inode, struct nd_times *times);
void nd_times_end(const struct inode *inode, const struct nd_times *times);
int nd_update_time(struct file *file, const struct nd_times *times);

#endif
