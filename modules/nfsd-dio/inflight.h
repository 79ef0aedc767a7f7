/* SPDX-License-Identifier: GPL-2.0-only */
/* nfsd's writes in flight, by file. */
#ifndef NFSD_DIO_INFLIGHT_H
#define NFSD_DIO_INFLIGHT_H

#include <linux/types.h>

struct file;

void nd_write_begin(const struct file *file);
void nd_write_end(const struct file *file);
bool nd_has_concurrent_writers(const struct file *file);

#endif
