// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "common/param.h"
#include "params.h"

#define CACHE_MB_DEFAULT	64
#define CACHE_MB_MAX		1024

static struct param_switch enable = {
	.on = r5d_enable,
	.off = r5d_disable,
};
module_param_cb(enable, &param_switch_ops, &enable, 0644);
MODULE_PARM_DESC(enable, "hold partial stripes: 0 or 1 (default 0)");

static int deadline = R5D_AUTO;

/**
 * r5d_parse_deadline - parse a deadline
 * @text: a number of ms or "auto", perhaps with a newline
 * @setting: set to ms or %R5D_AUTO
 *
 * Return: 0 or -EINVAL.
 */
int r5d_parse_deadline(const char *text, int *setting)
{
	unsigned int ms;

	if (sysfs_streq(text, "auto")) {
		*setting = R5D_AUTO;
		return 0;
	}
	if (kstrtouint(text, 10, &ms) || ms > R5D_MAX_MS)
		return -EINVAL;
	*setting = ms;
	return 0;
}

/**
 * r5d_print_deadline - print a deadline as r5d_parse_deadline() takes it
 * @setting: ms or %R5D_AUTO
 * @buf: a page
 *
 * Return: its length.
 */
int r5d_print_deadline(int setting, char *buf)
{
	return setting == R5D_AUTO ? sysfs_emit(buf, "auto\n") : sysfs_emit(buf, "%d\n", setting);
}

static int deadline_set(const char *val, const struct kernel_param *kp)
{
	int setting;

	if (r5d_parse_deadline(val, &setting)) {
		pr_warn("deadline: \"%.*s\" is neither auto nor in 0..%d ms (-EINVAL)\n",
			param_shown(val), val, R5D_MAX_MS);
		return -EINVAL;
	}
	WRITE_ONCE(deadline, setting);
	return 0;
}

static int deadline_get(char *buf, const struct kernel_param *kp)
{
	return r5d_print_deadline(deadline, buf);
}

static const struct kernel_param_ops deadline_ops = {
	.set = deadline_set,
	.get = deadline_get,
};
module_param_cb(deadline, &deadline_ops, NULL, 0644);
MODULE_PARM_DESC(deadline, "how long a partial stripe is held, ms, 0..10000, or auto; for arrays without a stripe_deadline of their own (default auto)");

static struct param_range cache_mb = {
	.value = CACHE_MB_DEFAULT,
	.max = CACHE_MB_MAX,
	.unit = " MiB",
};
module_param_cb(cache_mb, &param_range_ops, &cache_mb, 0644);
MODULE_PARM_DESC(cache_mb, "largest size that an array's stripe cache is raised to, MiB, 0..1024; 0: not raised (default 64)");

/**
 * r5d_default_deadline - the deadline of arrays without one of their own
 *
 * Return: ms or %R5D_AUTO.
 */
int r5d_default_deadline(void)
{
	return READ_ONCE(deadline);
}

unsigned int r5d_cache_mb(void)
{
	return READ_ONCE(cache_mb.value);
}

/**
 * r5d_params_start - act on enable, at load and from now on
 *
 * Context: may sleep.
 * Return: 0, or the error of r5d_enable().
 */
int r5d_params_start(void)
{
	return param_start(&enable);
}

/**
 * r5d_params_stop - disable for good
 *
 * Context: may sleep.
 */
void r5d_params_stop(void)
{
	param_stop(&enable);
}
