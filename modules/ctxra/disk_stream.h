/* SPDX-License-Identifier: GPL-2.0-only */
/* The streams of windows on a disk, for disk.c. Pure. */
#ifndef CTXRA_DISK_STREAM_H
#define CTXRA_DISK_STREAM_H

#include "disk_state.h"
#include "request.h"

void ctxra_disk_init_streams(struct ctxra_disk *d);
unsigned int ctxra_disk_count_live(const struct ctxra_disk *d, u32 now);
unsigned int ctxra_disk_count_seen(const struct ctxra_disk *d);
void ctxra_disk_charge_ended(struct ctxra_disk *d, u32 now);
struct ctxra_disk_window ctxra_disk_stock_window(const void *mapping,
						 const struct ctxra_args *args,
						 const struct ctxra_facts *facts);
struct ctxra_disk_stream *ctxra_disk_move_stream(struct ctxra_disk *d,
						 const struct ctxra_disk_window *win, u32 now,
						 unsigned long *moved);
unsigned long ctxra_disk_limit_window(const struct ctxra_disk *d, struct ctxra_disk_stream *s,
				      unsigned long nr);

#endif
