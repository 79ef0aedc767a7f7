/* SPDX-License-Identifier: GPL-2.0-only */
/* The readahead calls that are running, each found by its task. */
#ifndef RA_TRACE_CALLS_H
#define RA_TRACE_CALLS_H

#include <linux/types.h>

#include "pattern.h"

struct address_space;
struct file;
struct file_ra_state;
struct ra_counts;
struct readahead_control;

/**
 * struct ra_call - what is known of a running call
 * @seen: for the classifier
 * @ractl: the caller's control, valid until the call returns
 * @file: the open file, may be NULL
 * @ra: the state that @ractl pointed to at the entry, may be NULL
 * @own_file: it reads @file itself, and not something for its sake
 * @place: where it is found, NULL if all places were taken
 * @dev: place of the device in the counters
 * @own_disk: its bios pass the block layer under the device's number
 * @pattern: valid from the moment that the stock code begins to read
 * @classified: that moment has come
 */
struct ra_call {
	struct ra_seen seen;
	struct readahead_control *ractl;
	struct file *file;
	struct file_ra_state *ra;
	bool own_file;
	struct ra_place *place;
	unsigned int dev;
	bool own_disk;
	enum ra_pattern pattern;
	bool classified;
};

/**
 * struct ra_place - a running call's place in the table
 * @call: the call; for its own task only. When hooks are taken out, places of
 *	calls that are still asleep stay behind until the table goes: what is
 *	looked up in one may use its values, but never follow its pointers.
 * @mapping: the file that is read
 * @dev_number: its device
 * @dev: place of the device in the counters
 * @pages: brought into the page cache so far; others may read it
 * @sectors: of 512 bytes that the block layer was asked for so far; others may read it
 * @run_start: of pages whose fate is not followed yet (see waste.h), the first
 * @run: how many
 */
struct ra_place {
	struct ra_call call;
	struct address_space *mapping;
	dev_t dev_number;
	unsigned int dev;
	long pages;
	unsigned long sectors;
	unsigned long run_start;
	unsigned long run;
};

int ra_calls_create(void);
void ra_calls_destroy(void);
struct ra_place *ra_calls_begin(const struct ra_call *call, struct address_space *mapping,
				dev_t dev);
void ra_calls_end(struct ra_place *place);
struct ra_place *ra_calls_find(const struct address_space *mapping);
struct ra_place *ra_calls_find_dev(dev_t dev);
unsigned int ra_calls_running(u64 *pages);
void ra_calls_deduct(struct ra_counts *sums);

#endif
