/* SPDX-License-Identifier: GPL-2.0-only */
/* The NFS mounts whose readahead this module decided on. */
#ifndef NFS_RA_MOUNTS_H
#define NFS_RA_MOUNTS_H

#include <linux/types.h>

struct backing_dev_info;
struct file_system_type;
struct seq_file;
struct super_block;

int nra_mounts_open(void);
void nra_mounts_put_back(void);
void nra_mounts_close(void);
bool nra_mounts_are_nfs(const struct file_system_type *type);
void nra_mounts_new(struct super_block *sb);
void nra_mounts_apply(struct super_block *sb);
void nra_mounts_written(struct backing_dev_info *bdi);
unsigned long nra_mounts_auto(const struct backing_dev_info *bdi);
void nra_mounts_show(struct seq_file *m);

#endif
