/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks on the read functions of the page cache: on demand, because each read pays for them. */
#ifndef RA_TRACE_READS_H
#define RA_TRACE_READS_H

int rat_reads_register(void);
void rat_reads_unregister(void);
unsigned long rat_reads_missed(void);

#endif
