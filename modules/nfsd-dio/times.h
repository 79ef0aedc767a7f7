/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving the times of a file on when data has been written, once for all that wait for it. */
#ifndef NFSD_DIO_TIMES_H
#define NFSD_DIO_TIMES_H

struct file;

void nd_times_init(void);
int nd_times_move_on(struct file *file);

#endif
