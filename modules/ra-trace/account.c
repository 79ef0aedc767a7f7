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
const char *const rat_column_names[RAT_NR_COLUMNS] = { RAT_COLUMNS(RAT_STRING) };

/*
 * The sums at the last reset, read twice like today's: struct rat_sums has the first reading less
 * the second one here, and the other way round. Protected by base_mutex; table_mutex of calls.c
 * nests in it.
 */
static struct {
	struct rat_counts first;
	struct rat_counts last;
} *base;
static DEFINE_MUTEX(base_mutex);

/* Entries are assigned once, until unload. 0 is a free entry, because no device has that number. */
static dev_t devs[RAT_NR_DEVS];
static bool dev_has_block[RAT_NR_DEVS];

/**
 * rat_account_create - allocate the counters
 *
 * Return: 0 or -ENOMEM.
 */
int rat_account_create(void)
{
	/* rat_sum_cpus() adds words; the per-CPU allocator takes PCPU_MIN_UNIT_SIZE at most. */
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

void rat_account_destroy(void)
{
	free_percpu(rat_counts);
	kvfree(base);
}

/**
 * rat_account_dev_index - find or assign a device's index in the counters
 * @dev: its number
 * @block: whether the bios of its reads have that number
 *
 * Context: any.
 * Return: the index, RAT_DEV_OTHER if all are assigned.
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
			/* Perhaps read directly, before a file system like fuseblk was mounted. */
			if (!block && READ_ONCE(dev_has_block[i]))
				WRITE_ONCE(dev_has_block[i], false);
			return i;
		}
	}
	return RAT_DEV_OTHER;
}

/**
 * rat_account_dev_number - get the device at an index
 * @dev: the index
 * @block: set to whether the bios of its reads have that number
 *
 * Return: the device's number; 0 for a free index and for RAT_DEV_OTHER.
 */
dev_t rat_account_dev_number(unsigned int dev, bool *block)
{
	*block = READ_ONCE(dev_has_block[dev]);
	return READ_ONCE(devs[dev]);
}

/* Add to one column of a row and to its total. Context: any. */
void rat_account_add(unsigned int dev, enum rat_pattern pattern, enum rat_column col, u64 n)
{
	rat_count(row[dev][pattern][col], n);
	rat_count(all[col], n);
}

/**
 * rat_account_readahead - count a readahead in its row
 * @dev: index of its device
 * @pattern: its pattern
 * @obs: the call, after it returned
 *
 * Context: preemption disabled.
 */
void rat_account_readahead(unsigned int dev, enum rat_pattern pattern,
			   const struct rat_observation *obs)
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

/* Add the counters of all CPUs to @sums. */
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

/* The counters of all CPUs, less @since. The caller holds base_mutex and passes @sums cleared. */
static void rat_sum_since(struct rat_counts *sums, const struct rat_counts *since)
{
	unsigned int i;

	rat_sum_cpus(sums);
	for (i = 0; i < NR_WORDS; i++)
		((u64 *)sums)[i] -= ((const u64 *)since)[i];
}

/**
 * rat_account_sum_column - sum a column over all devices and patterns
 * @sums: the counters
 * @col: the column
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
 * rat_account_read - read all counters since the last reset
 *
 * Return: their sums over CPUs, for kvfree(), or NULL without memory.
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
 * rat_account_reset - make the counters start at 0 again
 *
 * Moves the base, because clearing other CPUs' counters would lose counts.
 */
void rat_account_reset(void)
{
	u64 pages[RAT_NR_DEVS] = {}, sectors[RAT_NR_DEVS] = {};
	unsigned int col, dev;

	mutex_lock(&base_mutex);
	memset(base, 0, sizeof(*base));
	rat_sum_cpus(&base->first);
	/*
	 * rat_sum_cpus() reads @all after the rows. Clamp it, or calls counted in between show as a
	 * mismatch until the next reset.
	 */
	for (col = 0; col < RAT_NR_COLUMNS; col++)
		base->first.all[col] = min(base->first.all[col],
					   rat_account_sum_column(&base->first, col));
	/*
	 * A running call is counted as a whole when it ends. So the next readings must also have
	 * those of its pages and bios that were counted before this reset.
	 */
	rat_calls_sum_unfinished(pages, sectors);
	for (dev = 0; dev < RAT_NR_DEVS; dev++) {
		base->first.entered[dev] -= pages[dev];
		base->first.block[dev] -= sectors[dev];
	}
	rat_sum_cpus(&base->last);
	mutex_unlock(&base_mutex);
}

/**
 * rat_account_destroy_calls - free the table of calls, and take its calls out of the totals
 *
 * The return of these calls was not seen, so no row has their pages. base_mutex keeps a reset from
 * subtracting the same calls again.
 *
 * Context: no hook or probe is registered.
 */
void rat_account_destroy_calls(void)
{
	u64 pages[RAT_NR_DEVS] = {}, sectors[RAT_NR_DEVS] = {};
	unsigned int dev;

	mutex_lock(&base_mutex);
	rat_calls_sum_unfinished(pages, sectors);
	for (dev = 0; dev < RAT_NR_DEVS; dev++) {
		rat_count(entered[dev], -pages[dev]);
		rat_count(block[dev], -sectors[dev]);
	}
	rat_calls_destroy();
	mutex_unlock(&base_mutex);
}
