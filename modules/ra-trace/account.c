// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "account.h"
#include "calls.h"

#define NR_WORDS	(sizeof(struct rat_counts) / sizeof(u64))

struct rat_counts __percpu *rat_counts;

/*
 * The sums at the last reset, read twice as they are now: what is read first is counted from those
 * read last, and the other way round. Protected by base_mutex, in which that of the calls nests.
 */
static struct {
	struct rat_counts first;
	struct rat_counts last;
} *base;
static DEFINE_MUTEX(base_mutex);

/* Places are taken once and kept until unload: 0 is free, as no device has that number. */
static dev_t devs[RAT_NR_DEVS];
static bool dev_has_block[RAT_NR_DEVS];

/**
 * rat_account_create - make the counters
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int rat_account_create(void)
{
	/* All of it is summed as words; the allocator takes 32 KiB at most. */
	BUILD_BUG_ON(sizeof(struct rat_counts) % sizeof(u64));
	BUILD_BUG_ON(sizeof(struct rat_counts) > 32768);
	base = kvzalloc(sizeof(*base), GFP_KERNEL);
	if (!base)
		return -ENOMEM;
	rat_counts = alloc_percpu(struct rat_counts);
	if (!rat_counts) {
		kvfree(base);
		return -ENOMEM;
	}
	return 0;
}

/**
 * rat_account_destroy - free the counters
 *
 * Context: may sleep; nothing counts any more.
 */
void rat_account_destroy(void)
{
	free_percpu(rat_counts);
	kvfree(base);
}

/**
 * rat_account_dev_index - the place of a device in the tables
 * @dev: its number
 * @block: whether its reads pass the block layer under that number
 *
 * Context: any.
 * Return: the place, RAT_DEV_OTHER if all are taken.
 */
unsigned int rat_account_dev_index(dev_t dev, bool block)
{
	unsigned int i;

	for (i = RAT_DEV_OTHER + 1; i < RAT_NR_DEVS; i++) {
		dev_t there = READ_ONCE(devs[i]);

		if (!there) {
			there = cmpxchg(&devs[i], 0, dev);
			if (!there) {
				WRITE_ONCE(dev_has_block[i], block);
				return i;
			}
		}
		if (there == dev) {
			/* It may be read as such before a file system like fuseblk is on it. */
			if (!block && READ_ONCE(dev_has_block[i]))
				WRITE_ONCE(dev_has_block[i], false);
			return i;
		}
	}
	return RAT_DEV_OTHER;
}

/**
 * rat_account_dev_number - the device at a place
 * @dev: the place
 * @block: set to whether its reads pass the block layer under that number
 *
 * Return: the device's number, 0 if the place is free or RAT_DEV_OTHER.
 */
dev_t rat_account_dev_number(unsigned int dev, bool *block)
{
	*block = READ_ONCE(dev_has_block[dev]);
	return READ_ONCE(devs[dev]);
}

/**
 * rat_account_add - count something of a pattern apart from its calls
 * @dev: place of the device
 * @pattern: the pattern
 * @col: what
 * @n: how much
 *
 * Context: any.
 */
void rat_account_add(unsigned int dev, enum rat_pattern pattern, enum rat_column col, u64 n)
{
	rat_count(row[dev][pattern][col], n);
	rat_count(all[col], n);
}

/**
 * rat_account_readahead - count a readahead
 * @dev: place of its device
 * @pattern: its pattern
 * @obs: the call, after it returned
 *
 * Context: preemption disabled.
 */
void rat_account_readahead(unsigned int dev, enum rat_pattern pattern, const struct rat_observation *obs)
{
	u64 n[RAT_NR_COLUMNS] = {
		[RAT_COL_COUNT] = 1,
		[RAT_COL_SYNC_COUNT] = rat_reader_waits(obs),
		[RAT_COL_EOF_COUNT] = rat_reaches_eof(obs),
		[RAT_COL_SIZE] = rat_readahead_size(obs),
		[RAT_COL_ASYNC_SIZE] = obs->has_window ? obs->after.async_size : 0,
		[RAT_COL_ACTUAL] = obs->actual,
	};
	unsigned int i;

	for (i = RAT_COL_COUNT; i <= RAT_COL_ACTUAL; i++)
		if (n[i])
			rat_account_add(dev, pattern, i, n[i]);
}

/* Adds to what is there. */
static void rat_sum_cpus(struct rat_counts *sums)
{
	u64 *to = (u64 *)sums;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		const u64 *from = (const u64 *)per_cpu_ptr(rat_counts, cpu);

		for (i = 0; i < NR_WORDS; i++)
			to[i] += READ_ONCE(from[i]);
	}
}

/* What was counted since. Under base_mutex; sums are 0. */
static void rat_sum_since(struct rat_counts *sums, const struct rat_counts *since)
{
	unsigned int i;

	rat_sum_cpus(sums);
	for (i = 0; i < NR_WORDS; i++)
		((u64 *)sums)[i] -= ((const u64 *)since)[i];
}

/**
 * rat_account_sum_column - one column of all rows
 * @sums: of the counters
 * @col: the column
 *
 * Return: its sum over devices and patterns.
 */
u64 rat_account_sum_column(const struct rat_counts *sums, enum rat_column col)
{
	unsigned int dev, i;
	u64 rows = 0;

	for (dev = 0; dev < RAT_NR_DEVS; dev++)
		for (i = 0; i < RAT_NR_PATTERNS; i++)
			rows += sums->row[dev][i][col];
	return rows;
}

/**
 * rat_account_read - all counters since the last reset
 *
 * Context: may sleep.
 * Return: sums over CPUs, to be freed by kvfree(), or NULL.
 */
struct rat_sums *rat_account_read(void)
{
	struct rat_sums *sums = kvzalloc(sizeof(*sums), GFP_KERNEL);

	if (!sums)
		return NULL;
	mutex_lock(&base_mutex);
	rat_sum_since(&sums->first, &base->last);
	rat_calls_count_running(&sums->running);
	rat_sum_since(&sums->last, &base->first);
	mutex_unlock(&base_mutex);
	return sums;
}

/**
 * rat_account_reset - count from 0 again
 *
 * Moves the base: setting other CPUs' counters to 0 would lose counts.
 *
 * Context: may sleep.
 */
void rat_account_reset(void)
{
	unsigned int col;

	mutex_lock(&base_mutex);
	memset(base, 0, sizeof(*base));
	rat_sum_cpus(&base->first);
	/*
	 * all was read last: what was counted since the rows were read is left out of it, or they
	 * would differ by that until the next reset.
	 */
	for (col = 0; col < RAT_NR_COLUMNS; col++)
		base->first.all[col] = min(base->first.all[col],
					   rat_account_sum_column(&base->first, col));
	rat_calls_deduct(&base->first);
	rat_sum_cpus(&base->last);
	mutex_unlock(&base_mutex);
}
