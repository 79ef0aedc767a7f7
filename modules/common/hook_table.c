// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/string.h>

#include "hook_table.h"

/**
 * hook_refusal - explain a registration's error
 * @err: negative errno of register_kprobe(), register_kretprobe() or register_ftrace_function()
 * @kind: the hook's kind
 *
 * Return: reason and remedy, never NULL.
 */
struct hook_refusal hook_refusal(int err, enum hook_kind kind)
{
	switch (err) {
	case -ENOENT:
	case -EADDRNOTAVAIL:
		return (struct hook_refusal){
			"this kernel has no such function, or it was inlined",
			"report the kernel version; /proc/kallsyms shows what there is"
		};
	case -EBUSY:
	case -EEXIST:
		if (kind == HOOK_REDIRECT)
			return (struct hook_refusal){
				"another module or a livepatch replaces this function, or sysctl kernel.ftrace_enabled is 0",
				"set that to 1, or look for flag I in /sys/kernel/tracing/enabled_functions and remove the other one"
			};
		break;
	case -EINVAL:
		return (struct hook_refusal){
			"the kernel does not let this function be traced",
			"see /sys/kernel/debug/kprobes/blacklist; report the kernel version"
		};
	case -EOPNOTSUPP:
	case -EPERM:
		return (struct hook_refusal){
			"tracing is not permitted on this system",
			"check sysctl kernel.ftrace_enabled and the kernel's lockdown mode"
		};
	case -ENODEV:
		return (struct hook_refusal){
			"ftrace is disabled, or stopped after an error",
			"check sysctl kernel.ftrace_enabled and the log for an ftrace warning; reboot if there is one"
		};
	case -EAGAIN:
		return (struct hook_refusal){
			"a BPF program is being attached to it", "try again"
		};
	case -EIO:
		return (struct hook_refusal){
			"memory is short, or ftrace stopped after an error",
			"try again; reboot if the log has an ftrace warning"
		};
	case -ENOMEM:
		return (struct hook_refusal){ "no memory", "free memory and try again" };
	}
	return (struct hook_refusal){ "the kernel refused it", "report this line of the log" };
}

/**
 * hook_spec_error - check one entry of a hook table
 * @spec: the entry
 * @has_entry: the hook has an entry callback
 * @has_replacement: the hook has a replacement
 *
 * Return: what is wrong with the entry, or NULL.
 */
const char *hook_spec_error(const struct hook_spec *spec, bool has_entry, bool has_replacement)
{
	if (!spec->symbol || !*spec->symbol)
		return "no symbol";
	if (spec->module && !*spec->module)
		return "empty module name";
	if (spec->caller && (!*spec->caller || spec->kind != HOOK_REDIRECT))
		return "only a redirect hook has a caller, and that has a name";
	if (spec->kind == HOOK_ENTRY && (!has_entry || has_replacement))
		return "an entry hook has an entry callback and nothing else";
	if (spec->kind == HOOK_REDIRECT && (has_entry || !has_replacement))
		return "a redirect hook has a replacement and nothing else";
	if (spec->kind != HOOK_ENTRY && spec->kind != HOOK_REDIRECT)
		return "unknown kind";
	return NULL;
}

/**
 * hook_spec_same - whether two entries hook the same function
 * @a: one entry
 * @b: the other
 *
 * The kind does not matter.
 */
bool hook_spec_same(const struct hook_spec *a, const struct hook_spec *b)
{
	if (strcmp(a->symbol, b->symbol))
		return false;
	if (!a->module || !b->module)
		return a->module == b->module;
	return !strcmp(a->module, b->module);
}
