/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hook table may contain, and why the kernel may refuse a hook. Pure. */
#ifndef SEQKEEP_HOOK_TABLE_H
#define SEQKEEP_HOOK_TABLE_H

#include <linux/types.h>

enum hook_kind {
	HOOK_ENTRY,
	HOOK_REDIRECT,
};

/**
 * struct hook_spec - which function is hooked and how
 * @symbol: the function
 * @module: the module that has the function, NULL for the kernel itself. The hook is put in place
 *	and taken out with that module.
 * @kind: see hook.h
 * @optional: register the other hooks of the table even if the kernel refuses this one
 * @caller: for HOOK_REDIRECT: the module whose calls are redirected, NULL for all calls
 */
struct hook_spec {
	const char *symbol;
	const char *module;
	enum hook_kind kind;
	bool optional;
	const char *caller;
};

/**
 * struct hook_refusal - why the kernel refuses a hook
 * @reason: what is wrong; follows the function's name in the log
 * @remedy: what the administrator can do about it
 */
struct hook_refusal {
	const char *reason;
	const char *remedy;
};

struct hook_refusal hook_refusal(int err, enum hook_kind kind);
const char *hook_spec_error(const struct hook_spec *spec, bool has_entry, bool has_replacement);
bool hook_spec_same(const struct hook_spec *a, const struct hook_spec *b);

#endif
