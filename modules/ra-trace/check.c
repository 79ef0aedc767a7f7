// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>

#include "check.h"

/*
 * Of two counters that rise one after the other, compare the second reading of the one that leads
 * with the first reading of the one that follows. Otherwise, counts between the readings look like
 * a mismatch. They may be many: the reader may be preempted, or its virtual CPU stopped.
 * The same holds for the readings of the reset.
 */

/* A CPU may have counted the row but not the total yet, now and at the reset. */
#define SUM_SLACK_PER_CPU	4
/* Pages of calls that were running at the reset. */
#define RUNNING_SLACK		4096
/* Between the pages and their bios: 1 MiB, and 1/128 of either. */
#define BLOCK_SLACK		256

/**
 * rat_check_sum - whether the rows sum up to the total
 * @rows: sum of the rows
 * @all: the total
 * @cpus: number of CPUs that count
 */
bool rat_check_sum(struct rat_span rows, struct rat_span all, unsigned int cpus)
{
	u64 slack = (u64)cpus * SUM_SLACK_PER_CPU;

	return all.first <= rows.last + slack && rows.first <= all.last + slack;
}

/**
 * rat_check_actual - whether the calls' pages are those that entered the page cache
 * @actual: pages of finished calls, counted at their end
 * @entered: pages, counted as they entered
 * @running: pages of unfinished calls, read between @first and @last
 */
bool rat_check_actual(struct rat_span actual, struct rat_span entered, u64 running)
{
	return actual.first <= entered.last + RUNNING_SLACK &&
	       entered.first <= actual.last + running + RUNNING_SLACK;
}

/**
 * rat_check_block - whether the block layer read what entered the page cache
 * @entered: pages that entered
 * @block: pages of the queued bios
 * @running: pages of unfinished calls, read between @first and @last: a whole window enters before
 *	its first bio is queued
 */
bool rat_check_block(struct rat_span entered, struct rat_span block, u64 running)
{
	/* A shift, because some 32-bit machines cannot divide 64 bits. */
	u64 slack = BLOCK_SLACK + (max(entered.first, block.first) >> 7);

	return entered.first <= block.last + running + slack &&
	       block.first <= entered.last + slack;
}
