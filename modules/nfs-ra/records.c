// SPDX-License-Identifier: GPL-2.0-only
/*
 * One record for each superblock that the rule was applied to. "Mount" means a superblock here,
 * because mounts that share a superblock share its readahead.
 *
 * A record holds a reference to the backing_dev_info, which pins its memory and nothing else. So
 * the readahead can be read and restored whether or not the superblock still exists. No record
 * refers to a superblock or needs its lock, so a dead server cannot block disabling this module.
 */
#include <linux/backing-dev.h>
#include <linux/build_bug.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "records.h"

/*
 * Free records, because a probe cannot wait for memory: this many superblocks can be mounted before
 * the work item runs.
 */
#define FREE_RECORDS	64

/*
 * The work item looks at all records after so many new ones: this part of those that there were
 * after the last time, and one. So each mount costs a few looks, however many there are. It does so
 * also after this time, in jiffies, because all may have been unmounted.
 */
#define LOOK_PART	8
#define LOOK_AFTER	(60 * HZ)

/*
 * Protects changes to the lists and the hash table, and @written and @writer of a record. Raw,
 * because probes take it and must not sleep on a real-time kernel either. Innermost.
 */
static DEFINE_RAW_SPINLOCK(mounts_lock);
LIST_HEAD(nra_mounts);
/* By bdi, because automounted homes are thousands of mounts and each marker looks one up. */
static DEFINE_HASHTABLE(mounts_by_bdi, 10);
static LIST_HEAD(free_records);
static unsigned int nr_free_records;
static_assert(sizeof(struct nra_mount) <= 192);
/* Protected by mounts_lock: records in use, and at how many, or when, to look at all again. */
static unsigned int nr_records, look_at_records;
static unsigned long look_at_jiffies;

/**
 * nra_records_fill - allocate free records up to the number that is kept
 *
 * Context: may sleep; a superblock's lock may be held.
 * Return: 0 or -ENOMEM.
 */
int nra_records_fill(void)
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

/* Take a record out of the lists, for nra_records_free(). */
static void nra_record_remove(struct nra_mount *mount, struct list_head *gone)
{
	raw_spin_lock(&mounts_lock);
	list_del_rcu(&mount->list);
	hash_del_rcu(&mount->by_bdi);
	nr_records--;
	raw_spin_unlock(&mounts_lock);
	list_add(&mount->gone, gone);
}

/*
 * Free the records of unmounted superblocks, or all. Only the work item and nra_records_destroy(),
 * which waits for it, remove records. So it inspects thousands without the lock.
 */
static void nra_records_remove(bool all)
{
	struct nra_mount *mount, *next;
	LIST_HEAD(gone);

	/* A record that is taken out keeps its link to the next one. */
	list_for_each_entry_rcu(mount, &nra_mounts, list, true) {
		if (all || !nra_record_is_mounted(mount))
			nra_record_remove(mount, &gone);
		cond_resched();
	}
	raw_spin_lock(&mounts_lock);
	look_at_records = nr_records + nr_records / LOOK_PART + 1;
	look_at_jiffies = jiffies + LOOK_AFTER;
	raw_spin_unlock(&mounts_lock);
	if (list_empty(&gone))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(mount, next, &gone, gone) {
		bdi_put(mount->bdi);
		kfree(mount);
	}
}

static bool nra_look_is_due(void)
{
	bool due;

	raw_spin_lock(&mounts_lock);
	due = nr_records >= look_at_records || time_after(jiffies, look_at_jiffies);
	raw_spin_unlock(&mounts_lock);
	return due;
}

/* Runs after each mount, so there are hardly more records than there were mounts at a time. */
static void nra_reap_unmounted(struct work_struct *work)
{
	/* First, because a grace period is long when many mounts come at a time. */
	nra_records_fill();
	if (nra_look_is_due())
		nra_records_remove(false);
}
static DECLARE_WORK(reap_work, nra_reap_unmounted);

/**
 * nra_record_take - take a free record, and have the work item allocate another
 *
 * Context: any but interrupts; does not wait.
 * Return: the record, for nra_record_add(); NULL if none is free.
 */
struct nra_mount *nra_record_take(void)
{
	struct nra_mount *mount;

	raw_spin_lock(&mounts_lock);
	mount = list_first_entry_or_null(&free_records, struct nra_mount, list);
	if (mount) {
		list_del(&mount->list);
		WRITE_ONCE(nr_free_records, nr_free_records - 1);
	}
	raw_spin_unlock(&mounts_lock);
	schedule_work(&reap_work);
	return mount;
}

/**
 * nra_record_add - make a record visible
 * @mount: of nra_record_take(), with all fields set
 *
 * Context: any but interrupts; does not wait.
 */
void nra_record_add(struct nra_mount *mount)
{
	raw_spin_lock(&mounts_lock);
	list_add_tail_rcu(&mount->list, &nra_mounts);
	nr_records++;
	hash_add_rcu(mounts_by_bdi, &mount->by_bdi, (unsigned long)mount->bdi);
	raw_spin_unlock(&mounts_lock);
}

/**
 * nra_record_find - find the record of a mount
 * @bdi: the mount's, or any other
 *
 * Context: under RCU.
 * Return: the record, or NULL.
 */
struct nra_mount *nra_record_find(const struct backing_dev_info *bdi)
{
	struct nra_mount *mount;

	hash_for_each_possible_rcu(mounts_by_bdi, mount, by_bdi, (unsigned long)bdi)
		if (mount->bdi == bdi)
			return mount;
	return NULL;
}

/* Note that the current task wrote to read_ahead_kb. */
void nra_record_set_writer(struct nra_mount *mount)
{
	raw_spin_lock(&mounts_lock);
	WRITE_ONCE(mount->written, true);
	strscpy(mount->writer, current->comm, sizeof(mount->writer));
	raw_spin_unlock(&mounts_lock);
}

/**
 * nra_record_forget_writer - take a write to read_ahead_kb for overruled
 * @mount: the record
 *
 * Context: any but interrupts.
 */
void nra_record_forget_writer(struct nra_mount *mount)
{
	raw_spin_lock(&mounts_lock);
	WRITE_ONCE(mount->written, false);
	raw_spin_unlock(&mounts_lock);
}

/**
 * nra_record_get_writer - get the task that last wrote to read_ahead_kb
 * @mount: the record
 * @writer: set to the task's name, %TASK_COMM_LEN bytes
 *
 * Return: whether a task wrote at all.
 */
bool nra_record_get_writer(struct nra_mount *mount, char *writer)
{
	bool written;

	raw_spin_lock(&mounts_lock);
	written = mount->written;
	memcpy(writer, mount->writer, sizeof(mount->writer));
	raw_spin_unlock(&mounts_lock);
	return written;
}

/* Frees all records, when no hook is in place any more. */
void nra_records_destroy(void)
{
	struct nra_mount *mount, *next;

	cancel_work_sync(&reap_work);
	nra_records_remove(true);
	list_for_each_entry_safe(mount, next, &free_records, list)
		kfree(mount);
	INIT_LIST_HEAD(&free_records);
	WRITE_ONCE(nr_free_records, 0);
}
