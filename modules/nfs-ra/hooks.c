// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks on three functions of the kernel itself, which are there without nfs.ko:
 *
 *   super_setup_bdi_name()	gives a superblock its backing_dev_info. NFS calls it in one
 *				place, nfs_get_tree_common(), for each new superblock: of
 *				versions 3 and 4, roots of version 4, submounts, referrals. A
 *				mount that shares a superblock does not call it.
 *   vfs_get_tree()		returns that superblock, locked. By then NFS has stored its
 *				rsize in the backing_dev_info, where all can read it, and rsize
 *				is final, because the client has asked the server for its limits
 *				(nfs_probe_fsinfo(), and the session's). No file is open,
 *				because the superblock is not mounted yet.
 *   read_ahead_kb_store()	handles a write to read_ahead_kb, and tells which task wrote.
 *				Static, so it may be missing; then only values are compared.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "common/hook.h"
#include "hooks.h"
#include "mounts.h"
#include "params.h"
#include "rule.h"

/* Calls in flight: each sets up a superblock, or writes to sysfs. */
#define MAX_CALLS	64
/* Calls of vfs_get_tree() for NFS in flight. Each may wait for a server that does not answer. */
#define MAX_MOUNTS	512

static bool nra_setup_bdi_entry(struct pt_regs *regs, void *data)
{
	struct super_block *sb = (void *)regs_get_kernel_argument(regs, 0);

	*(struct super_block **)data = sb;
	return nra_type_is_kernel_nfs(sb->s_type);
}
NOKPROBE_SYMBOL(nra_setup_bdi_entry);

static void nra_setup_bdi_return(struct pt_regs *regs, void *data)
{
	if (!regs_return_value(regs))
		nra_mounts_add(*(struct super_block **)data);
}
NOKPROBE_SYMBOL(nra_setup_bdi_return);

static bool nra_get_tree_entry(struct pt_regs *regs, void *data)
{
	struct fs_context *fc = (void *)regs_get_kernel_argument(regs, 0);

	*(struct fs_context **)data = fc;
	return nra_is_nfs(fc->fs_type->name, NULL);
}
NOKPROBE_SYMBOL(nra_get_tree_entry);

static void nra_get_tree_return(struct pt_regs *regs, void *data)
{
	const struct fs_context *fc = *(struct fs_context **)data;
	char server[NRA_SERVER_LEN];
	struct nra_rule rule;

	if (regs_return_value(regs))
		return;
	nra_server_name(fc->source ?: "", server, sizeof(server));
	rule = nra_param_rule(server);
	nra_mounts_set(fc->root->d_sb, server, &rule);
}
NOKPROBE_SYMBOL(nra_get_tree_return);

static bool nra_store_entry(struct pt_regs *regs, void *data)
{
	struct device *dev = (void *)regs_get_kernel_argument(regs, 0);

	*(struct backing_dev_info **)data = dev_get_drvdata(dev);
	return true;
}
NOKPROBE_SYMBOL(nra_store_entry);

static void nra_store_return(struct pt_regs *regs, void *data)
{
	if ((long)regs_return_value(regs) > 0)
		nra_mounts_note_write(*(struct backing_dev_info **)data);
}
NOKPROBE_SYMBOL(nra_store_return);

static struct hook mount_hooks[] = {
	{
		.spec = { .symbol = "super_setup_bdi_name", .kind = HOOK_ENTRY },
		.entry = nra_setup_bdi_entry,
		.returned = nra_setup_bdi_return,
		.data_size = sizeof(struct super_block *),
		.max_calls = MAX_CALLS,
	},
	{
		.spec = { .symbol = "vfs_get_tree", .kind = HOOK_ENTRY },
		.entry = nra_get_tree_entry,
		.returned = nra_get_tree_return,
		.data_size = sizeof(struct fs_context *),
		.max_calls = MAX_MOUNTS,
	},
};

static struct hook store_hook = {
	.spec = { .symbol = "read_ahead_kb_store", .kind = HOOK_ENTRY, .optional = true },
	.entry = nra_store_entry,
	.returned = nra_store_return,
	.data_size = sizeof(struct backing_dev_info *),
	.max_calls = MAX_CALLS,
};

/* Two sets, because disabling unregisters one, restores values, and unregisters the other. */
static struct hook_set mount_set = { .hooks = mount_hooks, .nr = ARRAY_SIZE(mount_hooks) };
static struct hook_set store_set = { .hooks = &store_hook, .nr = 1 };

/**
 * nra_hooks_register - hook the three functions
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int nra_hooks_register(void)
{
	int err = hooks_register(&store_set);

	if (err)
		return err;
	err = hooks_register(&mount_set);
	if (err)
		hooks_unregister(&store_set);
	return err;
}

/* See no further mounts. */
void nra_hooks_unregister_mount(void)
{
	hooks_unregister(&mount_set);
}

/* See no further writes to read_ahead_kb. */
void nra_hooks_unregister_store(void)
{
	hooks_unregister(&store_set);
}

/* Mounts that a hook missed because too many were in flight. */
unsigned long nra_hooks_missed(void)
{
	return hooks_missed(&mount_set);
}
