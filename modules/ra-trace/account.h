/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters: per CPU, per device, per pattern. Each is described in ra-trace(4). */
#ifndef RA_TRACE_ACCOUNT_H
#define RA_TRACE_ACCOUNT_H

#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "pattern.h"

/* Devices that are told apart; those beyond share the first place. */
#define RAT_NR_DEVS	24
#define RAT_DEV_OTHER	0

enum rat_column {
	RAT_COL_COUNT,
	RAT_COL_SYNC_COUNT,
	RAT_COL_EOF_COUNT,
	RAT_COL_SIZE,
	RAT_COL_ASYNC_SIZE,
	RAT_COL_ACTUAL,
	/* What became of the pages; see unread.h. */
	RAT_COL_USED,
	RAT_COL_UNUSED,
	RAT_COL_UNKNOWN,
	RAT_NR_COLUMNS,
};

enum rat_misc {
	RAT_MISC_NOT_FOLLOWED,
	RAT_MISC_TRACED,
	RAT_MISC_FILTERED,
	RAT_MISC_TOP_LOST,
	RAT_MISC_TOP_LOST_PAGES,
	RAT_NR_MISC,
};

/**
 * struct rat_counts - all counters of a CPU, or their sums
 * @row: by device and pattern
 * @entered: pages that readahead brought into the page cache, by device
 * @block: 512-byte sectors of readahead that the block layer took, by device
 * @why: reads without readahead
 * @misc: about the accounting itself
 * @all: counted apart from the rows, after them, so that the sums can be checked
 */
struct rat_counts {
	u64 row[RAT_NR_DEVS][RAT_NR_PATTERNS][RAT_NR_COLUMNS];
	u64 entered[RAT_NR_DEVS];
	u64 block[RAT_NR_DEVS];
	u64 why[RAT_NR_WHYS];
	u64 misc[RAT_NR_MISC];
	u64 all[RAT_NR_COLUMNS];
};

/**
 * struct rat_sums - the counters since the last reset, read twice
 * @first: read first, and since the later reading of the reset; for the checks: see struct rat_span
 * @last: read last, and since the earlier reading of the reset; what is shown
 * @running: pages of calls that have not ended, read in between
 */
struct rat_sums {
	struct rat_counts first;
	struct rat_counts last;
	u64 running;
};

extern struct rat_counts __percpu *rat_counts;

/* Whom a file is counted for: the block device that it is, or its file system's number. */
static inline dev_t rat_dev_of(const struct inode *inode)
{
	return S_ISBLK(inode->i_mode) ? inode->i_rdev : inode->i_sb->s_dev;
}

int rat_account_create(void);
void rat_account_destroy(void);
unsigned int rat_account_dev_index(dev_t dev, bool block);
dev_t rat_account_dev_number(unsigned int dev, bool *block);
void rat_account_readahead(unsigned int dev, enum rat_pattern pattern, const struct rat_observation *obs);
void rat_account_add(unsigned int dev, enum rat_pattern pattern, enum rat_column col, u64 n);
u64 rat_account_sum_column(const struct rat_counts *sums, enum rat_column col);
struct rat_sums *rat_account_read(void);
void rat_account_reset(void);

/* One counter of struct rat_counts. Context: any. */
#define rat_count(member, n)	this_cpu_add(rat_counts->member, (n))

#endif
