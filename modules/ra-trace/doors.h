/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RA_TRACE_DOORS_H
#define RA_TRACE_DOORS_H

#include "pattern.h"

int ra_doors_open(void);
void ra_doors_shut(void);
void ra_doors_close(void);
unsigned long ra_doors_missed(void);
bool ra_doors_see(enum ra_pattern pattern);

#endif
