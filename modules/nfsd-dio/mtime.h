/* SPDX-License-Identifier: GPL-2.0-only */
/* Updates a file's times after its data, once for all writers that wait for it. */
#ifndef NFSD_DIO_MTIME_H
#define NFSD_DIO_MTIME_H

struct file;

void nd_mtime_init(void);
int nd_update_time(struct file *file);

#endif
