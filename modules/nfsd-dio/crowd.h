/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether clients write to a file at the same time. */
#ifndef NFSD_DIO_CROWD_H
#define NFSD_DIO_CROWD_H

#include <linux/types.h>

struct file;

void nd_crowd_enter(const struct file *file);
void nd_crowd_leave(const struct file *file);
bool nd_crowded(const struct file *file);

#endif
