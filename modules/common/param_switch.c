// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/crash_dump.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "hook_redirect.h"
#include "param.h"
#include "version.h"

/* Where a module is enabled. */
#define ENABLE	"/sys/module/" KBUILD_MODNAME "/parameters/enable"

static int switch_set(const char *val, const struct kernel_param *kp)
{
	struct param_switch *sw = kp->arg;
	bool on;
	int err = 0;

	if (kstrtobool(val, &on)) {
		pr_warn("%s: \"%.*s\" is not 0 or 1 (-EINVAL)\n", kp->name, param_shown(val), val);
		return -EINVAL;
	}
	if (sw->closed)
		return -ENODEV;
	if (sw->live && on != sw->wanted) {
		if (on)
			err = sw->on();
		else
			sw->off();
	}
	if (!err)
		sw->wanted = on;
	return err;
}

static int switch_get(char *buf, const struct kernel_param *kp)
{
	const struct param_switch *sw = kp->arg;

	return sysfs_emit(buf, "%c\n", sw->wanted ? 'Y' : 'N');
}

/* For module_param_cb(enable, ...) with a struct param_switch. */
const struct kernel_param_ops param_switch_ops = {
	.set = switch_set,
	.get = switch_get,
};

/**
 * param_start - act on a switch, now and from now on; to end the module's init
 * @sw: the switch
 *
 * In a crash kernel, which starts what the system starts, it is off to begin with.
 *
 * Context: may sleep.
 * Return: 0, or the error of &param_switch.on.
 */
int param_start(struct param_switch *sw)
{
	int err = 0;

	kernel_param_lock(THIS_MODULE);
	if (sw->wanted && is_kdump_kernel()) {
		pr_info("left disabled: this kernel has little memory, and is to save a crash dump\n");
		sw->wanted = false;
	}
	if (sw->wanted)
		err = sw->on();
	sw->live = !err;
	sw->closed = err;
	pr_info("version " SEQKEEP_VERSION "%s\n", err ? " not loaded" : sw->wanted ? ", enabled" :
		", disabled; enable with: echo 1 > " ENABLE);
	kernel_param_unlock(THIS_MODULE);
	return err;
}

/**
 * param_stop - switch off for good; to begin the module's exit, or to end an init that fails
 * @sw: the switch
 *
 * Does not return if a hook could not be taken out.
 *
 * Context: may sleep, without locks.
 */
void param_stop(struct param_switch *sw)
{
	kernel_param_lock(THIS_MODULE);
	if (sw->live && sw->wanted)
		sw->off();
	sw->live = false;
	sw->closed = true;
	kernel_param_unlock(THIS_MODULE);
	hooks_block_unload_if_stuck();
}
