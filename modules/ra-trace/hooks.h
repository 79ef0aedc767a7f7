/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks on the readahead code. */
#ifndef RA_TRACE_HOOKS_H
#define RA_TRACE_HOOKS_H

#include "pattern.h"

int rat_hooks_register(void);
void rat_hooks_stop(void);
void rat_hooks_unregister(void);
unsigned long rat_hooks_missed(void);
bool rat_hooks_see_pattern(enum rat_pattern pattern);

#endif
