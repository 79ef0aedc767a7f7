/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in how ext4 locks a direct write, and what it does after an error. */
#ifndef SEQKEEP_COMPAT_EXT4_H
#define SEQKEEP_COMPAT_EXT4_H

#include "version.h"

/*
 * A direct write of part of a block locks the inode exclusively for all of its I/O, until
 * 310ee0902b8d ("ext4: allow concurrent unaligned dio overwrites") in v6.5, which RHEL 9.6 has. By
 * version, because the change is within ext4's own file: no header shows it. Where a distribution
 * took it into an older kernel the error costs a read.
 */
#define COMPAT_EXT4_UNALIGNED_DIO_EXCLUSIVE \
	(!COMPAT_SINCE(KERNEL_VERSION(6, 5, 0), RHEL_RELEASE_VERSION(9, 6)))

/*
 * From v6.5 on only a write across extents locks exclusively, until ext4_dio_needs_zeroing(), which
 * 7.3 has; 6.12, RHEL 9.6 and RHEL 10.0 have not. By version, because the function is within ext4's
 * own file. Assume the lock for the versions between, and for every release of RHEL: the error
 * costs one read.
 */
#define COMPAT_EXT4_DIO_ACROSS_EXTENTS_EXCLUSIVE \
	(!COMPAT_SINCE(KERNEL_VERSION(7, 3, 0), COMPAT_NO_RELEASE))

/*
 * After an error for which ext4 stops writing, 6.1 and RHEL 9.6 set EXT4_MF_FS_ABORTED, which
 * direct writes do not look at. 6.12 and RHEL 10.0 set EXT4_FLAGS_SHUTDOWN, which all look at. By
 * version, because both are in ext4's own header. Assume the former for the versions between, and
 * for all of RHEL 9: the error costs a look at the superblock.
 */
#define COMPAT_EXT4_WRITES_AFTER_ABORT \
	(!COMPAT_SINCE(KERNEL_VERSION(6, 12, 0), RHEL_RELEASE_VERSION(10, 0)))

#endif
