// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>

#include "check.h"

/* A CPU may be between a row and the sum, now and when the base was taken. */
#define SUM_SLACK_PER_CPU	4
/* Pages of calls that end while the numbers are read. */
#define RUNNING_SLACK		4096
/* Between pages and the block layer: 1 MiB, and 1 of 128. */
#define BLOCK_SLACK		256

/**
 * ra_check_sum - whether the rows' counts sum up to the count of all
 * @rows: sum of the rows
 * @all_before: count of all, read before the rows
 * @all_after: read after them
 * @cpus: how many count
 */
bool ra_check_sum(u64 rows, u64 all_before, u64 all_after, unsigned int cpus)
{
	u64 slack = (u64)cpus * SUM_SLACK_PER_CPU;

	return rows + slack >= all_before && rows <= all_after + slack;
}

/**
 * ra_check_actual - whether the pages of the calls are those that entered the page cache
 * @actual: sum over calls that have ended
 * @entered: counted as the pages entered
 * @running: pages of calls that have not ended
 */
bool ra_check_actual(u64 actual, u64 entered, u64 running)
{
	return actual <= entered + RUNNING_SLACK &&
	       entered <= actual + running + RUNNING_SLACK;
}

/**
 * ra_check_block - whether the block layer was given what entered the page cache
 * @entered: pages
 * @block: pages
 * @running: pages of calls that have not ended: all of a window enters before its first bio is made
 */
bool ra_check_block(u64 entered, u64 block, u64 running)
{
	/* A shift: not every machine divides 64 bits. */
	u64 slack = BLOCK_SLACK + (max(entered, block) >> 7);

	return entered <= block + running + slack && block <= entered + slack;
}
