/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTXRA_HOOKS_H
#define CTXRA_HOOKS_H

int ctxra_hooks_register(void);
void ctxra_hooks_unregister(void);
unsigned long ctxra_hooks_missed(void);

#endif
