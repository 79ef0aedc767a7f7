// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "auto.h"
#include "common/param.h"
#include "params.h"

static struct param_switch enable = {
	.on = nra_enable,
	.off = nra_disable,
};
module_param_cb(enable, &param_switch_ops, &enable, 0644);
MODULE_PARM_DESC(enable, "set the readahead of NFS mounts: 0 or 1 (default 0)");

static struct param_range apply = { .max = 1, .unit = "" };
module_param_cb(apply, &param_range_ops, &apply, 0644);
MODULE_PARM_DESC(apply, "apply the rule to existing mounts when enable is set to 1: 0 or 1 (default 0)");

static struct param_range multiple = {
	.value = 4,
	.min = 1,
	.max = NRA_MULTIPLE_MAX,
	.unit = ", nor auto",
};

/* The hook stays until the module is disabled, because a mount keeps the rule of its time. */
static int nra_multiple_set(const char *val, const struct kernel_param *kp)
{
	int err;

	if (!sysfs_streq(val, "auto"))
		return param_range_ops.set(val, kp);
	if (enable.live && enable.wanted) {
		err = nra_auto_hooks_register();
		if (err)
			return err;
	}
	WRITE_ONCE(multiple.value, NRA_AUTO);
	return 0;
}

static int nra_multiple_get(char *buf, const struct kernel_param *kp)
{
	return nra_param_is_auto() ? sysfs_emit(buf, "auto\n") : param_range_ops.get(buf, kp);
}

static const struct kernel_param_ops nra_multiple_ops = {
	.set = nra_multiple_set,
	.get = nra_multiple_get,
};
module_param_cb(multiple, &nra_multiple_ops, &multiple, 0644);
MODULE_PARM_DESC(multiple, "readahead in multiples of rsize: 1..64, or auto: windows grow while a file is read in sequence (default 4)");

static struct param_range min_kb = { .max = NRA_KB_MAX, .unit = " KiB" };
module_param_cb(min_kb, &param_range_ops, &min_kb, 0644);
MODULE_PARM_DESC(min_kb, "least readahead, KiB: 0..262144; 0: the kernel's default (default 0)");

static struct param_range max_kb = { .max = NRA_KB_MAX, .unit = " KiB" };
module_param_cb(max_kb, &param_range_ops, &max_kb, 0644);
MODULE_PARM_DESC(max_kb, "greatest readahead, KiB: 0..262144; 0: no limit (default 0)");

struct nra_rule nra_param_rule(void)
{
	return (struct nra_rule) {
		.multiple = READ_ONCE(multiple.value),
		.min_kb = READ_ONCE(min_kb.value),
		.max_kb = READ_ONCE(max_kb.value),
	};
}

bool nra_param_is_auto(void)
{
	return READ_ONCE(multiple.value) == NRA_AUTO;
}

bool nra_param_apply(void)
{
	return READ_ONCE(apply.value);
}

/**
 * nra_params_start - act on enable, at load and from now on
 *
 * Context: may sleep.
 * Return: 0, or the error of nra_enable().
 */
int nra_params_start(void)
{
	return param_start(&enable);
}

/**
 * nra_params_stop - disable for good
 *
 * Context: may sleep.
 */
void nra_params_stop(void)
{
	param_stop(&enable);
}
