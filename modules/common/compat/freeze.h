/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in who protects a write against freezing the file system. */
#ifndef SEQKEEP_COMPAT_FREEZE_H
#define SEQKEEP_COMPAT_FREEZE_H

#include <linux/fs.h>

#include "features.h"

/*
 * The caller of vfs_iter_write() does, nfsd for all of its call, until 269aed7014b3 ("fs: move
 * file_start_write() into vfs_iter_write()") in v6.8. Since then our own writes have to.
 * features.sh says how that is seen.
 */
#define COMPAT_CALLER_STARTS_WRITE	(!SEQKEEP_HAVE_WRITE_NOT_STARTED)

/**
 * compat_file_start_write - protect against freezing, where the caller does not
 * @file: open for writing
 *
 * Context: may sleep; within a replacement of vfs_iter_write() or vfs_iocb_iter_write().
 */
static inline void compat_file_start_write(struct file *file)
{
	if (!COMPAT_CALLER_STARTS_WRITE)
		file_start_write(file);
}

static inline void compat_file_end_write(struct file *file)
{
	if (!COMPAT_CALLER_STARTS_WRITE)
		file_end_write(file);
}

#endif
