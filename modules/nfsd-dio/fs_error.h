/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a file system has recorded an error of its own. */
#ifndef NFSD_DIO_FS_ERROR_H
#define NFSD_DIO_FS_ERROR_H

#include <linux/types.h>

struct super_block;

bool nd_fs_has_error(struct super_block *sb);

#endif
