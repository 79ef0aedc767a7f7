// SPDX-License-Identifier: GPL-2.0-only
/* Sets the readahead of NFS mounts by the rule, shows it and restores it. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "common/module.h"
#include "counters.h"
#include "mounts.h"
#include "records.h"
#include "rule.h"

/*
 * rsize, rounded up to pages: NFS stores it for readahead when it has set up the superblock. So no
 * structure of nfs.ko is read, whose layout nothing ties to this build.
 */
static unsigned int nra_rsize(const struct backing_dev_info *bdi)
{
	return READ_ONCE(bdi->io_pages) << PAGE_SHIFT;
}

/* A new mount has the kernel's default. Somebody set any other value, even if the rule agrees. */
static bool is_set_by_hand(const struct nra_mount *mount)
{
	return mount->before != VM_READAHEAD_PAGES || READ_ONCE(mount->written);
}

static enum nra_counter nra_set_readahead(struct nra_mount *mount, const struct nra_rule *rule,
					  enum nra_counter changed)
{
	if (is_set_by_hand(mount) && !rule->override)
		return NRA_C_LEFT_BY_HAND;
	if (mount->set == mount->before)
		return NRA_C_LEFT_SAME;
	if (seqkeep_is_observing())
		return NRA_C_WOULD_SET;
	if (cmpxchg(&mount->bdi->ra_pages, mount->before, mount->set) != mount->before)
		return NRA_C_LEFT_BY_HAND;
	return changed;
}

/* Apply the rule to a mount whose record does not have its rsize yet. */
static void nra_apply_rule(struct nra_mount *mount, const char *server,
			   const struct nra_rule *rule, enum nra_counter changed)
{
	enum nra_counter outcome;

	/* Another mount that shares the superblock may be here too. */
	if (cmpxchg(&mount->rsize, 0, nra_rsize(mount->bdi)))
		return;
	strscpy(mount->server, server, sizeof(mount->server));
	/*
	 * A udev rule may have written during mount(). That is the value to restore; a write after
	 * this one counts again, or changes @before under the cmpxchg(). A write that is noted
	 * only now, after its value was read as @before, still makes the mount its writer's.
	 */
	if (rule->override)
		nra_record_forget_writer(mount);
	mount->before = READ_ONCE(mount->bdi->ra_pages);
	mount->set = nra_rule_pages(rule, mount->rsize, VM_READAHEAD_PAGES, PAGE_SIZE);
	mount->max_window = nra_rule_max_window(rule, mount->rsize, PAGE_SIZE);
	outcome = nra_set_readahead(mount, rule, changed);
	mount->by_hand = outcome == NRA_C_LEFT_BY_HAND;
	nra_count(outcome);
	/* Pairs with nra_record_is_set(). */
	smp_store_release(&mount->is_set, true);
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
	pr_info_once("unsupported NFS client: it did not come with this kernel, so its mounts are skipped\n");
	return false;
}

/**
 * nra_mounts_add - note a new superblock
 * @sb: an NFS superblock that has just got its backing_dev_info; locked
 *
 * Context: any but interrupts; does not wait.
 */
void nra_mounts_add(struct super_block *sb)
{
	struct nra_mount *mount = nra_record_take();

	if (!mount) {
		nra_count(NRA_C_LEFT_MEMORY);
		return;
	}
	mount->bdi = bdi_get(sb->s_bdi);
	nra_record_add(mount);
}

static void nra_mounts_rule(struct super_block *sb, const char *server,
			    const struct nra_rule *rule, enum nra_counter changed)
{
	struct nra_mount *mount;

	rcu_read_lock();
	mount = nra_record_find(sb->s_bdi);
	if (mount)
		nra_apply_rule(mount, server, rule, changed);
	rcu_read_unlock();
}

/**
 * nra_mounts_set - apply the rule to a new superblock that nra_mounts_add() noted
 * @sb: any superblock that can be mounted now; locked
 * @server: the name of the server
 * @rule: the parameters
 *
 * Context: any but interrupts; does not wait.
 */
void nra_mounts_set(struct super_block *sb, const char *server, const struct nra_rule *rule)
{
	nra_mounts_rule(sb, server, rule, NRA_C_SET_MOUNT);
}

/**
 * nra_mounts_apply - apply the rule to an existing superblock, unless that was done
 * @sb: an NFS superblock; locked
 * @rule: the parameters
 *
 * Context: may sleep.
 */
void nra_mounts_apply(struct super_block *sb, const struct nra_rule *rule)
{
	const struct nra_mount *mount;

	rcu_read_lock();
	mount = nra_record_find(sb->s_bdi);
	rcu_read_unlock();
	if (!mount) {
		nra_records_fill();
		nra_mounts_add(sb);
	}
	/* The server's name is in structures of nfs.ko. */
	nra_mounts_rule(sb, "", rule, NRA_C_SET_APPLY);
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
		nra_record_set_writer(mount);
		nra_count(NRA_C_OVERRIDDEN);
		/* nfs-utils' rule writes for every mount, whether or not nfs.conf says anything. */
		if (strstr(current->comm, "udev"))
			pr_info_once("cannot keep the readahead of %s: a udev rule has set read_ahead_kb; if it is nfsrahead's, nfs-ra(4) says how to leave mounts to nfs-ra\n",
				     bdi_dev_name(bdi));
	}
	rcu_read_unlock();
}

/* For a module that only observes, it did not set what it would have set. */
static unsigned long nra_mount_set_pages(const struct nra_mount *mount)
{
	return seqkeep_is_observing() ? mount->before : mount->set;
}

static enum nra_owner nra_mount_owner(const struct nra_mount *mount, unsigned long now)
{
	return nra_readahead_owner(mount->before, nra_mount_set_pages(mount), now,
				   mount->by_hand || READ_ONCE(mount->written));
}

/**
 * nra_mounts_limits - how the windows of a mount's files are bounded
 * @bdi: the mount's, or any other
 * @max_window: set to the limit of windows that grow, pages; 0: they do not grow
 * @habit: set to how far the files of the mount are read, for as long as RCU is held
 *
 * Context: any but interrupts, under RCU; does not wait.
 * Return: false if the stock code decides alone, because there is no record, or somebody set the
 *	readahead.
 */
bool nra_mounts_limits(const struct backing_dev_info *bdi, unsigned long *max_window,
		       struct nra_habit **habit)
{
	struct nra_mount *mount = nra_record_find(bdi);

	if (!mount || !nra_record_is_set(mount) ||
	    nra_mount_owner(mount, READ_ONCE(bdi->ra_pages)) == NRA_OTHERS)
		return false;
	*max_window = mount->max_window;
	*habit = &mount->habit;
	/* A mount that has the kernel's default is none of ours, unless its windows grow. */
	return mount->max_window || mount->set > mount->before;
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
	bool written = nra_record_get_writer(mount, writer);
	enum nra_owner owner = nra_mount_owner(mount, now);

	seq_printf(m, "%-9s %9u %9lu %9lu %9lu ", bdi_dev_name(mount->bdi), mount->rsize,
		   to_kb(mount->before), to_kb(mount->set), to_kb(now));
	seq_escape(m, written ? writer : by[owner], " \t\n\\");
	seq_printf(m, " %lu ", owner == NRA_OTHERS ? 0 : to_kb(mount->max_window));
	seq_escape(m, mount->server[0] ? mount->server : "-", " \t\n\\");
	seq_putc(m, '\n');
}

void nra_mounts_show(struct seq_file *m)
{
	struct nra_mount *mount;

	seq_puts(m, "bdi           rsize before_kb    set_kb    now_kb set_by auto_kb server\n");
	rcu_read_lock();
	list_for_each_entry_rcu(mount, &nra_mounts, list)
		if (nra_record_is_set(mount) && nra_record_is_mounted(mount))
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
 * nra_mounts_restore - restore the readahead of mounts that still have the rule's
 *
 * Context: may sleep; no mount is added any more.
 */
void nra_mounts_restore(void)
{
	struct nra_mount *mount;

	rcu_read_lock();
	list_for_each_entry_rcu(mount, &nra_mounts, list)
		if (nra_record_is_set(mount) && nra_record_is_mounted(mount))
			nra_mount_restore(mount);
	rcu_read_unlock();
}
