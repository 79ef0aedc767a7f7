/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns kernel objects into the plain values that verdict.h judges. */
#ifndef NFSD_DIO_INSPECT_H
#define NFSD_DIO_INSPECT_H

#include "verdict.h"

struct kiocb;

void nd_inspect_write(const struct kiocb *iocb, size_t len, bool aligned_too,
		      struct nd_write *write);
enum nd_block nd_inspect_block(struct file *file, loff_t block, unsigned int size);
bool nd_dio_locks_exclusively(struct file *file, const struct nd_write *write);

#endif
