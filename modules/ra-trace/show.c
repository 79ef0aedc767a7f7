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
#include "hooks.h"
#include "pages.h"
#include "reads.h"
#include "show.h"
#include "switches.h"
#include "top.h"
#include "tracing.h"
#include "unread.h"

static struct dentry *dir;
static atomic_long_t mismatches;

/* A value that cannot be counted on this kernel is n/a, not 0. One that was counted is shown. */
static bool is_na(enum rat_pattern pattern, enum rat_column col, u64 value)
{
	if (value)
		return false;
	if (pattern != RAT_NR_PATTERNS && !rat_hooks_see_pattern(pattern))
		return true;
	if (col == RAT_COL_ACTUAL)
		return !rat_pages_see_added();
	/* Pages of random reads are not tracked. */
	return col >= RAT_COL_USED && (!rat_unread_is_tracking() || pattern == RAT_RANDOM);
}

static void rat_show_number(struct seq_file *m, bool na, u64 value)
{
	if (na)
		seq_printf(m, " %10s", "n/a");
	else
		seq_printf(m, " %10llu", value);
}

static void rat_show_header(struct seq_file *m, const char *first, enum rat_column from,
			    enum rat_column to)
{
	unsigned int i;

	seq_printf(m, "%-10s", first);
	for (i = from; i <= to; i++)
		seq_printf(m, " %10s", rat_column_names[i]);
	seq_putc(m, '\n');
}

static void rat_show_row(struct seq_file *m, const u64 *row, enum rat_pattern pattern,
			 enum rat_column from, enum rat_column to, bool average)
{
	unsigned int i;

	seq_printf(m, "%-10s", pattern < RAT_NR_PATTERNS ? rat_pattern_names[pattern] : "all");
	for (i = from; i <= to; i++) {
		u64 value = row[i];
		bool na = is_na(pattern, i, value);

		if (average && i >= RAT_COL_SIZE && row[RAT_COL_COUNT])
			value = div64_u64(value, row[RAT_COL_COUNT]);
		rat_show_number(m, na, value);
	}
	seq_putc(m, '\n');
}

/* Sum the rows over all devices. */
static void rat_sum_devs(const struct rat_counts *sums, u64 rows[RAT_NR_PATTERNS][RAT_NR_COLUMNS])
{
	unsigned int dev, i, col;

	for (dev = 0; dev < RAT_NR_DEVS; dev++)
		for (i = 0; i < RAT_NR_PATTERNS; i++)
			for (col = 0; col < RAT_NR_COLUMNS; col++)
				rows[i][col] += sums->row[dev][i][col];
}

static void rat_show_mismatch(struct seq_file *m, bool *ok)
{
	if (*ok)
		atomic_long_inc(&mismatches);
	*ok = false;
	seq_puts(m, "# MISMATCH: ");
}

static unsigned long rat_calls_missed(void)
{
	return rat_hooks_missed() + rat_reads_missed();
}

/* The lines above each table that begin with #: whether the counters agree. */
static void rat_show_checks(struct seq_file *m, const struct rat_sums *sums)
{
	const struct rat_counts *first = &sums->first, *last = &sums->last;
	struct rat_span rows = {
		.first = rat_account_sum_column(first, RAT_COL_COUNT),
		.last = rat_account_sum_column(last, RAT_COL_COUNT),
	};
	struct rat_span all = { first->all[RAT_COL_COUNT], last->all[RAT_COL_COUNT] };
	struct rat_span actual = { first->all[RAT_COL_ACTUAL], last->all[RAT_COL_ACTUAL] };
	struct rat_span entered = {};
	bool ok = true, block;
	unsigned int i;

	for (i = 0; i < RAT_NR_DEVS; i++) {
		entered.first += first->entered[i];
		entered.last += last->entered[i];
	}
	if (!rat_check_sum(rows, all, num_possible_cpus())) {
		rat_show_mismatch(m, &ok);
		seq_printf(m, "patterns sum to %llu, all is %llu\n", rows.last, all.last);
	}
	if (!rat_check_actual(actual, entered, sums->running)) {
		rat_show_mismatch(m, &ok);
		seq_printf(m, "actual is %llu, %llu pages entered the page cache, %llu in running calls\n",
			   actual.last, entered.last, sums->running);
	}
	for (i = 0; i < RAT_NR_DEVS; i++) {
		dev_t dev = rat_account_dev_number(i, &block);
		struct rat_span pages = { first->entered[i], last->entered[i] };
		struct rat_span blocks = {
			.first = first->block[i] >> (PAGE_SHIFT - 9),
			.last = last->block[i] >> (PAGE_SHIFT - 9),
		};

		if (!dev || !block || !rat_pages_see_bios() ||
		    rat_check_block(pages, blocks, sums->running))
			continue;
		rat_show_mismatch(m, &ok);
		seq_printf(m, "%u:%u: %llu pages entered the page cache, the block layer read %llu\n",
			   MAJOR(dev), MINOR(dev), pages.last, blocks.last);
	}
	if (rat_calls_missed() || last->misc[RAT_MISC_UNTRACKED])
		seq_printf(m, "# missed: %lu calls not seen since enabled, %llu not tracked\n",
			   rat_calls_missed(), last->misc[RAT_MISC_UNTRACKED]);
	if (ok)
		seq_puts(m, "# check: ok\n");
}

/* The table by pattern: averages or totals, of the columns up to @to. */
static void rat_show_patterns(struct seq_file *m, const struct rat_counts *sums,
			      enum rat_column to, bool average)
{
	u64 rows[RAT_NR_PATTERNS][RAT_NR_COLUMNS] = {};
	unsigned int i;

	rat_sum_devs(sums, rows);
	rat_show_header(m, "pattern", RAT_COL_COUNT, to);
	for (i = 0; i < RAT_NR_PATTERNS; i++)
		rat_show_row(m, rows[i], i, RAT_COL_COUNT, to, average);
	rat_show_row(m, sums->all, RAT_NR_PATTERNS, RAT_COL_COUNT, to, average);
}

static void rat_show_stats(struct seq_file *m, const struct rat_counts *sums)
{
	rat_show_patterns(m, sums, RAT_COL_ACTUAL, true);
}

/* As rat_show_stats(), but totals instead of averages, and the module's own counters below. */
static void rat_show_stats_raw(struct seq_file *m, const struct rat_counts *sums)
{
	u64 entered = 0, pages;
	unsigned int i;

	rat_show_patterns(m, sums, RAT_COL_UNKNOWN, false);
	for (i = 0; i < RAT_NR_DEVS; i++)
		entered += sums->entered[i];
	seq_printf(m, "calls_running %u\n", rat_calls_count_running(&pages));
	seq_printf(m, "calls_missed %lu\n", rat_calls_missed());
	seq_printf(m, "calls_untracked %llu\n", sums->misc[RAT_MISC_UNTRACKED]);
	seq_printf(m, "pages_entered %llu\n", entered);
	seq_printf(m, "pages_unread %llu\n", rat_unread_total());
	seq_printf(m, "events_traced %llu\n", sums->misc[RAT_MISC_TRACED]);
	seq_printf(m, "events_filtered %llu\n", sums->misc[RAT_MISC_FILTERED]);
	seq_printf(m, "check_mismatches %ld\n", atomic_long_read(&mismatches));
}

static void rat_show_stats_by_dev(struct seq_file *m, const struct rat_counts *sums)
{
	unsigned int index, i;
	bool block;

	for (index = 0; index < RAT_NR_DEVS; index++) {
		dev_t dev = rat_account_dev_number(index, &block);
		u64 all[RAT_NR_COLUMNS] = {};
		unsigned int col;

		for (i = 0; i < RAT_NR_PATTERNS; i++)
			for (col = 0; col < RAT_NR_COLUMNS; col++)
				all[col] += sums->row[index][i][col];
		if (!all[RAT_COL_COUNT] && !all[RAT_COL_UNUSED] && !all[RAT_COL_USED] &&
		    !all[RAT_COL_UNKNOWN])
			continue;
		seq_printf(m, "dev %u:%u entered %llu block ", MAJOR(dev), MINOR(dev),
			   sums->entered[index]);
		if (block && rat_pages_see_bios())
			seq_printf(m, "%llu\n", sums->block[index] >> (PAGE_SHIFT - 9));
		else
			seq_puts(m, "n/a\n");
		rat_show_header(m, "pattern", RAT_COL_COUNT, RAT_COL_UNKNOWN);
		for (i = 0; i < RAT_NR_PATTERNS; i++)
			rat_show_row(m, sums->row[index][i], i, RAT_COL_COUNT,
				     RAT_COL_UNKNOWN, false);
		rat_show_row(m, all, RAT_NR_PATTERNS, RAT_COL_COUNT, RAT_COL_UNKNOWN, false);
	}
}

static void rat_show_why(struct seq_file *m, const struct rat_counts *sums)
{
	unsigned int i;

	seq_printf(m, "%-14s %10s\n", "why", "count");
	for (i = 0; i < RAT_NR_WHYS; i++)
		seq_printf(m, "%-14s %10llu\n", rat_why_names[i], sums->why[i]);
}

static void rat_show_waste(struct seq_file *m, const struct rat_counts *sums)
{
	u64 rows[RAT_NR_PATTERNS][RAT_NR_COLUMNS] = {};
	unsigned int i;

	if (!rat_unread_is_tracking())
		seq_puts(m, "# n/a: reads are not seen on this kernel unless enabled and read_trace is 1\n");
	seq_printf(m, "# unread pages: %llu\n", rat_unread_total());
	rat_sum_devs(sums, rows);
	rat_show_header(m, "pattern", RAT_COL_ACTUAL, RAT_COL_UNKNOWN);
	for (i = 0; i < RAT_NR_PATTERNS; i++)
		rat_show_row(m, rows[i], i, RAT_COL_ACTUAL, RAT_COL_UNKNOWN, false);
	rat_show_row(m, sums->all, RAT_NR_PATTERNS, RAT_COL_ACTUAL, RAT_COL_UNKNOWN, false);
}

static void rat_show_top(struct seq_file *m, const struct rat_counts *sums)
{
	seq_printf(m, "# lost: %llu readaheads of %llu pages, of files that others displaced\n",
		   sums->misc[RAT_MISC_TOP_LOST], sums->misc[RAT_MISC_TOP_LOST_PAGES]);
	if (rat_top_show(m))
		seq_puts(m, "# no memory\n");
}

/**
 * struct rat_table_file - a file in debugfs
 * @name: its name
 * @show: prints its table
 */
struct rat_table_file {
	const char *name;
	void (*show)(struct seq_file *m, const struct rat_counts *sums);
};

static const struct rat_table_file files[] = {
	{ "stats", rat_show_stats },
	{ "stats_raw", rat_show_stats_raw },
	{ "stats_by_dev", rat_show_stats_by_dev },
	{ "why", rat_show_why },
	{ "waste", rat_show_waste },
	{ "top", rat_show_top },
};

static int rat_table_show(struct seq_file *m, void *unused)
{
	const struct rat_table_file *file = m->private;
	struct rat_sums *sums = rat_account_read();

	if (!sums)
		return -ENOMEM;
	rat_show_checks(m, sums);
	file->show(m, &sums->last);
	kvfree(sums);
	return 0;
}

static int rat_table_open(struct inode *inode, struct file *file)
{
	/* Room for any table, because a retry of seq_file would count a mismatch again. */
	return single_open_size(file, rat_table_show, inode->i_private, 65536);
}

static ssize_t rat_table_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	rat_account_reset();
	rat_top_reset();
	return len;
}

static const struct file_operations rat_table_fops = {
	.owner = THIS_MODULE,
	.open = rat_table_open,
	.read = seq_read,
	.write = rat_table_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * rat_show_create - create the files
 *
 * Without debugfs (not built in, or locked down) the module has trace events only, and logs a line.
 */
void rat_show_create(void)
{
	unsigned int i;

	dir = debugfs_create_dir("readahead", NULL);
	if (IS_ERR(dir)) {
		pr_info("cannot create tables in debugfs (%ld); only trace events work\n",
			PTR_ERR(dir));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(files); i++)
		debugfs_create_file(files[i].name, 0600, dir, (void *)&files[i], &rat_table_fops);
	rat_switches_create_files(dir);
	rat_tracing_create_files(dir);
}

/* No file operation runs when it returns. */
void rat_show_destroy(void)
{
	debugfs_remove(dir);
}
