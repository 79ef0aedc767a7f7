/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels in who keeps a file system from being frozen amid a write. */
#ifndef SEQKEEP_COMPAT_FREEZE_H
#define SEQKEEP_COMPAT_FREEZE_H

#include <linux/fs.h>
#include <linux/version.h>

/*
 * Whoever calls vfs_iter_write() does, and nfsd so for all of its call, until "fs: move
 * file_start_write() into vfs_iter_write()" in v6.8. What is written besides needs it since.
 */
#define COMPAT_CALLER_STARTS_WRITE	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0))

/**
 * compat_file_start_write - keep the file system from being frozen, where no caller does
 * @file: open for writing
 *
 * Context: may sleep; within a replacement of vfs_iter_write() or vfs_iocb_iter_write().
 */
static inline void compat_file_start_write(struct file *file)
{
	if (!COMPAT_CALLER_STARTS_WRITE)
		file_start_write(file);
}

/**
 * compat_file_end_write - the end of what compat_file_start_write() began
 * @file: the same
 */
static inline void compat_file_end_write(struct file *file)
{
	if (!COMPAT_CALLER_STARTS_WRITE)
		file_end_write(file);
}

#endif
