/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a file system has recorded an error of its own. */
#ifndef NFSD_DIO_FS_STATE_H
#define NFSD_DIO_FS_STATE_H

struct super_block;

/**
 * enum nd_fs_state - what the superblock says
 * @ND_FS_GOOD: no error, or of no interest on this kernel
 * @ND_FS_ERROR: an error
 * @ND_FS_UNKNOWN: nobody has the superblock in memory where it should be
 */
enum nd_fs_state { ND_FS_GOOD, ND_FS_ERROR, ND_FS_UNKNOWN };

enum nd_fs_state nd_fs_state(struct super_block *sb);

#endif
