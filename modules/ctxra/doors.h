/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTXRA_DOORS_H
#define CTXRA_DOORS_H

int ctxra_doors_open(void);
void ctxra_doors_close(void);
unsigned long ctxra_doors_missed(void);

#endif
