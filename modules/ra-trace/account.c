// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "account.h"
#include "calls.h"

#define NR_WORDS	(sizeof(struct ra_counts) / sizeof(u64))

struct ra_counts __percpu *ra_counts;

/*
 * The sums at the last reset, read twice as they are now: what is read first is counted from those
 * read last, and the other way round. Protected by base_mutex, in which that of the calls nests.
 */
static struct {
	struct ra_counts first;
	struct ra_counts last;
} *base;
static DEFINE_MUTEX(base_mutex);

/* Places are taken once and kept until unload: 0 is free, as no device has that number. */
static dev_t devs[RA_NR_DEVS];
static bool dev_has_block[RA_NR_DEVS];

/**
 * ra_account_create - make the counters
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int ra_account_create(void)
{
	/* All of it is summed as words; the allocator takes 32 KiB at most. */
	BUILD_BUG_ON(sizeof(struct ra_counts) % sizeof(u64));
	BUILD_BUG_ON(sizeof(struct ra_counts) > 32768);
	base = kvzalloc(sizeof(*base), GFP_KERNEL);
	if (!base)
		return -ENOMEM;
	ra_counts = alloc_percpu(struct ra_counts);
	if (!ra_counts) {
		kvfree(base);
		return -ENOMEM;
	}
	return 0;
}

/**
 * ra_account_destroy - free the counters
 *
 * Context: may sleep; nothing counts any more.
 */
void ra_account_destroy(void)
{
	free_percpu(ra_counts);
	kvfree(base);
}

/**
 * ra_account_dev - the place of a device in the tables
 * @dev: its number
 * @block: whether its reads pass the block layer under that number
 *
 * Context: any.
 * Return: the place, RA_DEV_OTHER if all are taken.
 */
unsigned int ra_account_dev(dev_t dev, bool block)
{
	unsigned int i;

	for (i = RA_DEV_OTHER + 1; i < RA_NR_DEVS; i++) {
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
	return RA_DEV_OTHER;
}

/**
 * ra_account_dev_number - the device at a place
 * @slot: the place
 * @block: set to whether its reads pass the block layer under that number
 *
 * Return: the device's number, 0 if the place is free or RA_DEV_OTHER.
 */
dev_t ra_account_dev_number(unsigned int slot, bool *block)
{
	*block = READ_ONCE(dev_has_block[slot]);
	return READ_ONCE(devs[slot]);
}

/**
 * ra_account_add - count something of a pattern apart from its calls
 * @dev: place of the device
 * @pattern: the pattern
 * @col: what
 * @n: how much
 *
 * Context: any.
 */
void ra_account_add(unsigned int dev, enum ra_pattern pattern, enum ra_column col, u64 n)
{
	ra_count(row[dev][pattern][col], n);
	ra_count(all[col], n);
}

/**
 * ra_account - count a readahead
 * @dev: place of its device
 * @pattern: its pattern
 * @seen: the call, after it returned
 *
 * Context: preemption disabled.
 */
void ra_account(unsigned int dev, enum ra_pattern pattern, const struct ra_seen *seen)
{
	u64 n[RA_NR_COLUMNS] = {
		[RA_COUNT] = 1,
		[RA_SYNC_COUNT] = ra_seen_waits(seen),
		[RA_EOF_COUNT] = ra_seen_eof(seen),
		[RA_SIZE] = ra_seen_size(seen),
		[RA_ASYNC_SIZE] = seen->placed ? seen->after.async_size : 0,
		[RA_ACTUAL] = seen->actual,
	};
	unsigned int i;

	for (i = RA_COUNT; i <= RA_ACTUAL; i++)
		if (n[i])
			ra_account_add(dev, pattern, i, n[i]);
}

/* Adds to what is there. */
static void sum(struct ra_counts *sums)
{
	u64 *to = (u64 *)sums;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		const u64 *from = (const u64 *)per_cpu_ptr(ra_counts, cpu);

		for (i = 0; i < NR_WORDS; i++)
			to[i] += READ_ONCE(from[i]);
	}
}

/* What was counted since. Under base_mutex; sums are 0. */
static void sum_since(struct ra_counts *sums, const struct ra_counts *since)
{
	unsigned int i;

	sum(sums);
	for (i = 0; i < NR_WORDS; i++)
		((u64 *)sums)[i] -= ((const u64 *)since)[i];
}

/**
 * ra_account_rows - one column of all rows
 * @sums: of the counters
 * @col: the column
 *
 * Return: its sum over devices and patterns.
 */
u64 ra_account_rows(const struct ra_counts *sums, enum ra_column col)
{
	unsigned int dev, i;
	u64 rows = 0;

	for (dev = 0; dev < RA_NR_DEVS; dev++)
		for (i = 0; i < RA_NR_PATTERNS; i++)
			rows += sums->row[dev][i][col];
	return rows;
}

/**
 * ra_account_sums - all counters since the last reset
 *
 * Context: may sleep.
 * Return: sums over CPUs, to be freed by kvfree(), or NULL.
 */
struct ra_sums *ra_account_sums(void)
{
	struct ra_sums *sums = kvzalloc(sizeof(*sums), GFP_KERNEL);

	if (!sums)
		return NULL;
	mutex_lock(&base_mutex);
	sum_since(&sums->first, &base->last);
	ra_calls_running(&sums->running);
	sum_since(&sums->last, &base->first);
	mutex_unlock(&base_mutex);
	return sums;
}

/**
 * ra_account_reset - count from 0 again
 *
 * Moves the base: setting other CPUs' counters to 0 would lose counts.
 *
 * Context: may sleep.
 */
void ra_account_reset(void)
{
	unsigned int col;

	mutex_lock(&base_mutex);
	memset(base, 0, sizeof(*base));
	sum(&base->first);
	/*
	 * all was read last: what was counted since the rows were read is left out of it, or they
	 * would differ by that until the next reset.
	 */
	for (col = 0; col < RA_NR_COLUMNS; col++)
		base->first.all[col] = min(base->first.all[col],
					   ra_account_rows(&base->first, col));
	ra_calls_deduct(&base->first);
	sum(&base->last);
	mutex_unlock(&base_mutex);
}
