// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hash table keyed by task, without locks: only the task itself adds, finds and removes its
 * calls. A task has one call per file at a time, of which nested readahead functions are a part.
 * A file system that reads the files of another has one call for each.
 *
 * A task may sleep in a call while the hooks are unregistered. Its slot then stays used until the
 * table is freed.
 */
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "calls.h"

/* The keys of a set fill a cache line; 4096 slots suffice for the 1024 calls that a hook tracks. */
#define SET_BITS	9
#define NR_WAYS		8

struct rat_call_table {
	struct task_struct *task[1 << SET_BITS][NR_WAYS] ____cacheline_aligned;
	struct rat_call_slot slot[1 << SET_BITS][NR_WAYS];
};

static struct rat_call_table *table;
/* Protects @table against rat_calls_destroy() outside of hooks. Nothing nests in it. */
static DEFINE_MUTEX(table_mutex);

/* The used slot after @slot, or the first if NULL. NULL: no more. The caller holds table_mutex. */
static struct rat_call_slot *rat_next_running(const struct rat_call_slot *slot)
{
	unsigned int n = slot ? slot - &table->slot[0][0] + 1 : 0;

	for (; table && n < NR_WAYS << SET_BITS; n++)
		if (READ_ONCE(table->task[n / NR_WAYS][n % NR_WAYS]))
			return &table->slot[n / NR_WAYS][n % NR_WAYS];
	return NULL;
}

/**
 * rat_calls_create - allocate the table of running readahead calls
 *
 * Return: 0 or -ENOMEM.
 */
int rat_calls_create(void)
{
	struct rat_call_table *new = kvzalloc(sizeof(*new), GFP_KERNEL);

	if (!new)
		return -ENOMEM;
	mutex_lock(&table_mutex);
	table = new;
	mutex_unlock(&table_mutex);
	return 0;
}

/* When no hook or probe is registered. */
void rat_calls_destroy(void)
{
	mutex_lock(&table_mutex);
	kvfree(table);
	table = NULL;
	mutex_unlock(&table_mutex);
}

/**
 * rat_calls_add - add a call of the current task
 * @call: the call; copied
 * @mapping: the file that it reads
 * @dev: its device
 *
 * Context: task.
 * Return: its slot, NULL if the set is full.
 */
struct rat_call_slot *rat_calls_add(const struct rat_call *call, struct address_space *mapping,
				    dev_t dev)
{
	unsigned int set = hash_ptr(current, SET_BITS);
	unsigned int way;

	for (way = 0; way < NR_WAYS; way++) {
		struct rat_call_slot *slot = &table->slot[set][way];

		if (READ_ONCE(table->task[set][way]) ||
		    cmpxchg(&table->task[set][way], NULL, current))
			continue;
		slot->call = *call;
		slot->call.slot = slot;
		slot->mapping = mapping;
		slot->dev_number = dev;
		WRITE_ONCE(slot->dev, call->dev);
		slot->run = 0;
		return slot;
	}
	return NULL;
}

/**
 * rat_calls_remove - remove a call
 * @slot: from rat_calls_add()
 *
 * Context: the task that added it.
 */
void rat_calls_remove(struct rat_call_slot *slot)
{
	unsigned int n = slot - &table->slot[0][0];

	WRITE_ONCE(slot->pages, 0);
	WRITE_ONCE(slot->sectors, 0);
	/* The next call in this slot must find both at 0. */
	smp_store_release(&table->task[n / NR_WAYS][n % NR_WAYS], NULL);
}

static bool is_current(unsigned int set, unsigned int way)
{
	return READ_ONCE(table->task[set][way]) == current;
}

/**
 * rat_calls_find - find the current task's call for a file
 * @mapping: the file
 *
 * Context: any. In an interrupt, this finds the interrupted call.
 * Return: its slot, or NULL.
 */
struct rat_call_slot *rat_calls_find(const struct address_space *mapping)
{
	unsigned int set = hash_ptr(current, SET_BITS);
	unsigned int way;

	for (way = 0; way < NR_WAYS; way++)
		if (is_current(set, way) && table->slot[set][way].mapping == mapping)
			return &table->slot[set][way];
	return NULL;
}

/**
 * rat_calls_find_by_dev - find the current task's call for any file of a device
 * @dev: the device
 *
 * Context: any. In an interrupt, this finds the interrupted call.
 * Return: its slot, or NULL.
 */
struct rat_call_slot *rat_calls_find_by_dev(dev_t dev)
{
	unsigned int set = hash_ptr(current, SET_BITS);
	unsigned int way;

	for (way = 0; way < NR_WAYS; way++)
		if (is_current(set, way) && table->slot[set][way].dev_number == dev)
			return &table->slot[set][way];
	return NULL;
}

/**
 * rat_calls_count_running - count the running calls
 * @pages: set to the pages that they added to the page cache so far
 *
 * Return: their number, which may change meanwhile.
 */
unsigned int rat_calls_count_running(u64 *pages)
{
	const struct rat_call_slot *slot = NULL;
	unsigned int running = 0;

	*pages = 0;
	mutex_lock(&table_mutex);
	while ((slot = rat_next_running(slot))) {
		running++;
		*pages += READ_ONCE(slot->pages);
	}
	mutex_unlock(&table_mutex);
	return running;
}

/**
 * rat_calls_sum_unfinished - sum what the running calls did so far, by device
 * @pages: per device index, raised by the pages that the calls added to the page cache
 * @sectors: per device index, raised by the 512-byte sectors of their readahead bios
 */
void rat_calls_sum_unfinished(u64 *pages, u64 *sectors)
{
	const struct rat_call_slot *slot = NULL;

	mutex_lock(&table_mutex);
	while ((slot = rat_next_running(slot))) {
		pages[READ_ONCE(slot->dev)] += READ_ONCE(slot->pages);
		sectors[READ_ONCE(slot->dev)] += READ_ONCE(slot->sectors);
	}
	mutex_unlock(&table_mutex);
}
