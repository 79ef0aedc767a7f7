/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SEQKEEP_HOOK_ENTRY_H
#define SEQKEEP_HOOK_ENTRY_H

struct hook;

int hook_entry_arm(struct hook *hook, const char *symbol);
void hook_entry_disarm(struct hook *hook);

#endif
