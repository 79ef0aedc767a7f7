// SPDX-License-Identifier: GPL-2.0-only
/* Tables of hooks, and the modules that hooks are in or follow. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "hook.h"
#include "hook_entry.h"
#include "hook_redirect.h"
#include "read_racy.h"

/*
 * Protects active and caller of every hook, and closing of every set. Nests in the kernel's module
 * notifier chain.
 */
static DEFINE_MUTEX(hook_mutex);

/*
 * The kernel looks for a bare name in all modules, the youngest first, and a livepatch of a module
 * has functions of the same names.
 */
static const char *full_name(struct hook *hook)
{
	if (!hook->spec.module)
		return hook->spec.symbol;
	snprintf(hook->name, sizeof(hook->name), "%s:%s", hook->spec.module, hook->spec.symbol);
	return hook->name;
}

static int hook_arm(struct hook *hook)
{
	struct hook_refusal why;
	int err;

	lockdep_assert_held(&hook_mutex);
	if (hook->spec.kind == HOOK_ENTRY)
		err = hook_entry_arm(hook, full_name(hook));
	else
		err = hook_redirect_arm(hook, full_name(hook));
	if (!err) {
		WRITE_ONCE(hook->active, true);
		return 0;
	}
	why = hook_refusal(err, hook->spec.kind);
	pr_warn("cannot hook %s()%s%s: %s (%d)%s; %s\n", hook->spec.symbol,
		hook->spec.module ? " of " : "", hook->spec.module ?: "", why.reason, err,
		hook->spec.optional ? ", continuing without it" : "", why.remedy);
	return hook->spec.optional ? 0 : err;
}

static void hook_disarm(struct hook *hook)
{
	lockdep_assert_held(&hook_mutex);
	if (!hook->active)
		return;
	WRITE_ONCE(hook->active, false);
	if (hook->spec.kind == HOOK_ENTRY)
		hook_entry_disarm(hook);
	else
		hook_redirect_disarm(hook);
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

/* Put all hooks in one module (NULL: the kernel) in place, or none of them. */
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

/*
 * find_module() is not exported since 089049f6c995 ("module: unexport find_module and
 * module_mutex") in v5.12. A module that is loaded, or built in with parameters, has a kobject in
 * the set that our own module's kobject is in.
 */
static struct kobject *module_kobject_get(const char *name)
{
	return kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
}

/**
 * hook_module_is_loaded - whether a module is loaded, or built in with parameters
 * @name: its name, with underscores
 *
 * Context: may sleep.
 */
bool hook_module_is_loaded(const char *name)
{
	struct kobject *kobj = module_kobject_get(name);

	kobject_put(kobj);
	return kobj;
}

static int find_caller(struct hook *hook)
{
	struct kobject *kobj = hook->spec.caller ? module_kobject_get(hook->spec.caller) : NULL;
	struct module *mod;
	int err = 0;

	lockdep_assert_held(&hook_mutex);
	if (!kobj)
		return 0;
	/* The reference keeps the module's memory. The notifier reports one that is GOING. */
	mod = container_of(kobj, struct module_kobject, kobj)->mod;
	if (!mod) {
		err = -EOPNOTSUPP;
		pr_err("cannot tell calls from %s: it is built into this kernel (%d); boot a kernel that has it as a module\n",
		       hook->spec.caller, err);
	} else if (READ_ONCE(mod->state) != MODULE_STATE_GOING) {
		WRITE_ONCE(hook->caller, mod);
	}
	kobject_put(kobj);
	return err;
}

static void set_caller(struct hook_set *set, struct module *mod, struct module *value)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (set->hooks[i].spec.caller && !strcmp(set->hooks[i].spec.caller, mod->name))
			WRITE_ONCE(set->hooks[i].caller, value);
}

static int hook_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct hook_set *set = container_of(nb, struct hook_set, modules);
	struct module *mod = data;

	mutex_lock(&hook_mutex);
	if (set->closing && event != MODULE_STATE_GOING)
		goto unlock;
	/*
	 * Never keep a module from loading because it cannot be hooked: its users need it, and it
	 * works without us. hook_arm() has logged the reason.
	 *
	 * A module may have been COMING before the notifier was registered, and invisible to
	 * module_kobject_get() until after that. So act on LIVE as well.
	 */
	if (event == MODULE_STATE_COMING) {
		set_caller(set, mod, mod);
		arm_module(set, mod->name);
		set->last_coming = mod;
	} else if (event == MODULE_STATE_LIVE && mod != set->last_coming) {
		set_caller(set, mod, mod);
		arm_module(set, mod->name);
	} else if (event == MODULE_STATE_GOING) {
		set_caller(set, mod, NULL);
		disarm_module(set, mod->name);
	}
unlock:
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

static int arm_all(struct hook_set *set)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < set->nr; i++)
		err = find_caller(&set->hooks[i]);
	if (!err)
		err = arm_module(set, NULL);
	for (i = 0; !err && i < set->nr; i++)
		if (set->hooks[i].spec.module && hook_module_is_loaded(set->hooks[i].spec.module))
			err = arm_module(set, set->hooks[i].spec.module);
	return err;
}

/**
 * hooks_register - put all hooks of a table in place, or none
 * @set: the table; must stay until hooks_unregister() returns
 *
 * Hooks in a module that is not loaded are put in place when it loads, all of one module or none.
 * The log names every hook that could not be put in place, with the reason and a remedy.
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with nothing hooked.
 */
int hooks_register(struct hook_set *set)
{
	int err;

	err = check_table(set);
	if (err)
		return err;
	set->modules.notifier_call = hook_module_event;
	/* Since then another module may have been loaded at the address of that one. */
	set->last_coming = NULL;
	set->closing = false;
	err = register_module_notifier(&set->modules);
	if (err)
		return err;

	mutex_lock(&hook_mutex);
	err = arm_all(set);
	mutex_unlock(&hook_mutex);
	if (err)
		hooks_unregister(set);
	return err;
}

/**
 * hooks_unregister - take all hooks of a table out
 * @set: the table
 *
 * When it returns, no callback or replacement of the table runs or will run. Waits for calls that
 * sleep in a replacement.
 *
 * Context: may sleep.
 */
void hooks_unregister(struct hook_set *set)
{
	unsigned int i;

	/*
	 * Without the notifier nobody tells us that a caller is GOING, and hook_disarm() may wait
	 * long: forget the callers first. Their memory is freed an RCU grace period after GOING, so
	 * a callback that has read the pointer is safe.
	 */
	mutex_lock(&hook_mutex);
	set->closing = true;
	for (i = 0; i < set->nr; i++)
		WRITE_ONCE(set->hooks[i].caller, NULL);
	mutex_unlock(&hook_mutex);
	/*
	 * The notifier goes before the hooks, and is not called with the mutex held: a call that we
	 * wait for may itself wait for a module to load.
	 */
	unregister_module_notifier(&set->modules);
	mutex_lock(&hook_mutex);
	for (i = set->nr; i-- > 0;)
		hook_disarm(&set->hooks[i]);
	mutex_unlock(&hook_mutex);
}

/**
 * hook_missed - calls that an entry hook did not see since it was registered
 * @hook: the hook
 *
 * Return: calls beyond &hook.max_calls at the same time, and calls from within another probe.
 */
unsigned long hook_missed(const struct hook *hook)
{
	return hook_is_active(hook) && hook->spec.kind == HOOK_ENTRY ?
	       READ_RACY(hook->probe.nmissed) + READ_RACY(hook->probe.kp.nmissed) : 0;
}

/* The sum of hook_missed() over a table. */
unsigned long hooks_missed(const struct hook_set *set)
{
	unsigned long missed = 0;
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		missed += hook_missed(&set->hooks[i]);
	return missed;
}
