/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters: per CPU, per device, per pattern. ra-trace(4) describes each. */
#ifndef RA_TRACE_ACCOUNT_H
#define RA_TRACE_ACCOUNT_H

#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "pattern.h"

/* Devices with counters of their own; all others share index RAT_DEV_OTHER. */
#define RAT_NR_DEVS	24
#define RAT_DEV_OTHER	0

/* The columns of a row. The last three say what became of its pages; see unread.h. */
#define RAT_COLUMNS(C)				\
	C(COUNT, "count")			\
	C(SYNC_COUNT, "sync_count")		\
	C(EOF_COUNT, "eof_count")		\
	C(SIZE, "size")				\
	C(ASYNC_SIZE, "async_size")		\
	C(ACTUAL, "actual")			\
	C(USED, "used")				\
	C(UNUSED, "unused")			\
	C(UNKNOWN, "unknown")

#define RAT_COLUMN(name, string)	RAT_COL_##name,
enum rat_column { RAT_COLUMNS(RAT_COLUMN) RAT_NR_COLUMNS };

enum rat_misc {
	RAT_MISC_UNTRACKED,
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
 * @block: 512-byte sectors of the readahead bios that were queued, by device
 * @why: reads without readahead, by reason
 * @misc: about the accounting itself
 * @all: totals of the columns, counted after the rows and apart from them, to check their sums
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
 * @first: the first reading less the second one of the reset: a lower bound, for the checks
 * @last: the second reading less the first one of the reset: an upper bound, and what users see
 * @running: pages of unfinished calls, read between the two
 */
struct rat_sums {
	struct rat_counts first;
	struct rat_counts last;
	u64 running;
};

extern struct rat_counts __percpu *rat_counts;
extern const char *const rat_column_names[RAT_NR_COLUMNS];

/* The device that a file is counted for: the block device itself, or that of its file system. */
static inline dev_t rat_dev_of(const struct inode *inode)
{
	return S_ISBLK(inode->i_mode) ? inode->i_rdev : inode->i_sb->s_dev;
}

int rat_account_create(void);
void rat_account_destroy(void);
unsigned int rat_account_dev_index(dev_t dev, bool block);
dev_t rat_account_dev_number(unsigned int dev, bool *block);
void rat_account_readahead(unsigned int dev, enum rat_pattern pattern,
			   const struct rat_observation *obs);
void rat_account_add(unsigned int dev, enum rat_pattern pattern, enum rat_column col, u64 n);
u64 rat_account_sum_column(const struct rat_counts *sums, enum rat_column col);
struct rat_sums *rat_account_read(void);
void rat_account_reset(void);
void rat_account_destroy_calls(void);

/* Add to one member of struct rat_counts. Context: any. */
#define rat_count(member, n)	this_cpu_add(rat_counts->member, (n))

#endif
