/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in debugfs. */
#ifndef RA_TRACE_SHOW_H
#define RA_TRACE_SHOW_H

void rat_show_create(void);
void rat_show_destroy(void);

#endif
