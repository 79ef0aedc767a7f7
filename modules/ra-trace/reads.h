/* SPDX-License-Identifier: GPL-2.0-only */
/* The entry points of reading, hooked on demand: it costs something at each read. */
#ifndef RA_TRACE_READS_H
#define RA_TRACE_READS_H

int rat_reads_register(void);
void rat_reads_unregister(void);
unsigned long rat_reads_missed(void);

#endif
