/* SPDX-License-Identifier: GPL-2.0-only */
/* The address of a kernel function by its name. */
#ifndef SEQKEEP_HOOK_SYMBOL_H
#define SEQKEEP_HOOK_SYMBOL_H

int hook_symbol_address(const char *symbol, unsigned long *address);

#endif
