/* SPDX-License-Identifier: GPL-2.0-only */
/* Updates a file's times after its data, and syncs it, once for all writers that wait for it. */
#ifndef NFSD_DIO_MTIME_H
#define NFSD_DIO_MTIME_H

#include <linux/types.h>

#include "seen.h"

struct kiocb;
struct nd_syncs;

/**
 * struct nd_finish - the end of a write
 * @syncs: of the writers that it shares its sync with; NULL: it makes its own
 * @round: when it was announced to them
 * @times: of the file before it, where the kernel marks times that were seen
 * @sync: 0, or the negative errno of its sync
 */
struct nd_finish {
	struct nd_syncs *syncs;
	int round;
	struct nd_times times;
	int sync;
};


void nd_mtime_init(void);
void nd_finish_expect(const struct kiocb *iocb, struct nd_finish *finish);
void nd_finish_cancel(const struct kiocb *iocb, const struct nd_finish *finish);
int nd_finish_write(const struct kiocb *iocb, size_t len, struct nd_finish *finish);
void nd_finish_failed_write(const struct kiocb *iocb, const struct nd_finish *finish);

#endif
