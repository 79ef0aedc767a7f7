// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/crash_dump.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>

#include "hook_redirect.h"
#include "module.h"
#include "param.h"
#include "version.h"

#define ENABLE_FILE	"/sys/module/" KBUILD_MODNAME "/parameters/enable"

/*
 * Parameters can be written from before init until after exit. While the module loads, enable is
 * only remembered. While it runs, enable takes effect at once. The parameter lock protects both.
 */
static enum { LOADING, RUNNING, CLOSED } phase;
static bool enable;

/* The caller holds the parameter lock, as the setter of a parameter does. */
bool seqkeep_is_enabled(void)
{
	return phase == RUNNING && enable;
}

static int seqkeep_start(void)
{
	int err = seqkeep_enable();

	if (err)
		pr_err("failed to enable (%d): %s\n", err, err == -ENOMEM ?
		       "no memory, free some and try again" : "see the line above");
	return err;
}

static int enable_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err = 0;

	if (kstrtobool(val, &on)) {
		pr_warn("%s: \"%.*s\" is not 0 or 1 (-EINVAL)\n", kp->name,
			param_shown(val), val);
		return -EINVAL;
	}
	if (phase == CLOSED)
		return -ENODEV;
	if (phase == RUNNING && on != enable) {
		if (on)
			err = seqkeep_start();
		else
			seqkeep_disable();
	}
	if (!err)
		enable = on;
	return err;
}

static int enable_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%c\n", enable ? 'Y' : 'N');
}

static const struct kernel_param_ops enable_ops = {
	.set = enable_set,
	.get = enable_get,
};
module_param_cb(enable, &enable_ops, NULL, 0644);

/* End of init: enable if the parameter says so. From here on a write to enable acts at once. */
static int seqkeep_finish_load(void)
{
	int err = 0;

	kernel_param_lock(THIS_MODULE);
	/* A crash kernel loads what the system loads at boot. */
	if (enable && is_kdump_kernel()) {
		pr_info("not enabled: a crash kernel needs its memory to save the dump\n");
		enable = false;
	}
	if (enable)
		err = seqkeep_start();
	phase = err ? CLOSED : RUNNING;
	pr_info("version " SEQKEEP_VERSION "%s\n", err ? " not loaded" : enable ? ", enabled" :
		", disabled; enable with: echo 1 > " ENABLE_FILE);
	kernel_param_unlock(THIS_MODULE);
	return err;
}

/* Disable for good. Never returns if a hook cannot be taken out. */
static void seqkeep_close(void)
{
	kernel_param_lock(THIS_MODULE);
	if (seqkeep_is_enabled())
		seqkeep_disable();
	phase = CLOSED;
	kernel_param_unlock(THIS_MODULE);
	hooks_block_unload_if_stuck();
}

static int __init seqkeep_module_init(void)
{
	int err = seqkeep_init();

	if (err) {
		seqkeep_close();
		return err;
	}
	err = seqkeep_finish_load();
	if (err) {
		seqkeep_close();
		seqkeep_exit();
	}
	return err;
}

static void __exit seqkeep_module_exit(void)
{
	seqkeep_close();
	seqkeep_exit();
}

module_init(seqkeep_module_init);
module_exit(seqkeep_module_exit);
MODULE_AUTHOR("seqkeep maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(SEQKEEP_VERSION);
