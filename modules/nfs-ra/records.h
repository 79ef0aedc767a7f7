/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_RECORDS_H
#define NFS_RA_RECORDS_H

#include <linux/backing-dev-defs.h>
#include <linux/list.h>
#include <linux/sched.h>

#include "habit.h"

/*
 * Of the server's name the record has this many bytes, because only the table needs it. All of it,
 * which may be 255 characters, would make the record larger than 192 bytes, of which the kernel has
 * a cache.
 */
#define NRA_SERVER_SHOWN	64

/**
 * struct nra_mount - the record of one superblock
 * @list: in nra_mounts, or in the free records
 * @by_bdi: in the hash table, while in nra_mounts
 * @gone: in a list of records to free, while RCU readers may still be at @list
 * @bdi: has the readahead; with a reference
 * @rsize: bytes, rounded up to pages; 0: the superblock cannot be mounted yet
 * @before: readahead before the rule, pages
 * @set: readahead by the rule, pages
 * @max_window: limit of the windows of its files, pages; 0: windows do not grow
 * @by_hand: the rule was not applied, because somebody had set the readahead
 * @written: a task wrote to read_ahead_kb since
 * @writer: the name of that task
 * @server: the begin of the server's name; empty if unknown
 * @habit: how far its files are read, for windows that grow
 * @is_set: the rule was applied; before that, only @bdi and @written count
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
	bool by_hand;
	bool written;
	char writer[TASK_COMM_LEN];
	char server[NRA_SERVER_SHOWN];
	struct nra_habit habit;
	bool is_set;
};

/* All records in use. Readers use RCU. */
extern struct list_head nra_mounts;

static inline bool nra_record_is_set(const struct nra_mount *mount)
{
	/* Pairs with nra_apply_rule(). */
	return smp_load_acquire(&mount->is_set);
}

static inline bool nra_record_is_mounted(const struct nra_mount *mount)
{
	return READ_ONCE(mount->bdi->dev);
}

int nra_records_fill(void);
void nra_records_destroy(void);
struct nra_mount *nra_record_take(void);
void nra_record_add(struct nra_mount *mount);
struct nra_mount *nra_record_find(const struct backing_dev_info *bdi);
void nra_record_set_writer(struct nra_mount *mount);
void nra_record_forget_writer(struct nra_mount *mount);
bool nra_record_get_writer(struct nra_mount *mount, char *writer);

#endif
