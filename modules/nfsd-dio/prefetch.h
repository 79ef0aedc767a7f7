/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the partial blocks of a write before the stock code needs them. */
#ifndef NFSD_DIO_PREFETCH_H
#define NFSD_DIO_PREFETCH_H

struct file;
struct nd_write;

void nd_prefetch(struct file *file, const struct nd_write *write);

#endif
