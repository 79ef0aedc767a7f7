// SPDX-License-Identifier: GPL-2.0-only
/*
 * nfsd may be loaded before us or after, and come and go meanwhile. Where it is now is
 * kept up to date by the kernel's notifier of modules.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "caller.h"

#define NFSD	"nfsd"

/* Protects changes of nfsd. Nests in the kernel's module notifier chain. */
static DEFINE_MUTEX(nfsd_mutex);
/*
 * Read with preemption disabled. It is cleared when nfsd begins to go, long before its
 * memory does, which takes an RCU grace period.
 */
static struct module *nfsd;

static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, NFSD))
		return NOTIFY_DONE;
	mutex_lock(&nfsd_mutex);
	if (event == MODULE_STATE_COMING)
		WRITE_ONCE(nfsd, mod);
	else if (event == MODULE_STATE_GOING)
		WRITE_ONCE(nfsd, NULL);
	mutex_unlock(&nfsd_mutex);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = module_event };

/* What is loaded, or built in with parameters, is in the set that our own kobject is in. */
static int find_loaded(void)
{
	struct kobject *kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, NFSD);
	struct module *mod;
	int err = 0;

	if (!kobj)
		return 0;
	/* The reference holds the module's memory. One that is going was announced already. */
	mod = container_of(kobj, struct module_kobject, kobj)->mod;
	if (!mod)
		err = -EOPNOTSUPP;
	else if (READ_ONCE(mod->state) != MODULE_STATE_GOING)
		WRITE_ONCE(nfsd, mod);
	kobject_put(kobj);
	return err;
}

/**
 * nd_caller_watch - find nfsd, now and whenever it is loaded
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with a line in the log.
 */
int nd_caller_watch(void)
{
	int err = register_module_notifier(&notifier);

	if (err) {
		pr_err("not enabled: no notifier of modules (%d)\n", err);
		return err;
	}
	mutex_lock(&nfsd_mutex);
	err = find_loaded();
	mutex_unlock(&nfsd_mutex);
	if (err) {
		pr_err("not enabled: nfsd is part of this kernel, and its calls can be told only if it is a module (%d); boot a kernel that has it as one\n",
		       err);
		unregister_module_notifier(&notifier);
	}
	return err;
}

/**
 * nd_caller_unwatch - the reverse
 *
 * Context: may sleep; nd_caller_is_nfsd() is not called any more.
 */
void nd_caller_unwatch(void)
{
	unregister_module_notifier(&notifier);
	WRITE_ONCE(nfsd, NULL);
}

/**
 * nd_caller_is_nfsd - whether a call comes from nfsd
 * @address: where it will return to
 *
 * Context: preemption disabled.
 */
bool notrace nd_caller_is_nfsd(unsigned long address)
{
	const struct module *mod = READ_ONCE(nfsd);

	return mod && within_module_core(address, mod);
}
