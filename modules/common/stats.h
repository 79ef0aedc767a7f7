/* SPDX-License-Identifier: GPL-2.0-only */
/* Per-CPU counters, shown in debugfs as "name value" lines, reset by a write. */
#ifndef SEQKEEP_STATS_H
#define SEQKEEP_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

struct dentry;

/**
 * struct stats - a module's counters
 * @names: one per counter
 * @nr: how many
 * @extra: counters that are kept elsewhere, shown below and not reset; may be
 *	NULL. Called with the seq_file to print to.
 * @dir: the directory, for a module's other files; set by stats_create()
 */
struct stats {
	const char *const *names;
	unsigned int nr;
	void (*extra)(struct seq_file *m);
	struct dentry *dir;

	/* private: */
	u64 __percpu *count;
	u64 *base;	/* sums at the last reset, protected by stats_mutex */
};

int stats_create(struct stats *stats, const char *directory);
void stats_destroy(struct stats *stats);

/**
 * stats_add - add to a counter
 * @stats: the counters
 * @i: index of the counter
 * @n: how much
 *
 * Context: any.
 */
static inline void stats_add(struct stats *stats, unsigned int i, u64 n)
{
	this_cpu_add(stats->count[i], n);
}

#endif
