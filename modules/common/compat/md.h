/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in the functions that md-mod exports. */
#ifndef SEQKEEP_COMPAT_MD_H
#define SEQKEEP_COMPAT_MD_H

#include <linux/rcupdate.h>

struct md_thread;

/*
 * 4469315439827 ("md: protect md_thread with rcu") in v6.5 put the thread under RCU; by v6.12
 * md_wakeup_thread() is a macro of md's own header around __md_wakeup_thread(). Kbuild looks in the
 * kernel's Module.symvers for the one that it exports.
 */
#ifdef HAVE_NO_MODULE_SYMVERS
#error "seqkeep: compat/md.h needs the kernel's Module.symvers: install its headers completely"
#endif
#ifdef HAVE_UNDERSCORED_MD_WAKEUP_THREAD
void __md_wakeup_thread(struct md_thread *thread);
#define md_wakeup_exported	__md_wakeup_thread
#else
void md_wakeup_thread(struct md_thread *thread);
#define md_wakeup_exported	md_wakeup_thread
#endif

/**
 * compat_md_wakeup_thread - wake an array's thread
 * @thread: the member of struct mddev that points to it
 *
 * Context: any; the array has stripes in use.
 */
static inline void compat_md_wakeup_thread(struct md_thread **thread)
{
	rcu_read_lock();
	md_wakeup_exported(READ_ONCE(*thread));
	rcu_read_unlock();
}

#endif
