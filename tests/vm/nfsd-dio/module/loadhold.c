// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds nfsd while it is being loaded, after the kernel has told its notifiers that nfsd is coming
 * and before nfsd can be found in sysfs: parse_args() is between the two.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

/* ms */
#define HOLD_MAX	60000

static bool hold = true;
module_param(hold, bool, 0644);
MODULE_PARM_DESC(hold, "hold nfsd; 0 lets it go");

static bool holding;
module_param(holding, bool, 0444);
MODULE_PARM_DESC(holding, "nfsd is held");

static int parse_handler(struct kprobe *probe, struct pt_regs *regs)
{
	const char *doing = (const char *)regs_get_kernel_argument(regs, 0);
	unsigned int ms;

	if (strcmp(doing, "nfsd"))
		return 0;
	WRITE_ONCE(holding, true);
	for (ms = 0; READ_ONCE(hold) && ms < HOLD_MAX; ms++)
		mdelay(1);
	WRITE_ONCE(holding, false);
	return 0;
}
NOKPROBE_SYMBOL(parse_handler);

static struct kprobe probe = {
	.symbol_name = "parse_args",
	.pre_handler = parse_handler,
};

static int __init loadhold_init(void)
{
	return register_kprobe(&probe);
}

static void __exit loadhold_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(loadhold_init);
module_exit(loadhold_exit);
MODULE_DESCRIPTION("seqkeep test: hold nfsd while it is being loaded");
MODULE_LICENSE("GPL");
