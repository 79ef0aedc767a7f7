// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/kdev_t.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "account.h"
#include "calls.h"
#include "check.h"
#include "doors.h"
#include "pages.h"
#include "reads.h"
#include "show.h"
#include "top.h"
#include "tracing.h"
#include "waste.h"

static struct dentry *dir;
static atomic_long_t mismatches;

static const char *const column_names[RA_NR_COLUMNS] = {
	[RA_COUNT] = "count",
	[RA_SYNC_COUNT] = "sync_count",
	[RA_EOF_COUNT] = "eof_count",
	[RA_SIZE] = "size",
	[RA_ASYNC_SIZE] = "async_size",
	[RA_ACTUAL] = "actual",
	[RA_USED] = "used",
	[RA_UNUSED] = "unused",
	[RA_UNKNOWN] = "unknown",
};

/* What this kernel does not let us see is n/a, and never 0; nor is what was counted hidden. */
static bool is_na(enum ra_pattern pattern, enum ra_column col, u64 value)
{
	if (value)
		return false;
	if (pattern != RA_NR_PATTERNS && !ra_doors_see(pattern))
		return true;
	if (col == RA_ACTUAL)
		return !ra_pages_see_actual();
	/* What is asked for is not followed. */
	return col >= RA_USED && (!ra_waste_is_on() || pattern == RA_RANDOM);
}

static void show_number(struct seq_file *m, bool na, u64 value)
{
	if (na)
		seq_printf(m, " %10s", "n/a");
	else
		seq_printf(m, " %10llu", value);
}

static void show_header(struct seq_file *m, const char *first, enum ra_column from,
			enum ra_column to)
{
	unsigned int i;

	seq_printf(m, "%-10s", first);
	for (i = from; i <= to; i++)
		seq_printf(m, " %10s", column_names[i]);
	seq_putc(m, '\n');
}

static void show_row(struct seq_file *m, const u64 *row, enum ra_pattern pattern,
		     enum ra_column from, enum ra_column to, bool average)
{
	unsigned int i;

	seq_printf(m, "%-10s", pattern < RA_NR_PATTERNS ? ra_pattern_names[pattern] : "all");
	for (i = from; i <= to; i++) {
		u64 value = row[i];
		bool na = is_na(pattern, i, value);

		if (average && i >= RA_SIZE && row[RA_COUNT])
			value = div64_u64(value, row[RA_COUNT]);
		show_number(m, na, value);
	}
	seq_putc(m, '\n');
}

/* Sum over devices, by pattern. */
static void sum_devs(const struct ra_counts *sums, u64 rows[RA_NR_PATTERNS][RA_NR_COLUMNS])
{
	unsigned int dev, i, col;

	for (dev = 0; dev < RA_NR_DEVS; dev++)
		for (i = 0; i < RA_NR_PATTERNS; i++)
			for (col = 0; col < RA_NR_COLUMNS; col++)
				rows[i][col] += sums->row[dev][i][col];
}

static void mismatch(struct seq_file *m, bool *ok)
{
	if (*ok)
		atomic_long_inc(&mismatches);
	*ok = false;
	seq_puts(m, "# MISMATCH: ");
}

static unsigned long calls_missed(void)
{
	return ra_doors_missed() + ra_reads_missed();
}

/* Lines that begin with #, above a table: whether its numbers can be trusted. */
static void show_checks(struct seq_file *m, const struct ra_sums *sums)
{
	const struct ra_counts *first = &sums->first, *last = &sums->last;
	struct ra_span rows = {
		.first = ra_account_rows(first, RA_COUNT),
		.last = ra_account_rows(last, RA_COUNT),
	};
	struct ra_span all = { first->all[RA_COUNT], last->all[RA_COUNT] };
	struct ra_span actual = { first->all[RA_ACTUAL], last->all[RA_ACTUAL] };
	struct ra_span entered = {};
	bool ok = true, block;
	unsigned int i;

	for (i = 0; i < RA_NR_DEVS; i++) {
		entered.first += first->entered[i];
		entered.last += last->entered[i];
	}
	if (!ra_check_sum(rows, all, num_possible_cpus())) {
		mismatch(m, &ok);
		seq_printf(m, "patterns sum to %llu, all is %llu\n", rows.last, all.last);
	}
	if (!ra_check_actual(actual, entered, sums->running)) {
		mismatch(m, &ok);
		seq_printf(m, "actual is %llu, %llu pages entered the page cache, %llu in calls that run\n",
			   actual.last, entered.last, sums->running);
	}
	for (i = 0; i < RA_NR_DEVS; i++) {
		dev_t dev = ra_account_dev_number(i, &block);
		struct ra_span pages = { first->entered[i], last->entered[i] };
		struct ra_span blocks = {
			.first = first->block[i] >> (PAGE_SHIFT - 9),
			.last = last->block[i] >> (PAGE_SHIFT - 9),
		};

		if (!dev || !block || !ra_pages_see_block() ||
		    ra_check_block(pages, blocks, sums->running))
			continue;
		mismatch(m, &ok);
		seq_printf(m, "%u:%u: %llu pages entered the page cache, the block layer was asked for %llu\n",
			   MAJOR(dev), MINOR(dev), pages.last, blocks.last);
	}
	if (calls_missed() || last->misc[RA_NOT_FOLLOWED])
		seq_printf(m, "# missed: %lu calls were not seen since enabled, %llu not followed\n",
			   calls_missed(), last->misc[RA_NOT_FOLLOWED]);
	if (ok)
		seq_puts(m, "# check: ok\n");
}

/* The table by pattern: averages, or totals with what became of the pages. */
static void show_patterns(struct seq_file *m, const struct ra_counts *sums, enum ra_column to,
			  bool average)
{
	u64 rows[RA_NR_PATTERNS][RA_NR_COLUMNS] = {};
	unsigned int i;

	sum_devs(sums, rows);
	show_header(m, "pattern", RA_COUNT, to);
	for (i = 0; i < RA_NR_PATTERNS; i++)
		show_row(m, rows[i], i, RA_COUNT, to, average);
	show_row(m, sums->all, RA_NR_PATTERNS, RA_COUNT, to, average);
}

static void show_stats(struct seq_file *m, const struct ra_counts *sums)
{
	show_patterns(m, sums, RA_ACTUAL, true);
}

static void show_stats_raw(struct seq_file *m, const struct ra_counts *sums)
{
	u64 entered = 0, pages;
	unsigned int i;

	show_patterns(m, sums, RA_UNKNOWN, false);
	for (i = 0; i < RA_NR_DEVS; i++)
		entered += sums->entered[i];
	seq_printf(m, "calls_running %u\n", ra_calls_running(&pages));
	seq_printf(m, "calls_missed %lu\n", calls_missed());
	seq_printf(m, "calls_not_followed %llu\n", sums->misc[RA_NOT_FOLLOWED]);
	seq_printf(m, "pages_entered %llu\n", entered);
	seq_printf(m, "pages_open %llu\n", ra_waste_open());
	seq_printf(m, "events_traced %llu\n", sums->misc[RA_TRACED]);
	seq_printf(m, "events_filtered %llu\n", sums->misc[RA_FILTERED]);
	seq_printf(m, "check_mismatches %ld\n", atomic_long_read(&mismatches));
}

static void show_stats_by_dev(struct seq_file *m, const struct ra_counts *sums)
{
	unsigned int slot, i;
	bool block;

	for (slot = 0; slot < RA_NR_DEVS; slot++) {
		dev_t dev = ra_account_dev_number(slot, &block);
		u64 all[RA_NR_COLUMNS] = {};
		unsigned int col;

		for (i = 0; i < RA_NR_PATTERNS; i++)
			for (col = 0; col < RA_NR_COLUMNS; col++)
				all[col] += sums->row[slot][i][col];
		if (!all[RA_COUNT] && !all[RA_UNUSED] && !all[RA_USED] && !all[RA_UNKNOWN])
			continue;
		seq_printf(m, "dev %u:%u entered %llu block ", MAJOR(dev), MINOR(dev),
			   sums->entered[slot]);
		if (block && ra_pages_see_block())
			seq_printf(m, "%llu\n", sums->block[slot] >> (PAGE_SHIFT - 9));
		else
			seq_puts(m, "n/a\n");
		show_header(m, "pattern", RA_COUNT, RA_UNKNOWN);
		for (i = 0; i < RA_NR_PATTERNS; i++)
			show_row(m, sums->row[slot][i], i, RA_COUNT, RA_UNKNOWN, false);
		show_row(m, all, RA_NR_PATTERNS, RA_COUNT, RA_UNKNOWN, false);
	}
}

static void show_why(struct seq_file *m, const struct ra_counts *sums)
{
	unsigned int i;

	seq_printf(m, "%-14s %10s\n", "why", "count");
	for (i = 0; i < RA_NR_WHYS; i++)
		seq_printf(m, "%-14s %10llu\n", ra_why_names[i], sums->why[i]);
}

static void show_waste(struct seq_file *m, const struct ra_counts *sums)
{
	u64 rows[RA_NR_PATTERNS][RA_NR_COLUMNS] = {};
	unsigned int i;

	if (!ra_waste_is_on())
		seq_puts(m, "# n/a: reads are not seen on this kernel unless enabled and read_trace is 1\n");
	seq_printf(m, "# pages whose fate is open: %llu\n", ra_waste_open());
	sum_devs(sums, rows);
	show_header(m, "pattern", RA_ACTUAL, RA_UNKNOWN);
	for (i = 0; i < RA_NR_PATTERNS; i++)
		show_row(m, rows[i], i, RA_ACTUAL, RA_UNKNOWN, false);
	show_row(m, sums->all, RA_NR_PATTERNS, RA_ACTUAL, RA_UNKNOWN, false);
}

static void show_top(struct seq_file *m, const struct ra_counts *sums)
{
	seq_printf(m, "# lost: %llu readaheads of %llu pages, of files that others displaced\n",
		   sums->misc[RA_TOP_LOST], sums->misc[RA_TOP_LOST_PAGES]);
	if (ra_top_show(m))
		seq_puts(m, "# no memory\n");
}

/**
 * struct table_file - a file in debugfs
 * @name: its name
 * @show: prints it
 */
struct table_file {
	const char *name;
	void (*show)(struct seq_file *m, const struct ra_counts *sums);
};

static const struct table_file files[] = {
	{ "stats", show_stats },
	{ "stats_raw", show_stats_raw },
	{ "stats_by_dev", show_stats_by_dev },
	{ "why", show_why },
	{ "waste", show_waste },
	{ "top", show_top },
};

static int table_show(struct seq_file *m, void *unused)
{
	const struct table_file *file = m->private;
	struct ra_sums *sums = ra_account_sums();

	if (!sums)
		return -ENOMEM;
	show_checks(m, sums);
	file->show(m, &sums->last);
	kvfree(sums);
	return 0;
}

static int table_open(struct inode *inode, struct file *file)
{
	/* All of any table: a second attempt in a larger buffer would count a mismatch again. */
	return single_open_size(file, table_show, inode->i_private, 65536);
}

static ssize_t table_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	ra_account_reset();
	ra_top_reset();
	return len;
}

static const struct file_operations table_fops = {
	.owner = THIS_MODULE,
	.open = table_open,
	.read = seq_read,
	.write = table_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * ra_show_create - make the files
 *
 * Without debugfs (not built in, or locked down) the trace events work, and the
 * log says once that there are no tables.
 *
 * Context: may sleep.
 */
void ra_show_create(void)
{
	unsigned int i;

	dir = debugfs_create_dir("readahead", NULL);
	if (IS_ERR(dir)) {
		pr_info("no tables: debugfs is not available (%ld); trace events work\n",
			PTR_ERR(dir));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(files); i++)
		debugfs_create_file(files[i].name, 0600, dir, (void *)&files[i], &table_fops);
	ra_tracing_files(dir);
}

/**
 * ra_show_destroy - remove the files
 *
 * Context: may sleep. Nobody is in one when it returns.
 */
void ra_show_destroy(void)
{
	debugfs_remove(dir);
}
