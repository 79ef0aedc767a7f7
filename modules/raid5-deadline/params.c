// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "params.h"

struct param_range r5d_deadline = {
	.value = R5D_AUTO,
	.max = 10000,
	.base = 10,
	.unit = " ms",
	.word = "auto",
	.word_value = R5D_AUTO,
};
module_param_cb(deadline, &param_range_ops, &r5d_deadline, 0644);
MODULE_PARM_DESC(deadline, "how long a partial stripe is held, ms, 0..10000, or auto; for arrays without a stripe_deadline of their own (default auto)");

struct param_range r5d_cache_mb = {
	.value = 64,
	.max = 1024,
	.unit = " MiB",
};
module_param_cb(cache_mb, &param_range_ops, &r5d_cache_mb, 0644);
MODULE_PARM_DESC(cache_mb, "largest size that an array's stripe cache is raised to, MiB, 0..1024; 0: not raised (default 64)");
