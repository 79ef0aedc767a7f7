// SPDX-License-Identifier: GPL-2.0-only
/*
 * One record for each superblock that the rule was applied to. "Mount" means a superblock here,
 * because mounts that share a superblock share its readahead.
 *
 * A record holds a reference to the backing_dev_info, which pins its memory and nothing else. So
 * the readahead can be read and restored whether or not the superblock still exists. No record
 * refers to a superblock or needs its lock, so a dead server cannot block disabling this module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nfs_fs.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>
#include <linux/workqueue.h>

#include "common/read_racy.h"
#include "counters.h"
#include "mounts.h"
#include "rule.h"

/*
 * Free records, because a probe cannot wait for memory: this many superblocks can be mounted before
 * the work item runs.
 */
#define FREE_RECORDS	64

#define SERVER_LEN	64

/**
 * struct nra_mount - the record of one superblock
 * @list: in mounts or free_records
 * @by_bdi: in mounts_by_bdi, while in mounts
 * @gone: in a list of records to free, while RCU readers may still be at @list
 * @bdi: has the readahead; with a reference
 * @rsize: bytes
 * @before: readahead before the rule, pages
 * @set: readahead by the rule, pages
 * @max_window: limit of the windows of its files, pages; 0: windows do not grow
 * @written: a task wrote to read_ahead_kb since
 * @writer: the name of that task
 * @server: the server's name
 */
struct nra_mount {
	struct list_head list;
	struct hlist_node by_bdi;
	struct list_head gone;
	struct backing_dev_info *bdi;
	unsigned int rsize;
	unsigned long before;
	unsigned long set;
	unsigned long max_window;
	bool written;
	char writer[TASK_COMM_LEN];
	char server[SERVER_LEN];
};

/*
 * Protects changes to the lists and the hash table, and @written and @writer of a record. Raw,
 * because probes take it and must not sleep on a real-time kernel either. Innermost. Readers of the
 * mounts use RCU.
 */
static DEFINE_RAW_SPINLOCK(mounts_lock);
static LIST_HEAD(mounts);
/* By bdi, because automounted homes are thousands of mounts and each marker looks one up. */
static DEFINE_HASHTABLE(mounts_by_bdi, 8);
static LIST_HEAD(free_records);
static unsigned int nr_free_records;

static int nra_records_fill(void)
{
	while (READ_ONCE(nr_free_records) < FREE_RECORDS) {
		/* NOFS: nra_mounts_apply() holds a superblock's lock. */
		struct nra_mount *mount = kzalloc(sizeof(*mount), GFP_NOFS);

		if (!mount)
			return -ENOMEM;
		raw_spin_lock(&mounts_lock);
		list_add(&mount->list, &free_records);
		WRITE_ONCE(nr_free_records, nr_free_records + 1);
		raw_spin_unlock(&mounts_lock);
	}
	return 0;
}

static struct nra_mount *nra_record_take(void)
{
	struct nra_mount *mount;

	raw_spin_lock(&mounts_lock);
	mount = list_first_entry_or_null(&free_records, struct nra_mount, list);
	if (mount) {
		list_del(&mount->list);
		WRITE_ONCE(nr_free_records, nr_free_records - 1);
	}
	raw_spin_unlock(&mounts_lock);
	return mount;
}

/* The caller holds rcu_read_lock(). */
static struct nra_mount *nra_record_find(const struct backing_dev_info *bdi)
{
	struct nra_mount *mount;

	hash_for_each_possible_rcu(mounts_by_bdi, mount, by_bdi, (unsigned long)bdi)
		if (mount->bdi == bdi)
			return mount;
	return NULL;
}

/* Free the records of unmounted superblocks, or all. */
static void nra_records_remove(bool all)
{
	struct nra_mount *mount, *next;
	LIST_HEAD(gone);

	raw_spin_lock(&mounts_lock);
	list_for_each_entry_safe(mount, next, &mounts, list) {
		if (all || !READ_ONCE(mount->bdi->dev)) {
			list_del_rcu(&mount->list);
			hash_del_rcu(&mount->by_bdi);
			list_add(&mount->gone, &gone);
		}
	}
	raw_spin_unlock(&mounts_lock);
	synchronize_rcu();
	list_for_each_entry_safe(mount, next, &gone, gone) {
		bdi_put(mount->bdi);
		kfree(mount);
	}
}

/* Runs after each mount, so there are never more records than there were mounts at a time. */
static void nra_reap_unmounted(struct work_struct *work)
{
	nra_records_remove(false);
	nra_records_fill();
}
static DECLARE_WORK(reap_work, nra_reap_unmounted);

/*
 * The name comes from the transport, not from the nfs_client: a mount that moves to another server
 * gets another nfs_client, and nothing tells when the old one is freed with its name. A transport
 * is freed by RCU, and a move waits for a grace period before the name is freed. A move that fails
 * after its new transport is in place does not wait (rpc_switch_client_transport()), and there is
 * no lock against that.
 */
static void nra_copy_server_name(char *name, const struct nfs_server *server)
{
	rcu_read_lock();
	strscpy(name, rcu_dereference(server->client->cl_xprt)->servername, SERVER_LEN);
	rcu_read_unlock();
}

/* A new mount has the kernel's default. Somebody set any other value, even if the rule agrees. */
static bool was_set_by_hand(const struct nra_mount *mount)
{
	return mount->before != VM_READAHEAD_PAGES;
}

static void nra_apply_rule(struct super_block *sb, const struct nra_rule *rule,
			   enum nra_counter changed)
{
	const struct nfs_server *server = sb->s_fs_info;
	struct backing_dev_info *bdi = sb->s_bdi;
	struct nra_mount *mount = nra_record_take();
	/* It may change at any time, when the mount moves to another server. */
	unsigned int rsize = READ_RACY(server->rsize);

	schedule_work(&reap_work);
	if (!mount) {
		nra_count(NRA_C_LEFT_MEMORY);
		return;
	}
	mount->bdi = bdi_get(bdi);
	mount->rsize = rsize;
	mount->before = READ_ONCE(bdi->ra_pages);
	mount->set = nra_rule_pages(rule, rsize, VM_READAHEAD_PAGES, PAGE_SIZE);
	mount->max_window = nra_rule_max_window(rule, rsize, PAGE_SIZE);
	mount->written = false;
	nra_copy_server_name(mount->server, server);
	if (was_set_by_hand(mount))
		nra_count(NRA_C_LEFT_BY_HAND);
	else if (mount->set == mount->before)
		nra_count(NRA_C_LEFT_SAME);
	else if (cmpxchg(&bdi->ra_pages, mount->before, mount->set) == mount->before)
		nra_count(changed);
	else
		nra_count(NRA_C_LEFT_BY_HAND);

	/* After the value is set, because a write that finds the record counts as the later. */
	raw_spin_lock(&mounts_lock);
	list_add_tail_rcu(&mount->list, &mounts);
	hash_add_rcu(mounts_by_bdi, &mount->by_bdi, (unsigned long)bdi);
	raw_spin_unlock(&mounts_lock);
}

/**
 * nra_type_is_kernel_nfs - whether a file system is the kernel's NFS client
 * @type: the file system, with a reference or of a superblock
 *
 * Some vendors (VAST) replace the kernel's client by their own of the same name, which may have
 * other structures. This counts their types and mounts.
 *
 * Context: any.
 */
bool nra_type_is_kernel_nfs(const struct file_system_type *type)
{
	if (!nra_is_nfs(type->name, type->owner ? module_name(type->owner) : NULL))
		return false;
	if (!type->owner || !test_bit(TAINT_OOT_MODULE, &type->owner->taints))
		return true;
	nra_count(NRA_C_LEFT_FOREIGN);
	pr_info_once("unsupported NFS client: it did not come with this kernel, so its mounts are left alone\n");
	return false;
}

/**
 * nra_mounts_new - apply the rule to a new superblock
 * @sb: an NFS superblock that has just got its backing_dev_info; locked
 * @rule: the parameters
 *
 * Context: any but interrupts; does not wait.
 */
void nra_mounts_new(struct super_block *sb, const struct nra_rule *rule)
{
	nra_apply_rule(sb, rule, NRA_C_SET_MOUNT);
}

/**
 * nra_mounts_apply - apply the rule to an existing superblock, unless it has a record
 * @sb: an NFS superblock; locked
 * @rule: the parameters
 *
 * Context: may sleep.
 */
void nra_mounts_apply(struct super_block *sb, const struct nra_rule *rule)
{
	bool known;

	rcu_read_lock();
	known = nra_record_find(sb->s_bdi);
	rcu_read_unlock();
	if (known)
		return;
	nra_records_fill();
	nra_apply_rule(sb, rule, NRA_C_SET_APPLY);
}

/**
 * nra_mounts_note_write - note that the current task wrote to read_ahead_kb
 * @bdi: the written one, of a mount or not
 *
 * Context: any but interrupts; does not wait.
 */
void nra_mounts_note_write(struct backing_dev_info *bdi)
{
	struct nra_mount *mount;

	rcu_read_lock();
	mount = nra_record_find(bdi);
	if (mount) {
		raw_spin_lock(&mounts_lock);
		WRITE_ONCE(mount->written, true);
		strscpy(mount->writer, current->comm, sizeof(mount->writer));
		raw_spin_unlock(&mounts_lock);
		nra_count(NRA_C_OVERRIDDEN);
		/* nfs-utils' rule writes for every mount, whether or not nfs.conf says anything. */
		if (strstr(current->comm, "udev"))
			pr_info_once("cannot keep the readahead of %s: a udev rule has set read_ahead_kb; if it is nfsrahead's, nfs-ra(4) says how to leave mounts to nfs-ra\n",
				     bdi_dev_name(bdi));
	}
	rcu_read_unlock();
}

static enum nra_owner nra_mount_owner(const struct nra_mount *mount, unsigned long now)
{
	return nra_readahead_owner(mount->before, mount->set, now,
				   was_set_by_hand(mount) || READ_ONCE(mount->written));
}

/**
 * nra_mounts_max_window - limit of the windows of a mount's files
 * @bdi: the mount's, or any other
 *
 * Context: any but interrupts, under RCU; does not wait.
 * Return: pages; 0: windows do not grow, because there is no record or somebody set the readahead.
 */
unsigned long nra_mounts_max_window(const struct backing_dev_info *bdi)
{
	const struct nra_mount *mount = nra_record_find(bdi);

	if (!mount || nra_mount_owner(mount, READ_ONCE(bdi->ra_pages)) == NRA_OTHERS)
		return 0;
	return mount->max_window;
}

static unsigned long to_kb(unsigned long pages)
{
	return pages << (PAGE_SHIFT - 10);
}

static void nra_mount_show(struct seq_file *m, struct nra_mount *mount)
{
	unsigned long now = READ_ONCE(mount->bdi->ra_pages);
	static const char *const by[] = { "kernel", "nfs-ra", "other" };
	char writer[TASK_COMM_LEN];
	enum nra_owner owner;
	bool written;

	raw_spin_lock(&mounts_lock);
	written = mount->written;
	memcpy(writer, mount->writer, sizeof(writer));
	raw_spin_unlock(&mounts_lock);

	owner = nra_mount_owner(mount, now);
	seq_printf(m, "%-9s %9u %9lu %9lu %9lu ", bdi_dev_name(mount->bdi), mount->rsize,
		   to_kb(mount->before), to_kb(mount->set), to_kb(now));
	seq_escape(m, written ? writer : by[owner], " \t\n\\");
	seq_printf(m, " %lu ", owner == NRA_OTHERS ? 0 : to_kb(mount->max_window));
	seq_escape(m, mount->server, " \t\n\\");
	seq_putc(m, '\n');
}

void nra_mounts_show(struct seq_file *m)
{
	struct nra_mount *mount;

	seq_puts(m, "bdi           rsize before_kb    set_kb    now_kb set_by auto_kb server\n");
	rcu_read_lock();
	list_for_each_entry_rcu(mount, &mounts, list)
		if (READ_ONCE(mount->bdi->dev))
			nra_mount_show(m, mount);
	rcu_read_unlock();
}

static void nra_mount_restore(struct nra_mount *mount)
{
	unsigned long now = READ_ONCE(mount->bdi->ra_pages);

	switch (nra_mount_owner(mount, now)) {
	case NRA_KERNEL:
		break;
	case NRA_OURS:
		if (cmpxchg(&mount->bdi->ra_pages, mount->set, mount->before) == mount->set) {
			nra_count(NRA_C_RESTORED);
			break;
		}
		fallthrough;
	case NRA_OTHERS:
		nra_count(NRA_C_NOT_RESTORED);
		break;
	}
}

/**
 * nra_mounts_create - allocate the free records
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int nra_mounts_create(void)
{
	int err = nra_records_fill();

	if (err)
		nra_mounts_destroy();
	return err;
}

/**
 * nra_mounts_restore - restore the readahead of mounts that still have the rule's
 *
 * Context: may sleep; no mount is added any more.
 */
void nra_mounts_restore(void)
{
	struct nra_mount *mount;

	rcu_read_lock();
	list_for_each_entry_rcu(mount, &mounts, list)
		if (READ_ONCE(mount->bdi->dev))
			nra_mount_restore(mount);
	rcu_read_unlock();
}

/* When no hook is in place any more. */
void nra_mounts_destroy(void)
{
	struct nra_mount *mount, *next;

	cancel_work_sync(&reap_work);
	nra_records_remove(true);
	list_for_each_entry_safe(mount, next, &free_records, list)
		kfree(mount);
	INIT_LIST_HEAD(&free_records);
	WRITE_ONCE(nr_free_records, 0);
}
