// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "hook.h"
#include "read_racy.h"

/* Protects every hook's active state. Nests in the kernel's module notifier chain. */
static DEFINE_MUTEX(hook_mutex);

/* How often hooks_unregister() looks for calls that are still asleep, ms. */
#define CALLS_POLL_MS		10
/* How often it says that it is still waiting, in polls: 10 s. */
#define CALLS_REPORT_POLLS	1000

/* How often a registration is tried that a BPF trampoline is in the way of. */
#define BPF_TRIES		100

/**
 * hook_symbol_address - find a function, exported or not
 * @symbol: its name; MODULE:NAME for a module's
 * @address: set if it is found: behind the ENDBR, if it begins with one
 *
 * To call it, use a static call: a plain pointer to a function that was never
 * meant to be called through one dies on hardware with IBT.
 *
 * Context: may sleep.
 * Return: 0; -ENOENT if the kernel has no such function, or what else register_kprobe() said.
 */
int hook_symbol_address(const char *symbol, unsigned long *address)
{
	/*
	 * Disabled: to take out a probe that is armed, memory is needed, and unregister_kprobe()
	 * leaves one in place for which there was none, without a word.
	 */
	struct kprobe probe = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	*address = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

/* The kretprobe is the hook's own member: this is how its handlers find the hook. */
static struct hook *instance_hook(struct kretprobe_instance *ri)
{
	struct kretprobe *probe = get_kretprobe(ri);

	return probe ? container_of(probe, struct hook, probe) : NULL;
}

static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct hook *hook = instance_hook(ri);

	return hook && hook->entry(regs, ri->data) ? 0 : 1;
}
NOKPROBE_SYMBOL(entry_handler);

static int return_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct hook *hook = instance_hook(ri);

	if (hook && hook->returned)
		hook->returned(regs, ri->data);
	return 0;
}
NOKPROBE_SYMBOL(return_handler);

/*
 * A bare name is looked for in all modules, the youngest first, and a livepatch of a module has
 * functions of the same names.
 */
static const char *full_name(struct hook *hook)
{
	if (!hook->spec.module)
		return hook->spec.symbol;
	snprintf(hook->name, sizeof(hook->name), "%s:%s", hook->spec.module, hook->spec.symbol);
	return hook->name;
}

static int entry_arm(struct hook *hook)
{
	int err;

	memset(&hook->probe, 0, sizeof(hook->probe));
	hook->probe.kp.symbol_name = full_name(hook);
	hook->probe.entry_handler = entry_handler;
	hook->probe.handler = return_handler;
	hook->probe.data_size = hook->data_size;
	hook->probe.maxactive = hook->max_calls;
	err = register_kretprobe(&hook->probe);
	if (err)
		return err;
	/*
	 * 7.3 returns 0 also where it could not arm the probe, and has taken it off its list
	 * again: then there is nothing that could be enabled. One in place is left as it is.
	 */
	if (!enable_kretprobe(&hook->probe))
		return 0;
	unregister_kretprobe(&hook->probe);
	return -EIO;
}

static void entry_disarm(struct hook *hook)
{
	/*
	 * Unlike unregister_kretprobe(), it says when it failed: for want of memory, or, on 6.1,
	 * because ftrace has stopped after an error. The kernel's probes are still called for this
	 * function then, and find none, if ours is marked as below. unregister_kretprobe() would
	 * try one that is not marked again: it counts out another's where memory was short
	 * (__disarm_kprobe_ftrace()), and leaves ours to be found where ftrace has stopped.
	 */
	if (disable_kretprobe(&hook->probe))
		hook->probe.kp.flags |= KPROBE_FLAG_DISABLED;
	/*
	 * Waits for handlers. Calls that are still running keep their memory,
	 * which the kernel frees when they return: ours to forget.
	 */
	unregister_kretprobe(&hook->probe);
}

static void notrace redirect_callback(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct hook *hook = container_of(ops, struct hook, ops);
	struct pt_regs *regs = ftrace_get_regs(fregs);
	int bit;

	/* The replacement's own call to the function. */
	if (within_module_core(parent_ip, THIS_MODULE))
		return;
	/* Not in place yet; or no more, and ftrace could not take it out. */
	if (!hook_is_active(hook))
		return;
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (bit < 0)
		return;
	if (regs && (!hook->redirect_if || hook->redirect_if(parent_ip)))
		instruction_pointer_set(regs, (unsigned long)hook->replacement);
	ftrace_test_recursion_unlock(bit);
}

/* -EAGAIN: a BPF program is being attached to this function, or on 7.3 to another. */
static int register_patiently(struct ftrace_ops *ops)
{
	unsigned int tries = 0;
	int err;

	do {
		err = register_ftrace_function(ops);
		/* The kernel has slept for 1 ms then. */
	} while (err == -EAGAIN && ++tries < BPF_TRIES);
	return err;
}

/* A hook could not be taken out: the kernel goes on using this memory. */
static bool stuck;

/*
 * ftrace stops for good after an error of its own and takes nothing out from then on. The reference
 * keeps a module that is only disabled; for one that is being unloaded, or is not loaded after all,
 * see hooks_stay().
 */
static void stay_in_memory(const struct hook *hook)
{
	pr_emerg("cannot unhook %s(): ftrace has stopped after an error, see the log; the module does nothing more, and stays in memory until the next boot\n",
		 hook->spec.symbol);
	WRITE_ONCE(stuck, true);
	__module_get(THIS_MODULE);
}

static int redirect_arm(struct hook *hook)
{
	unsigned long address;
	int err;

	/* It could not be taken out the last time. */
	if (hook->ops.flags & FTRACE_OPS_FL_ENABLED)
		return -ENODEV;
	hook->calls = alloc_percpu(unsigned long);
	if (!hook->calls)
		return -ENOMEM;
	err = hook_symbol_address(full_name(hook), &address);
	if (err)
		goto free_calls;
	memset(&hook->ops, 0, sizeof(hook->ops));
	hook->ops.func = redirect_callback;
	/*
	 * PERMANENT: sysctl kernel.ftrace_enabled=0 is refused with -EBUSY, where the kernel still
	 * takes it (not 7.3). It would take the redirect out behind the back of a module that
	 * relies on it.
	 */
	hook->ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY |
			  FTRACE_OPS_FL_PERMANENT;
	if (hook->found)
		hook->found(address);
	err = ftrace_set_filter_ip(&hook->ops, address, 0, 0);
	if (!err)
		err = register_patiently(&hook->ops);
	if (!err)
		return 0;
	/*
	 * ftrace has stopped just then: the function does not call here, but the trampoline stays
	 * on a list that /proc/kallsyms is made of, by way of this memory (ftrace_startup()).
	 */
	if (hook->ops.flags & FTRACE_OPS_FL_ENABLED) {
		stay_in_memory(hook);
		return err;
	}
	/* ftrace may have looked at it, listed for a moment. */
	synchronize_rcu();
	ftrace_free_filter(&hook->ops);
free_calls:
	free_percpu(hook->calls);
	hook->calls = NULL;
	return err;
}

static unsigned long calls_running(const struct hook *hook)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(hook->calls, cpu));
	return sum;
}

static void redirect_disarm(struct hook *hook)
{
	int err = unregister_ftrace_function(&hook->ops);
	unsigned int polls = 0;

	/* Not ftrace_set_filter_ip(), which needs memory to take an address away. */
	if (!err)
		ftrace_free_filter(&hook->ops);
	/*
	 * Who was redirected and has not begun to count yet, or has just ended,
	 * does not sleep there: one tasks grace period before and one after.
	 * Who is asleep in the replacement is not waited for by either.
	 */
	synchronize_rcu_tasks();
	while (calls_running(hook)) {
		if (++polls % CALLS_REPORT_POLLS == 0)
			pr_info("waiting for %lu calls of %s() to end\n", calls_running(hook),
				hook->spec.symbol);
		msleep(CALLS_POLL_MS);
	}
	synchronize_rcu_tasks();
	if (err) {
		stay_in_memory(hook);
		return;
	}
	free_percpu(hook->calls);
	hook->calls = NULL;
}

static int hook_arm(struct hook *hook)
{
	struct hook_refusal why;
	int err;

	lockdep_assert_held(&hook_mutex);
	err = hook->spec.kind == HOOK_ENTRY ? entry_arm(hook) : redirect_arm(hook);
	if (!err) {
		WRITE_ONCE(hook->active, true);
		return 0;
	}
	why = hook_refusal(err, hook->spec.kind);
	pr_warn("cannot hook %s()%s%s: %s (%d)%s; %s\n", hook->spec.symbol,
		hook->spec.module ? " of " : "", hook->spec.module ?: "", why.reason, err,
		hook->spec.optional ? ", doing without" : "", why.remedy);
	return hook->spec.optional ? 0 : err;
}

static void hook_disarm(struct hook *hook)
{
	lockdep_assert_held(&hook_mutex);
	if (!hook->active)
		return;
	WRITE_ONCE(hook->active, false);
	if (hook->spec.kind == HOOK_ENTRY)
		entry_disarm(hook);
	else
		redirect_disarm(hook);
}

static bool in_module(const struct hook *hook, const char *module)
{
	if (!hook->spec.module || !module)
		return hook->spec.module == module;
	return !strcmp(hook->spec.module, module);
}

static void disarm_module(struct hook_set *set, const char *module)
{
	unsigned int i;

	for (i = set->nr; i-- > 0;)
		if (in_module(&set->hooks[i], module))
			hook_disarm(&set->hooks[i]);
}

/* All hooks in one module (NULL: the kernel), or none of them. */
static int arm_module(struct hook_set *set, const char *module)
{
	unsigned int i;
	int err;

	for (i = 0; i < set->nr; i++) {
		if (!in_module(&set->hooks[i], module) || set->hooks[i].active)
			continue;
		err = hook_arm(&set->hooks[i]);
		if (err) {
			disarm_module(set, module);
			return err;
		}
	}
	return 0;
}

/**
 * hook_module_is_loaded - whether a module is there
 * @name: its name, with underscores
 *
 * find_module() is not exported: 089049f6c995 ("module: unexport find_module and
 * module_mutex") in v5.12. What is loaded, or built in with parameters, has a
 * kobject in the set that our own module's is in.
 *
 * Context: may sleep.
 */
bool hook_module_is_loaded(const char *name)
{
	struct kobject *kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);

	kobject_put(kobj);
	return kobj;
}

static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct hook_set *set = container_of(nb, struct hook_set, modules);
	const struct module *mod = data;

	mutex_lock(&hook_mutex);
	/*
	 * A module that cannot be hooked is let in all the same: it is there to
	 * serve data, and does without us. hook_arm() said so in the log.
	 *
	 * One that was on its way while the table was registered: its COMING was too
	 * early for us, and it could not be seen yet. It is hooked when it is LIVE.
	 */
	if (event == MODULE_STATE_COMING) {
		arm_module(set, mod->name);
		set->last_coming = mod;
	} else if (event == MODULE_STATE_LIVE && mod != set->last_coming) {
		arm_module(set, mod->name);
	} else if (event == MODULE_STATE_GOING) {
		disarm_module(set, mod->name);
	}
	mutex_unlock(&hook_mutex);
	return NOTIFY_OK;
}

static int check_table(const struct hook_set *set)
{
	unsigned int i, j;

	for (i = 0; i < set->nr; i++) {
		const struct hook *hook = &set->hooks[i];
		const char *wrong = hook_spec_error(&hook->spec, hook->entry, hook->replacement);

		for (j = 0; !wrong && j < i; j++)
			if (hook_spec_same(&hook->spec, &set->hooks[j].spec))
				wrong = "hooked twice";
		if (wrong) {
			pr_err("hook %u (%s): %s\n", i, hook->spec.symbol ?: "?", wrong);
			return -EINVAL;
		}
	}
	return 0;
}

/**
 * hooks_register - put all hooks of a table in place, or none
 * @set: the table; must stay until hooks_unregister()
 *
 * Hooks in modules that are not loaded are put in place when they come, all
 * of one module or none. What cannot be had is said in the log, with a remedy.
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with nothing hooked.
 */
int hooks_register(struct hook_set *set)
{
	unsigned int i;
	int err;

	err = check_table(set);
	if (err)
		return err;
	set->modules.notifier_call = module_event;
	/* A module that has come since the last time may be where that one was. */
	set->last_coming = NULL;
	err = register_module_notifier(&set->modules);
	if (err)
		return err;

	mutex_lock(&hook_mutex);
	err = arm_module(set, NULL);
	for (i = 0; !err && i < set->nr; i++)
		if (set->hooks[i].spec.module && hook_module_is_loaded(set->hooks[i].spec.module))
			err = arm_module(set, set->hooks[i].spec.module);
	mutex_unlock(&hook_mutex);
	/* An event that waited for the mutex puts hooks in place now: the notifier goes first. */
	if (err)
		hooks_unregister(set);
	return err;
}

/**
 * hooks_unregister - take all hooks of a table out
 * @set: the table
 *
 * When it returns, no callback or replacement of the table runs or will.
 * Waits for calls that are asleep in a replacement, and says so every 10 s.
 *
 * Context: may sleep.
 */
void hooks_unregister(struct hook_set *set)
{
	unsigned int i;

	unregister_module_notifier(&set->modules);
	mutex_lock(&hook_mutex);
	for (i = set->nr; i-- > 0;)
		hook_disarm(&set->hooks[i]);
	mutex_unlock(&hook_mutex);
}

/**
 * hooks_stay - do not return if a hook could not be taken out
 *
 * Better a rmmod or a modprobe that never ends than a call into freed memory: a module whose init
 * fails is freed whoever has a reference, and so is one by a forced unload.
 *
 * Context: may sleep, without locks; after hooks_unregister() at exit, or where init fails.
 */
void hooks_stay(void)
{
	while (READ_ONCE(stuck))
		msleep(CALLS_POLL_MS * CALLS_REPORT_POLLS);
}

/**
 * hook_missed - calls that an entry hook did not see since it was registered
 * @hook: the hook
 *
 * Return: calls beyond &hook.max_calls at a time, and calls made from within
 *	another probe.
 */
unsigned long hook_missed(const struct hook *hook)
{
	return hook_is_active(hook) && hook->spec.kind == HOOK_ENTRY ?
	       READ_RACY(hook->probe.nmissed) + READ_RACY(hook->probe.kp.nmissed) : 0;
}

/**
 * hooks_missed - calls that the entry hooks of a table did not see
 * @set: the table
 *
 * Return: the sum of hook_missed().
 */
unsigned long hooks_missed(const struct hook_set *set)
{
	unsigned long missed = 0;
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		missed += hook_missed(&set->hooks[i]);
	return missed;
}
