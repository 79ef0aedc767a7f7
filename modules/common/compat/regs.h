/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of a function at its entry. The kernel has an API to read them, none to set them. */
#ifndef SEQKEEP_COMPAT_REGS_H
#define SEQKEEP_COMPAT_REGS_H

#include <linux/ptrace.h>

/**
 * regs_set_kernel_argument - the counterpart of regs_get_kernel_argument()
 * @regs: registers at a function's entry
 * @n: argument number, 0 to 3
 * @value: its new value
 */
static __always_inline void regs_set_kernel_argument(struct pt_regs *regs, unsigned int n,
						     unsigned long value)
{
#if defined(CONFIG_X86_64)
	switch (n) {
	case 0:
		regs->di = value;
		break;
	case 1:
		regs->si = value;
		break;
	case 2:
		regs->dx = value;
		break;
	case 3:
		regs->cx = value;
		break;
	}
#elif defined(CONFIG_ARM64)
	regs->regs[n] = value;
#else
#error "seqkeep: unsupported architecture: compat/regs.h sets arguments on x86-64 and arm64 only"
#endif
}

#endif
