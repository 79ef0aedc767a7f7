/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters: per CPU, per device, per pattern. Each is described in ra-trace(4). */
#ifndef RA_TRACE_ACCOUNT_H
#define RA_TRACE_ACCOUNT_H

#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "pattern.h"

/* Devices that are told apart; those beyond share the first place. */
#define RA_NR_DEVS	24
#define RA_DEV_OTHER	0

enum ra_column {
	RA_COUNT,
	RA_SYNC_COUNT,
	RA_EOF_COUNT,
	RA_SIZE,
	RA_ASYNC_SIZE,
	RA_ACTUAL,
	/* What became of the pages; see waste.h. */
	RA_USED,
	RA_UNUSED,
	RA_UNKNOWN,
	RA_NR_COLUMNS,
};

enum ra_misc {
	RA_NOT_FOLLOWED,
	RA_TRACED,
	RA_FILTERED,
	RA_TOP_LOST,
	RA_TOP_LOST_PAGES,
	RA_NR_MISC,
};

/**
 * struct ra_counts - all counters of a CPU, or their sums
 * @row: by device and pattern
 * @entered: pages that readahead brought into the page cache, by device
 * @block: 512-byte sectors of readahead that the block layer took, by device
 * @why: reads without readahead
 * @misc: about the accounting itself
 * @all: counted apart from the rows, after them, so that the sums can be checked
 */
struct ra_counts {
	u64 row[RA_NR_DEVS][RA_NR_PATTERNS][RA_NR_COLUMNS];
	u64 entered[RA_NR_DEVS];
	u64 block[RA_NR_DEVS];
	u64 why[RA_NR_WHYS];
	u64 misc[RA_NR_MISC];
	u64 all[RA_NR_COLUMNS];
};

/**
 * struct ra_sums - the counters since the last reset, read twice
 * @first: read first, and since the later reading of the reset; for the checks: see struct ra_span
 * @last: read last, and since the earlier reading of the reset; what is shown
 * @running: pages of calls that have not ended, read in between
 */
struct ra_sums {
	struct ra_counts first;
	struct ra_counts last;
	u64 running;
};

extern struct ra_counts __percpu *ra_counts;

/* Whom a file is counted for: the block device that it is, or its file system's number. */
static inline dev_t ra_dev_of(const struct inode *inode)
{
	return S_ISBLK(inode->i_mode) ? inode->i_rdev : inode->i_sb->s_dev;
}

int ra_account_create(void);
void ra_account_destroy(void);
unsigned int ra_account_dev(dev_t dev, bool block);
dev_t ra_account_dev_number(unsigned int slot, bool *block);
void ra_account(unsigned int dev, enum ra_pattern pattern, const struct ra_seen *seen);
void ra_account_add(unsigned int dev, enum ra_pattern pattern, enum ra_column col, u64 n);
u64 ra_account_rows(const struct ra_counts *sums, enum ra_column col);
struct ra_sums *ra_account_sums(void);
void ra_account_reset(void);

/* One counter of struct ra_counts. Context: any. */
#define ra_count(member, n)	this_cpu_add(ra_counts->member, (n))

#endif
