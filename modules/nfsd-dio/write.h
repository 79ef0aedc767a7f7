/* SPDX-License-Identifier: GPL-2.0-only */
/* Serves a write of an NFS client by direct I/O. */
#ifndef NFSD_DIO_WRITE_H
#define NFSD_DIO_WRITE_H

#include <linux/types.h>

struct iov_iter;
struct kiocb;
struct nd_auto;

bool nd_write(struct kiocb *iocb, const struct iov_iter *from, struct nd_auto *call,
	      ssize_t *result);

#endif
