/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SEQKEEP_HOOK_REDIRECT_H
#define SEQKEEP_HOOK_REDIRECT_H

struct hook;

int hook_redirect_arm(struct hook *hook, const char *symbol);
void hook_redirect_disarm(struct hook *hook);
void hooks_block_unload_if_stuck(void);

#endif
