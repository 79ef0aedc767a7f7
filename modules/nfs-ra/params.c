// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "auto.h"
#include "common/module.h"
#include "common/param.h"
#include "params.h"

static struct param_range apply = { .max = 1, .unit = "" };
module_param_cb(apply, &param_range_ops, &apply, 0644);
MODULE_PARM_DESC(apply, "apply the rule to existing mounts when enable is set to 1: 0 or 1 (default 0)");

static struct param_range multiple = {
	.value = 4,
	.min = 1,
	.max = NRA_MULTIPLE_MAX,
	.unit = "",
	.word = "auto",
	.word_value = NRA_AUTO,
};

/* The hook stays until the module is disabled, because a mount keeps the rule of its time. */
static int nra_multiple_set(const char *val, const struct kernel_param *kp)
{
	if (sysfs_streq(val, multiple.word) && seqkeep_is_enabled()) {
		int err = nra_auto_hooks_register();

		if (err)
			return err;
	}
	return param_range_ops.set(val, kp);
}

static int nra_multiple_get(char *buf, const struct kernel_param *kp)
{
	return param_range_print(&multiple, multiple.value, buf);
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
