// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters devices and exports: which files the module serves.
 *
 * An export is a path, as in exports(5), and is compared with the path of the file. So it may be
 * set before the file system is mounted, and nothing keeps one from being unmounted.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "common/device_list.h"
#include "common/list_parse.h"
#include "exports.h"
#include "scope.h"

struct nd_exports {
	struct rcu_head rcu;
	char list[LIST_TEXT_MAX + 1];
};

/* NULL: all. RCU protects readers, the parameter lock writers. */
static struct device_list __rcu *devices;
static struct nd_exports __rcu *exports;

module_param_cb(devices, &device_names_ops, &devices, 0644);
MODULE_PARM_DESC(devices, "list of disks or bdis whose files to serve (sda,md0,8:0); empty: all (default)");

static int nd_exports_set(const char *val, const struct kernel_param *kp)
{
	struct nd_exports *new = kzalloc(sizeof(*new), GFP_KERNEL);
	const char *wrong;

	if (!new)
		return -ENOMEM;
	wrong = nd_exports_parse(val, new->list);
	if (wrong) {
		pr_warn("exports: %s (-EINVAL)\n", wrong);
		kfree(new);
		return -EINVAL;
	}
	if (!new->list[0]) {
		kfree(new);
		new = NULL;
	}
	new = rcu_replace_pointer(exports, new, true);
	if (new)
		kfree_rcu(new, rcu);
	return 0;
}

static int nd_exports_get(char *buf, const struct kernel_param *kp)
{
	const struct nd_exports *set = rcu_dereference_protected(exports, true);

	return sysfs_emit(buf, "%s\n", set ? set->list : "");
}

static void nd_exports_free(void *arg)
{
	kfree(rcu_replace_pointer(exports, NULL, true));
}

static const struct kernel_param_ops exports_ops = {
	.set = nd_exports_set,
	.get = nd_exports_get,
	.free = nd_exports_free,
};
module_param_cb(exports, &exports_ops, NULL, 0644);
MODULE_PARM_DESC(exports, "list of exported directories whose files to serve (/srv/vms,/srv/db); empty: all (default)");

/*
 * Protects path_buffer, because nothing is allocated during a write. The kernel's own locks nest.
 */
static DEFINE_SPINLOCK(path_lock);
static char path_buffer[PATH_MAX];

static bool nd_path_is_listed(const char *list, struct vfsmount *mnt, struct dentry *dentry)
{
	const struct path path = { .mnt = mnt, .dentry = dentry };
	const char *name;
	bool listed;

	spin_lock(&path_lock);
	name = d_path(&path, path_buffer, sizeof(path_buffer));
	listed = !IS_ERR(name) && nd_exports_have(list, name);
	spin_unlock(&path_lock);
	return listed;
}

/*
 * After a restart of the server a client's file handle may give a file that is in no directory
 * yet. Then only its mount has a path, or another name of the file.
 */
static bool nd_file_is_listed(const char *list, const struct file *file, struct dentry *dentry)
{
	struct vfsmount *mnt = file->f_path.mnt;

	return nd_path_is_listed(list, mnt, mnt->mnt_root) ||
	       (dentry && !IS_ROOT(dentry) && nd_path_is_listed(list, mnt, dentry));
}

static bool nd_file_is_exported(const struct file *file)
{
	struct dentry *dentry = file->f_path.dentry, *alias = NULL;
	const struct nd_exports *set;
	bool listed;

	if (!rcu_access_pointer(exports))
		return true;
	if (IS_ROOT(dentry)) {
		alias = d_find_alias(file_inode(file));
		dentry = alias;
	}
	rcu_read_lock();
	set = rcu_dereference(exports);
	listed = !set || nd_file_is_listed(set->list, file, dentry);
	rcu_read_unlock();
	dput(alias);
	return listed;
}

static bool nd_device_is_listed(struct inode *inode)
{
	const struct device_list *list;
	bool listed;

	rcu_read_lock();
	list = rcu_dereference(devices);
	listed = !list || device_list_find(list, inode, inode_to_bdi(inode));
	rcu_read_unlock();
	return listed;
}

/**
 * nd_scope - whether devices and exports have a file
 * @file: the file, open by nfsd
 *
 * Context: may sleep.
 */
enum nd_scope nd_scope(const struct file *file)
{
	if (!nd_device_is_listed(file_inode(file)))
		return ND_OTHER_DEVICE;
	return nd_file_is_exported(file) ? ND_IN_SCOPE : ND_OTHER_EXPORT;
}
