// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameter observe, of modules that change something: with enable=0 and observe=1 the hooks
 * are in place and the policy decides and counts, and nothing is changed. enable=1 wins.
 */
#include <linux/moduleparam.h>

#include "module.h"

static const struct kernel_param_ops observe_ops = {
	.set = seqkeep_switch_set,
	.get = seqkeep_switch_get,
};
module_param_cb(observe, &observe_ops, &seqkeep_observe, 0644);
MODULE_PARM_DESC(observe, "while enable is 0, count what the module would do, and do nothing (default 0)");
