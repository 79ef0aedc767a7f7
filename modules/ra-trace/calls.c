// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hash table with the task as the key, without locks: only the task itself
 * puts in, finds and takes out what is under its key. A task has one call for a
 * file at a time: what the readahead code calls in turn is part of that. A file
 * system that reads another's files has one for each.
 *
 * A place is never freed while hooks are in: a task may be asleep in a call
 * when the hooks are taken out, and then its place is dropped with the table.
 */
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "account.h"
#include "calls.h"

/* A set is one cache line of keys; 4096 places hold the 1024 calls that a hook follows. */
#define SET_BITS	9
#define NR_WAYS		8

struct rat_call_table {
	struct task_struct *task[1 << SET_BITS][NR_WAYS] ____cacheline_aligned;
	struct rat_call_slot slot[1 << SET_BITS][NR_WAYS];
};

static struct rat_call_table *table;
/* Keeps the table while it is looked at from outside hooks. Nothing nests in it. */
static DEFINE_MUTEX(table_mutex);

/* The next place with a running call, or the first; NULL: there are no more. Under table_mutex. */
static struct rat_call_slot *rat_next_running(const struct rat_call_slot *slot)
{
	unsigned int n = slot ? slot - &table->slot[0][0] + 1 : 0;

	for (; table && n < NR_WAYS << SET_BITS; n++)
		if (READ_ONCE(table->task[n / NR_WAYS][n % NR_WAYS]))
			return &table->slot[n / NR_WAYS][n % NR_WAYS];
	return NULL;
}

/**
 * rat_calls_create - make the table
 *
 * Context: may sleep.
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

/**
 * rat_calls_destroy - free the table
 *
 * Context: may sleep; no hook or tracepoint is in place.
 */
void rat_calls_destroy(void)
{
	const struct rat_call_slot *slot = NULL;

	mutex_lock(&table_mutex);
	/* Nobody saw these calls return: their pages are not in any row, so not to be expected. */
	while ((slot = rat_next_running(slot))) {
		rat_count(entered[slot->dev], -(u64)slot->pages);
		rat_count(block[slot->dev], -(u64)slot->sectors);
	}
	kvfree(table);
	table = NULL;
	mutex_unlock(&table_mutex);
}

/**
 * rat_calls_add - put a call of the current task into the table
 * @call: the call; copied
 * @mapping: the file that it reads
 * @dev: its device
 *
 * Context: any but interrupts.
 * Return: its place, NULL if the table has none.
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
 * rat_calls_remove - take a call out of the table
 * @slot: of rat_calls_add()
 *
 * Context: the task that put it in.
 */
void rat_calls_remove(struct rat_call_slot *slot)
{
	unsigned int n = slot - &table->slot[0][0];

	WRITE_ONCE(slot->pages, 0);
	WRITE_ONCE(slot->sectors, 0);
	/* Whoever takes the place finds it with neither. */
	smp_store_release(&table->task[n / NR_WAYS][n % NR_WAYS], NULL);
}

static bool is_current(unsigned int set, unsigned int way)
{
	return READ_ONCE(table->task[set][way]) == current;
}

/**
 * rat_calls_find - the current task's call for a file
 * @mapping: the file
 *
 * Context: any. In an interrupt it is the call that was interrupted.
 * Return: its place, NULL if none is running.
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
 * rat_calls_find_by_dev - the current task's call for a file on a device
 * @dev: the device
 *
 * Context: any.
 * Return: its place, NULL if none is running.
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
 * rat_calls_count_running - how many calls are running
 * @pages: set to the pages that they brought into the page cache so far
 *
 * Context: may sleep.
 * Return: their number, roughly as they come and go.
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
 * rat_calls_deduct - take what running calls have done so far from sums
 * @sums: of the counters
 *
 * A call is counted as a whole when it ends: whoever counts from now on has to
 * expect also those of its pages that are there already, and their bios.
 *
 * Context: may sleep.
 */
void rat_calls_deduct(struct rat_counts *sums)
{
	const struct rat_call_slot *slot = NULL;

	mutex_lock(&table_mutex);
	while ((slot = rat_next_running(slot))) {
		sums->entered[READ_ONCE(slot->dev)] -= READ_ONCE(slot->pages);
		sums->block[READ_ONCE(slot->dev)] -= READ_ONCE(slot->sectors);
	}
	mutex_unlock(&table_mutex);
}
