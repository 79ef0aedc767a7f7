/* SPDX-License-Identifier: GPL-2.0-only */
/* The module parameters, as the hooks read them. */
#ifndef CTXRA_PARAMS_H
#define CTXRA_PARAMS_H

#include <linux/types.h>

struct inode;
struct backing_dev_info;

/**
 * struct ctxra_settings - what the user has set for a device
 * @win_pages: largest window; 0 if readahead is off
 * @auto_window: streams may get larger windows than that, as ctxra_disks_window() says
 * @chosen: the device is in the list of the parameter devices, or that is empty
 */
struct ctxra_settings {
	unsigned long win_pages;
	bool auto_window;
	bool chosen;
};

unsigned long ctxra_patterns(void);
unsigned long ctxra_submission_pages(void);
struct ctxra_settings ctxra_device_settings(struct inode *inode,
					    const struct backing_dev_info *bdi);

#endif
