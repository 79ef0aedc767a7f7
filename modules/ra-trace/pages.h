/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RA_TRACE_PAGES_H
#define RA_TRACE_PAGES_H

#include <linux/types.h>

struct ra_place;

int ra_pages_attach(void);
void ra_pages_detach(void);
bool ra_pages_see_actual(void);
bool ra_pages_see_block(void);
bool ra_pages_see_reads(void);
void ra_pages_flush(struct ra_place *place);

#endif
