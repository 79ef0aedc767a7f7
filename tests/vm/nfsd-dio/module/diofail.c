// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes functions that nfsd-dio calls report failure after they did their work: a direct write that
 * ends early, a file whose times cannot be updated, a sync. No disk can be made to cause the first
 * two on every kernel.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/magic.h>
#include <linux/module.h>

/* How long a failing update or sync takes, ms, so that other writers come to wait for it. */
#define FAILURE_MS	5

static int write_result;
module_param(write_result, int, 0644);
MODULE_PARM_DESC(write_result, "result of direct writes; 0: their own");

static int times_result;
module_param(times_result, int, 0644);
MODULE_PARM_DESC(times_result, "result of file_update_time() on XFS; 0: its own");

static int sync_result;
module_param(sync_result, int, 0644);
MODULE_PARM_DESC(sync_result, "result of vfs_fsync_range() on XFS; 0: its own");

/* A result other than 0 skips the return handler. */
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

	/* The test's own writes go to other file systems. */
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

static int sync_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct file *file = (const void *)regs_get_kernel_argument(regs, 0);

	return !READ_ONCE(sync_result) || file_inode(file)->i_sb->s_magic != XFS_SUPER_MAGIC;
}
NOKPROBE_SYMBOL(sync_entry);

static int sync_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	mdelay(FAILURE_MS);
	regs_set_return_value(regs, (long)READ_ONCE(sync_result));
	return 0;
}
NOKPROBE_SYMBOL(sync_returned);

static struct kretprobe sync_probe = {
	.kp.symbol_name = "vfs_fsync_range",
	.entry_handler = sync_entry,
	.handler = sync_returned,
	.maxactive = 128,
};

static struct kretprobe *probes[] = { &write_probe, &times_probe, &sync_probe };

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
MODULE_DESCRIPTION("seqkeep test: direct writes and time updates that fail");
MODULE_LICENSE("GPL");
