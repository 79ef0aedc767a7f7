/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes that count the pages and bios of calls, and see pages read and evicted. */
#ifndef RA_TRACE_PAGES_H
#define RA_TRACE_PAGES_H

#include <linux/types.h>

struct rat_call_slot;

int rat_pages_register(void);
void rat_pages_unregister(void);
bool rat_pages_see_added(void);
bool rat_pages_see_bios(void);
bool rat_pages_see_reads(void);
void rat_pages_flush_run(struct rat_call_slot *slot);

#endif
