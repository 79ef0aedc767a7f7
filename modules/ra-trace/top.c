// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small table per CPU that forgets: a new file replaces the one with the fewest pages of the four
 * in its set, whose counts are added to the lost ones. Files that are busy enough to matter stay.
 */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "account.h"
#include "calls.h"
#include "top.h"

#define SET_BITS	5
#define NR_WAYS		4
#define NR_ENTRIES	(NR_WAYS << SET_BITS)
#define NR_SHOWN	64u

/**
 * struct rat_top_entry - one CPU's counts of a file
 * @ino: inode number of the file
 * @dev: its device; 0: the entry is free
 * @epoch: number of resets before the first count; the entry is free if that is not today's
 * @n: its columns, up to RAT_COL_ACTUAL
 */
struct rat_top_entry {
	u64 ino;
	dev_t dev;
	unsigned int epoch;
	u64 n[RAT_COL_ACTUAL + 1];
};

/**
 * struct rat_top_table - the table of a CPU, which alone writes to it, with preemption disabled
 * @changes: keeps other CPUs from using a half-written entry
 * @entry: sets of %NR_WAYS entries
 */
struct rat_top_table {
	seqcount_t changes;
	struct rat_top_entry entry[NR_ENTRIES];
};

static struct rat_top_table __percpu *tables;
static unsigned int epoch;

/**
 * rat_top_create - allocate the tables
 *
 * Return: 0 or -ENOMEM.
 */
int rat_top_create(void)
{
	int cpu;

	tables = alloc_percpu(struct rat_top_table);
	if (!tables)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		seqcount_init(&per_cpu_ptr(tables, cpu)->changes);
	return 0;
}

void rat_top_destroy(void)
{
	free_percpu(tables);
}

/* Make all counts start at 0 again. */
void rat_top_reset(void)
{
	WRITE_ONCE(epoch, epoch + 1);
}

static struct rat_top_entry *rat_top_get(struct rat_top_table *table, dev_t dev, u64 ino)
{
	struct rat_top_entry *set = &table->entry[hash_64(ino ^ dev, SET_BITS) * NR_WAYS];
	unsigned int now = READ_ONCE(epoch);
	struct rat_top_entry *least = set;
	unsigned int i;

	for (i = 0; i < NR_WAYS; i++) {
		if (set[i].dev == dev && set[i].ino == ino && set[i].epoch == now)
			return &set[i];
		if (!set[i].dev || set[i].epoch != now) {
			least = &set[i];
			least->dev = 0;
		} else if (least->dev && set[i].n[RAT_COL_ACTUAL] < least->n[RAT_COL_ACTUAL]) {
			least = &set[i];
		}
	}
	if (least->dev) {
		rat_count(misc[RAT_MISC_TOP_LOST], least->n[RAT_COL_COUNT]);
		rat_count(misc[RAT_MISC_TOP_LOST_PAGES], least->n[RAT_COL_ACTUAL]);
	}
	*least = (struct rat_top_entry){ .ino = ino, .dev = dev, .epoch = now };
	return least;
}

/**
 * rat_top_count - count a readahead for its file
 * @call: the call, after it returned
 *
 * Context: preemption disabled.
 */
void rat_top_count(const struct rat_call *call)
{
	const struct inode *inode = call->ractl->mapping->host;
	struct rat_top_table *table = this_cpu_ptr(tables);
	struct rat_top_entry *entry;

	raw_write_seqcount_begin(&table->changes);
	entry = rat_top_get(table, rat_dev_of(inode), S_ISBLK(inode->i_mode) ? 0 : inode->i_ino);
	entry->n[RAT_COL_COUNT]++;
	entry->n[RAT_COL_SYNC_COUNT] += rat_reader_waits(&call->obs);
	entry->n[RAT_COL_EOF_COUNT] += rat_reaches_eof(&call->obs);
	entry->n[RAT_COL_SIZE] += rat_readahead_size(&call->obs);
	entry->n[RAT_COL_ASYNC_SIZE] += call->obs.has_window ? call->obs.after.async_size : 0;
	entry->n[RAT_COL_ACTUAL] += call->obs.actual;
	raw_write_seqcount_end(&table->changes);
}

static int rat_top_by_file(const void *a, const void *b)
{
	const struct rat_top_entry *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return 0;
}

static int rat_top_by_pages(const void *a, const void *b)
{
	const struct rat_top_entry *x = a, *y = b;

	if (x->n[RAT_COL_ACTUAL] != y->n[RAT_COL_ACTUAL])
		return x->n[RAT_COL_ACTUAL] > y->n[RAT_COL_ACTUAL] ? -1 : 1;
	return rat_top_by_file(a, b);
}

static void rat_top_copy(const struct rat_top_table *table, unsigned int i,
			 struct rat_top_entry *entry)
{
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&table->changes);
		*entry = table->entry[i];
	} while (read_seqcount_retry(&table->changes, seq));
}

static unsigned int rat_top_collect(struct rat_top_entry *all)
{
	unsigned int i, nr = 0, now = READ_ONCE(epoch);
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct rat_top_table *table = per_cpu_ptr(tables, cpu);

		for (i = 0; i < NR_ENTRIES; i++) {
			rat_top_copy(table, i, &all[nr]);
			if (all[nr].dev && all[nr].epoch == now)
				nr++;
		}
	}
	return nr;
}

/* Add up the entries of one file from several CPUs. Returns the number of files. */
static unsigned int rat_top_merge(struct rat_top_entry *all, unsigned int nr)
{
	unsigned int i, col, merged = 0;

	sort(all, nr, sizeof(*all), rat_top_by_file, NULL);
	for (i = 0; i < nr; i++) {
		if (merged && !rat_top_by_file(&all[merged - 1], &all[i]))
			for (col = 0; col <= RAT_COL_ACTUAL; col++)
				all[merged - 1].n[col] += all[i].n[col];
		else
			all[merged++] = all[i];
	}
	return merged;
}

/**
 * rat_top_show - print the files with the most pages
 * @m: file to print to
 *
 * Return: 0 or -ENOMEM.
 */
int rat_top_show(struct seq_file *m)
{
	struct rat_top_entry *all = kvcalloc(num_possible_cpus() * NR_ENTRIES, sizeof(*all),
					     GFP_KERNEL);
	unsigned int i, col, nr;

	if (!all)
		return -ENOMEM;
	nr = rat_top_merge(all, rat_top_collect(all));
	sort(all, nr, sizeof(*all), rat_top_by_pages, NULL);
	seq_printf(m, "%-10s %12s", "dev", "ino");
	for (col = RAT_COL_COUNT; col <= RAT_COL_ACTUAL; col++)
		seq_printf(m, col < RAT_COL_SIZE ? " %10s" : " %12s", rat_column_names[col]);
	seq_putc(m, '\n');
	for (i = 0; i < min(nr, NR_SHOWN); i++) {
		seq_printf(m, "%3u:%-6u %12llu", MAJOR(all[i].dev), MINOR(all[i].dev), all[i].ino);
		for (col = RAT_COL_COUNT; col <= RAT_COL_ACTUAL; col++)
			seq_printf(m, col < RAT_COL_SIZE ? " %10llu" : " %12llu", all[i].n[col]);
		seq_putc(m, '\n');
	}
	kvfree(all);
	return 0;
}
