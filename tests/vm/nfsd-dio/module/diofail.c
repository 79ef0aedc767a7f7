// SPDX-License-Identifier: GPL-2.0-only
/*
 * What nfsd-dio calls does its work and then says that it failed, as no disk can be made to on
 * each kernel: a direct write that ends early, a file whose times cannot be changed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/magic.h>
#include <linux/module.h>

/* How long a failure takes, ms: others come to wait for it. */
#define FAILURE_MS	5

static int write_result;
module_param(write_result, int, 0644);
MODULE_PARM_DESC(write_result, "what direct writes return; 0: what they do");

static int times_result;
module_param(times_result, int, 0644);
MODULE_PARM_DESC(times_result, "what file_update_time() returns on XFS; 0: what it does");

/* Others than 0: the return is not looked at. */
static int write_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct kiocb *iocb = (const void *)regs_get_kernel_argument(regs, 1);

	return !READ_ONCE(write_result) || !(iocb->ki_flags & IOCB_DIRECT);
}
NOKPROBE_SYMBOL(write_entry);

static int write_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, (long)READ_ONCE(write_result));
	return 0;
}
NOKPROBE_SYMBOL(write_returned);

static int times_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct file *file = (const void *)regs_get_kernel_argument(regs, 0);

	/* What the test itself writes goes elsewhere. */
	return !READ_ONCE(times_result) || file_inode(file)->i_sb->s_magic != XFS_SUPER_MAGIC;
}
NOKPROBE_SYMBOL(times_entry);

static int times_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	mdelay(FAILURE_MS);
	regs_set_return_value(regs, (long)READ_ONCE(times_result));
	return 0;
}
NOKPROBE_SYMBOL(times_returned);

static struct kretprobe write_probe = {
	.kp.symbol_name = "vfs_iocb_iter_write",
	.entry_handler = write_entry,
	.handler = write_returned,
	.maxactive = 128,
};

static struct kretprobe times_probe = {
	.kp.symbol_name = "file_update_time",
	.entry_handler = times_entry,
	.handler = times_returned,
	.maxactive = 128,
};

static struct kretprobe *probes[] = { &write_probe, &times_probe };

static int __init diofail_init(void)
{
	return register_kretprobes(probes, ARRAY_SIZE(probes));
}

static void __exit diofail_exit(void)
{
	unregister_kretprobes(probes, ARRAY_SIZE(probes));
}

module_init(diofail_init);
module_exit(diofail_exit);
MODULE_DESCRIPTION("seqkeep test: direct writes and changes of times that fail");
MODULE_LICENSE("GPL");
