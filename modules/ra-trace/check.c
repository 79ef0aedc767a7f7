// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>

#include "check.h"

/*
 * Of two counters of which one follows the other, the one that leads is read last and the one
 * that follows first, or what is counted in between, however long that takes, looks like a
 * mistake: a reader may be preempted, and the CPU of a virtual machine taken away. The same goes
 * for the reset that they are counted from.
 */

/* A CPU may be between a row and the sum, now and at the reset. */
#define SUM_SLACK_PER_CPU	4
/* Pages of calls that run at the reset. */
#define RUNNING_SLACK		4096
/* Between pages and the block layer: 1 MiB, and 1 of 128. */
#define BLOCK_SLACK		256

/**
 * rat_check_sum - whether the rows' counts sum up to the count of all
 * @rows: sum of the rows
 * @all: count of all
 * @cpus: how many count
 */
bool rat_check_sum(struct rat_span rows, struct rat_span all, unsigned int cpus)
{
	u64 slack = (u64)cpus * SUM_SLACK_PER_CPU;

	return all.first <= rows.last + slack && rows.first <= all.last + slack;
}

/**
 * rat_check_actual - whether the pages of the calls are those that entered the page cache
 * @actual: sum over calls that have ended
 * @entered: counted as the pages entered
 * @running: pages of calls that have not ended, read between first and last
 */
bool rat_check_actual(struct rat_span actual, struct rat_span entered, u64 running)
{
	return actual.first <= entered.last + RUNNING_SLACK &&
	       entered.first <= actual.last + running + RUNNING_SLACK;
}

/**
 * rat_check_block - whether the block layer was given what entered the page cache
 * @entered: pages
 * @block: pages
 * @running: pages of calls that have not ended, read between first and last: all of a window
 *	enters before its first bio is made
 */
bool rat_check_block(struct rat_span entered, struct rat_span block, u64 running)
{
	/* A shift: not every machine divides 64 bits. */
	u64 slack = BLOCK_SLACK + (max(entered.first, block.first) >> 7);

	return entered.first <= block.last + running + slack &&
	       block.first <= entered.last + slack;
}
