/* SPDX-License-Identifier: GPL-2.0-only */
/* The entry points of reading, hooked on demand: it costs something at each read. */
#ifndef RA_TRACE_READS_H
#define RA_TRACE_READS_H

int ra_reads_open(void);
void ra_reads_close(void);
unsigned long ra_reads_missed(void);

#endif
