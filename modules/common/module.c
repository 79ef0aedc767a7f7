// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/crash_dump.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>

#include "hook_redirect.h"
#include "module.h"
#include "param.h"
#include "version.h"

#define ENABLE_FILE	"/sys/module/" KBUILD_MODNAME "/parameters/enable"

/*
 * Parameters can be written from before init until after exit. While the module loads, the switches
 * are only remembered. While it runs, they take effect at once. The parameter lock protects all
 * of this; the hooks read mode, too, which changes only while none is in place.
 */
static enum { LOADING, RUNNING, CLOSED } phase;
static enum { OFF, OBSERVING, ENABLED } mode;
static bool enable;
bool seqkeep_observe;

/* The caller holds the parameter lock, as the setter of a parameter does. */
bool seqkeep_is_enabled(void)
{
	return phase == RUNNING && mode == ENABLED;
}

bool seqkeep_is_observing(void)
{
	return mode == OBSERVING;
}

static void seqkeep_stop(void)
{
	if (mode != OFF)
		seqkeep_disable();
	mode = OFF;
}

/*
 * Start what the switches ask for. A module that is in one mode stops before it starts in the
 * other, because what it holds or has changed belongs to a mode.
 */
static int seqkeep_start(void)
{
	int wanted = enable ? ENABLED : seqkeep_observe ? OBSERVING : OFF;
	int err;

	if (wanted == mode)
		return 0;
	seqkeep_stop();
	if (wanted == OFF)
		return 0;
	mode = wanted;
	err = seqkeep_enable();
	if (!err)
		return 0;
	pr_err("failed to %s (%d): %s\n", enable ? "enable" : "observe", err, err == -ENOMEM ?
	       "no memory, free some and try again" : "see the line above");
	mode = OFF;
	enable = false;
	seqkeep_observe = false;
	return err;
}

int seqkeep_switch_set(const char *val, const struct kernel_param *kp)
{
	bool on;

	if (param_parse_bool(val, kp, &on))
		return -EINVAL;
	if (phase == CLOSED)
		return -ENODEV;
	*(bool *)kp->arg = on;
	return phase == RUNNING ? seqkeep_start() : 0;
}

int seqkeep_switch_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%c\n", *(bool *)kp->arg ? 'Y' : 'N');
}

static const struct kernel_param_ops enable_ops = {
	.set = seqkeep_switch_set,
	.get = seqkeep_switch_get,
};
module_param_cb(enable, &enable_ops, &enable, 0644);

/* End of init: start as the switches say. From here on a write to them acts at once. */
static int seqkeep_finish_load(void)
{
	const char *outcome = ", disabled; enable with: echo 1 > " ENABLE_FILE;
	int err;

	kernel_param_lock(THIS_MODULE);
	/* A crash kernel loads what the system loads at boot. */
	if ((enable || seqkeep_observe) && is_kdump_kernel()) {
		pr_info("not enabled: a crash kernel needs its memory to save the dump\n");
		enable = false;
		seqkeep_observe = false;
	}
	err = seqkeep_start();
	phase = err ? CLOSED : RUNNING;
	if (err)
		outcome = " not loaded";
	else if (mode == ENABLED)
		outcome = ", enabled";
	else if (mode == OBSERVING)
		outcome = ", observing";
	pr_info("version " SEQKEEP_VERSION "%s\n", outcome);
	kernel_param_unlock(THIS_MODULE);
	return err;
}

/* Disable for good. Never returns if a hook cannot be taken out. */
static void seqkeep_close(void)
{
	kernel_param_lock(THIS_MODULE);
	seqkeep_stop();
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
