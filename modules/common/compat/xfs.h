/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in what XFS does. */
#ifndef SEQKEEP_COMPAT_XFS_H
#define SEQKEEP_COMPAT_XFS_H

#include <linux/version.h>

/*
 * A sync holds the inode's ilock, shared, while it writes the log, so that an update of the inode's
 * times waits for it, until "xfs: rework datasync tracking and execution" in v6.18. By version,
 * because the change is within XFS's own files: no header shows it. Where a distribution took it
 * into an older kernel the error costs the time that a writer waits for others.
 */
#define COMPAT_XFS_SYNC_HOLDS_ILOCK	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0))

#endif
