// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "stats.h"

/* Protects stats.base. Nests in nothing. */
static DEFINE_MUTEX(stats_mutex);

static u64 stats_sum(const struct stats *stats, unsigned int i)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += READ_ONCE(per_cpu_ptr(stats->count, cpu)[i]);
	return total;
}

static int stats_show(struct seq_file *m, void *unused)
{
	struct stats *stats = m->private;
	unsigned int i;

	mutex_lock(&stats_mutex);
	for (i = 0; i < stats->nr; i++)
		seq_printf(m, "%s %llu\n", stats->names[i], stats_sum(stats, i) - stats->base[i]);
	mutex_unlock(&stats_mutex);
	if (stats->extra)
		stats->extra(m);
	return 0;
}

static int stats_open(struct inode *inode, struct file *file)
{
	return single_open(file, stats_show, inode->i_private);
}

/* A reset moves the base, because setting other CPUs' counters to 0 would lose counts. */
static ssize_t stats_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct stats *stats = ((struct seq_file *)file->private_data)->private;
	unsigned int i;

	mutex_lock(&stats_mutex);
	for (i = 0; i < stats->nr; i++)
		stats->base[i] = stats_sum(stats, i);
	mutex_unlock(&stats_mutex);
	return len;
}

static const struct file_operations stats_fops = {
	.owner = THIS_MODULE,
	.open = stats_open,
	.read = seq_read,
	.write = stats_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * stats_create - make the counters and their file
 * @stats: with names, nr and extra set
 * @directory: name of the directory in debugfs; the file in it is "stats"
 *
 * Without debugfs (not built in, or off) the module counts, nobody sees it, and the log says so
 * once. A write to the file resets the counters that it shows.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int stats_create(struct stats *stats, const char *directory)
{
	const struct dentry *file;

	stats->base = kcalloc(stats->nr, sizeof(*stats->base), GFP_KERNEL);
	if (!stats->base)
		return -ENOMEM;
	stats->count = __alloc_percpu(stats->nr * sizeof(u64), __alignof__(u64));
	if (!stats->count) {
		kfree(stats->base);
		return -ENOMEM;
	}
	stats->dir = debugfs_create_dir(directory, NULL);
	/* In a directory that is an error this returns the same error. */
	file = debugfs_create_file("stats", 0600, stats->dir, stats, &stats_fops);
	if (IS_ERR(file))
		pr_info("cannot create counters in debugfs (%ld)\n", PTR_ERR(file));
	return 0;
}

/* Remove the file and the counters, once nothing counts any more. */
void stats_destroy(struct stats *stats)
{
	debugfs_remove(stats->dir);
	free_percpu(stats->count);
	kfree(stats->base);
}
