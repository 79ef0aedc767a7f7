/* SPDX-License-Identifier: GPL-2.0-only */
/* What a hook table may say, and what is said when a hook cannot be had. Pure. */
#ifndef SEQKEEP_HOOK_TABLE_H
#define SEQKEEP_HOOK_TABLE_H

#include <linux/types.h>

enum hook_kind {
	HOOK_ENTRY,
	HOOK_REDIRECT,
};

/**
 * struct hook_spec - what is hooked and how
 * @symbol: the function
 * @module: the module it is in, NULL for the kernel itself. Such hooks come
 *	and go with that module.
 * @kind: see hook.h
 * @optional: do without if it cannot be had
 */
struct hook_spec {
	const char *symbol;
	const char *module;
	enum hook_kind kind;
	bool optional;
};

/**
 * struct hook_refusal - why a hook cannot be had
 * @reason: what is wrong, to follow the function's name
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
