/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels in what ext4 does. */
#ifndef SEQKEEP_COMPAT_EXT4_H
#define SEQKEEP_COMPAT_EXT4_H

#include <linux/version.h>

/*
 * Direct writes of parts of blocks lock the inode exclusively, each for all of its I/O, until
 * 310ee0902b8d ("ext4: allow concurrent unaligned dio overwrites") in v6.5.
 */
#define COMPAT_EXT4_UNALIGNED_DIO_EXCLUSIVE	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0))

/*
 * Those whose blocks are not all in one extent do so until ext4_dio_needs_zeroing() came, which
 * 7.3 has and 6.12 has not. In between they are taken to: the other way is slower by a read.
 */
#define COMPAT_EXT4_DIO_ACROSS_EXTENTS_EXCLUSIVE	(LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0))

#endif
