/* SPDX-License-Identifier: GPL-2.0-only */
/* The module parameters, as the hooks read them. */
#ifndef CTXRA_PARAMS_H
#define CTXRA_PARAMS_H

#include <linux/types.h>

struct inode;
struct backing_dev_info;

unsigned long ctxra_patterns(void);
unsigned long ctxra_window_pages(struct inode *inode, const struct backing_dev_info *bdi);
unsigned long ctxra_submission_pages(void);
bool ctxra_device_chosen(struct inode *inode, const struct backing_dev_info *bdi);

#endif
