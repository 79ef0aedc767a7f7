/* SPDX-License-Identifier: GPL-2.0-only */
/* Per-CPU counters, shown in debugfs as "name value" lines, reset by a write. */
#ifndef SEQKEEP_STATS_H
#define SEQKEEP_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

struct dentry;

/*
 * A module lists its counters once, as
 *
 *	#define X_COUNTERS(C) C(HELD, "held") C(FILLED, "filled")
 *
 * and makes the enum and the names of that list:
 *
 *	#define X_COUNTER(name, string) X_C_##name,
 *	enum x_counter { X_COUNTERS(X_COUNTER) X_C_NR };
 *	static const char *const names[] = { X_COUNTERS(STATS_NAME) };
 */
#define STATS_NAME(name, string)	string,

/**
 * struct stats - a module's counters
 * @names: one per counter
 * @nr: number of counters
 * @extra: shows counters that are kept elsewhere, which a reset leaves alone; may be NULL. Called
 *	with the seq_file to print to.
 * @dir: the directory, for a module's other files; stats_create() sets it
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

/* Add to a counter, in any context. */
static inline void stats_add(struct stats *stats, unsigned int i, u64 n)
{
	this_cpu_add(stats->count[i], n);
}

#endif
