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

struct table {
	struct task_struct *task[1 << SET_BITS][NR_WAYS] ____cacheline_aligned;
	struct ra_place place[1 << SET_BITS][NR_WAYS];
};

static struct table *table;
/* Keeps the table while it is looked at from outside hooks. Nothing nests in it. */
static DEFINE_MUTEX(table_mutex);

/* The next place with a running call, or the first; NULL: there are no more. Under table_mutex. */
static struct ra_place *next_running(const struct ra_place *place)
{
	unsigned int n = place ? place - &table->place[0][0] + 1 : 0;

	for (; table && n < NR_WAYS << SET_BITS; n++)
		if (READ_ONCE(table->task[n / NR_WAYS][n % NR_WAYS]))
			return &table->place[n / NR_WAYS][n % NR_WAYS];
	return NULL;
}

/**
 * ra_calls_create - make the table
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ra_calls_create(void)
{
	struct table *new = kvzalloc(sizeof(*new), GFP_KERNEL);

	if (!new)
		return -ENOMEM;
	mutex_lock(&table_mutex);
	table = new;
	mutex_unlock(&table_mutex);
	return 0;
}

/**
 * ra_calls_destroy - free the table
 *
 * Context: may sleep; no hook or tracepoint is in place.
 */
void ra_calls_destroy(void)
{
	const struct ra_place *place = NULL;

	mutex_lock(&table_mutex);
	/* Nobody saw these calls return: their pages are not in any row, so not to be expected. */
	while ((place = next_running(place))) {
		ra_count(entered[place->dev], -(u64)place->pages);
		ra_count(block[place->dev], -(u64)place->sectors);
	}
	kvfree(table);
	table = NULL;
	mutex_unlock(&table_mutex);
}

/**
 * ra_calls_begin - put a call of the current task into the table
 * @call: the call; copied
 * @mapping: the file that it reads
 * @dev: its device
 *
 * Context: any but interrupts.
 * Return: its place, NULL if the table has none.
 */
struct ra_place *ra_calls_begin(const struct ra_call *call, struct address_space *mapping,
				dev_t dev)
{
	unsigned int set = hash_ptr(current, SET_BITS);
	unsigned int way;

	for (way = 0; way < NR_WAYS; way++) {
		struct ra_place *place = &table->place[set][way];

		if (READ_ONCE(table->task[set][way]) ||
		    cmpxchg(&table->task[set][way], NULL, current))
			continue;
		place->call = *call;
		place->call.place = place;
		place->mapping = mapping;
		place->dev_number = dev;
		WRITE_ONCE(place->dev, call->dev);
		place->run = 0;
		return place;
	}
	return NULL;
}

/**
 * ra_calls_end - take a call out of the table
 * @place: of ra_calls_begin()
 *
 * Context: the task that put it in.
 */
void ra_calls_end(struct ra_place *place)
{
	unsigned int n = place - &table->place[0][0];

	WRITE_ONCE(place->pages, 0);
	WRITE_ONCE(place->sectors, 0);
	/* Whoever takes the place finds it with neither. */
	smp_store_release(&table->task[n / NR_WAYS][n % NR_WAYS], NULL);
}

static bool is_own(unsigned int set, unsigned int way)
{
	return READ_ONCE(table->task[set][way]) == current;
}

/**
 * ra_calls_find - the current task's call for a file
 * @mapping: the file
 *
 * Context: any. In an interrupt it is the call that was interrupted.
 * Return: its place, NULL if none is running.
 */
struct ra_place *ra_calls_find(const struct address_space *mapping)
{
	unsigned int set = hash_ptr(current, SET_BITS);
	unsigned int way;

	for (way = 0; way < NR_WAYS; way++)
		if (is_own(set, way) && table->place[set][way].mapping == mapping)
			return &table->place[set][way];
	return NULL;
}

/**
 * ra_calls_find_dev - the current task's call for a file on a device
 * @dev: the device
 *
 * Context: any.
 * Return: its place, NULL if none is running.
 */
struct ra_place *ra_calls_find_dev(dev_t dev)
{
	unsigned int set = hash_ptr(current, SET_BITS);
	unsigned int way;

	for (way = 0; way < NR_WAYS; way++)
		if (is_own(set, way) && table->place[set][way].dev_number == dev)
			return &table->place[set][way];
	return NULL;
}

/**
 * ra_calls_running - how many calls are running
 * @pages: set to the pages that they brought into the page cache so far
 *
 * Context: may sleep.
 * Return: their number, roughly as they come and go.
 */
unsigned int ra_calls_running(u64 *pages)
{
	const struct ra_place *place = NULL;
	unsigned int running = 0;

	*pages = 0;
	mutex_lock(&table_mutex);
	while ((place = next_running(place))) {
		running++;
		*pages += READ_ONCE(place->pages);
	}
	mutex_unlock(&table_mutex);
	return running;
}

/**
 * ra_calls_deduct - take what running calls have done so far from sums
 * @sums: of the counters
 *
 * A call is counted as a whole when it ends: whoever counts from now on has to
 * expect also those of its pages that are there already, and their bios.
 *
 * Context: may sleep.
 */
void ra_calls_deduct(struct ra_counts *sums)
{
	const struct ra_place *place = NULL;

	mutex_lock(&table_mutex);
	while ((place = next_running(place))) {
		sums->entered[READ_ONCE(place->dev)] -= READ_ONCE(place->pages);
		sums->block[READ_ONCE(place->dev)] -= READ_ONCE(place->sectors);
	}
	mutex_unlock(&table_mutex);
}
