/* SPDX-License-Identifier: GPL-2.0-only */
/* The disks whose windows ctxra chooses: max_kb=auto. */
#ifndef CTXRA_DISKS_H
#define CTXRA_DISKS_H

#include <linux/types.h>

#include "decide.h"

struct dentry;
struct inode;

void ctxra_disks_clear(void);
unsigned long ctxra_disks_window(struct inode *inode, unsigned long base);
void ctxra_disks_note_opened(struct inode *inode, const struct ctxra_args *args,
			     const struct ctxra_window *win);
unsigned long ctxra_disks_note_stock(struct inode *inode, const struct ctxra_args *args);
void ctxra_disks_count_grown(unsigned long pages, unsigned long base);
void ctxra_disks_create_file(struct dentry *dir);

#endif
