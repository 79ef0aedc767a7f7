/* SPDX-License-Identifier: GPL-2.0-only */
/* The NFS mounts that the rule was applied to. */
#ifndef NFS_RA_MOUNTS_H
#define NFS_RA_MOUNTS_H

#include <linux/types.h>

struct backing_dev_info;
struct file_system_type;
struct nra_habit;
struct nra_rule;
struct seq_file;
struct super_block;

void nra_mounts_restore(void);
bool nra_type_is_kernel_nfs(const struct file_system_type *type);
void nra_mounts_add(struct super_block *sb);
void nra_mounts_set(struct super_block *sb, const char *server, const struct nra_rule *rule);
void nra_mounts_apply(struct super_block *sb, const struct nra_rule *rule);
void nra_mounts_note_write(struct backing_dev_info *bdi);
bool nra_mounts_limits(const struct backing_dev_info *bdi, unsigned long *max_window,
		       struct nra_habit **habit);
void nra_mounts_show(struct seq_file *m);

#endif
