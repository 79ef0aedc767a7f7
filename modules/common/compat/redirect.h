/* SPDX-License-Identifier: GPL-2.0-only */
/* How an ftrace callback sends a call elsewhere, and who made the call. */
#ifndef SEQKEEP_COMPAT_REDIRECT_H
#define SEQKEEP_COMPAT_REDIRECT_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "features.h"

/*
 * 0ef86097f127 ("ftrace: rename ftrace_instruction_pointer_set() ->
 * ftrace_regs_set_instruction_pointer()") in v6.2. Without CONFIG_DYNAMIC_FTRACE_WITH_ARGS the
 * kernel has it as well, but there it does nothing. Livepatch relies on the same.
 */
#if SEQKEEP_HAVE_FTRACE_REGS_SET_IP && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)

/* The registers that ftrace saves for every callback are enough. */
#define COMPAT_REDIRECT_FLAGS	0

static __always_inline void compat_redirect(struct ftrace_regs *fregs, unsigned long address)
{
	ftrace_regs_set_instruction_pointer(fregs, address);
}

#else

#define COMPAT_REDIRECT_FLAGS	FTRACE_OPS_FL_SAVE_REGS

static __always_inline void compat_redirect(struct ftrace_regs *fregs, unsigned long address)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (regs)
		instruction_pointer_set(regs, address);
}

#endif

/*
 * Is this address in a module's code? ac3b43283923 ("module: replace module_layout with
 * module_memory") in v6.4 gave a module several areas. within_module_core() compares with each,
 * and this is called for each call of a hooked function.
 */
static __always_inline bool compat_within_text(unsigned long address, const struct module *mod)
{
#ifdef for_class_mod_mem_type
	return within_module_mem_type(address, mod, MOD_TEXT);
#else
	return within_module_core(address, mod);
#endif
}

/* Modules without a redirect, which have this header in common/hook_redirect.c, need no caller. */
#if defined(CONFIG_ARM64) && defined(CONFIG_KRETPROBE_ON_RETHOOK) && defined(SEQKEEP_REDIRECTS)
#error "seqkeep: compat/redirect.h cannot tell who calls a function with a kretprobe on this kernel"
#endif

#if defined(CONFIG_ARM64) && !defined(CONFIG_KRETPROBE_ON_RETHOOK)

static __always_inline unsigned long compat_frame_pointer(struct ftrace_regs *fregs)
{
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	struct pt_regs *regs = ftrace_get_regs(fregs);

	return regs ? regs->regs[29] : 0;
#elif defined(arch_ftrace_regs)
	/* 7888af4166d4 ("ftrace: Make ftrace_regs abstract from direct use") in v6.13. */
	return arch_ftrace_regs(fregs)->fp;
#else
	return fregs->fp;
#endif
}

/*
 * A kretprobe on arm64 is a breakpoint before the call of ftrace. So ftrace gets the address of the
 * probe's trampoline. The probe has kept the caller's address and frame pointer. Each further probe
 * of the function has kept the trampoline's address, and is nearer to the list's head.
 */
static __always_inline unsigned long compat_caller(struct ftrace_regs *fregs,
						   unsigned long parent_ip)
{
	const unsigned long frame = compat_frame_pointer(fregs);
	struct llist_node *node;

	for (node = current->kretprobe_instances.first; node; node = node->next) {
		struct kretprobe_instance *ri = llist_entry(node, struct kretprobe_instance, llist);

		if ((unsigned long)ri->fp != frame)
			break;
		parent_ip = (unsigned long)ri->ret_addr;
	}
	return parent_ip;
}

#else

/* On x86 such a kretprobe is a callback of ftrace, which has read the address before. */
static __always_inline unsigned long compat_caller(struct ftrace_regs *fregs,
						   unsigned long parent_ip)
{
	return parent_ip;
}

#endif

#endif
