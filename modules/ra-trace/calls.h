/* SPDX-License-Identifier: GPL-2.0-only */
/* The readahead calls that are running, each found by its task. */
#ifndef RA_TRACE_CALLS_H
#define RA_TRACE_CALLS_H

#include <linux/types.h>

#include "pattern.h"

struct address_space;
struct file;
struct file_ra_state;
struct rat_counts;
struct readahead_control;

/**
 * struct rat_call - what is known of a running call
 * @obs: for the classifier
 * @ractl: the caller's control, valid until the call returns
 * @file: the open file, may be NULL
 * @ra: the state that @ractl pointed to at the entry, may be NULL
 * @own_file: it reads @file itself, and not something for its sake
 * @slot: where it is found, NULL if all places were taken
 * @dev: place of the device in the counters
 * @own_disk: its bios pass the block layer under the device's number
 * @pattern: valid from the moment that the stock code begins to read
 * @classified: that moment has come
 */
struct rat_call {
	struct rat_observation obs;
	struct readahead_control *ractl;
	struct file *file;
	struct file_ra_state *ra;
	bool own_file;
	struct rat_call_slot *slot;
	unsigned int dev;
	bool own_disk;
	enum rat_pattern pattern;
	bool classified;
};

/**
 * struct rat_call_slot - a running call's place in the table
 * @call: the call; for its own task only. When hooks are taken out, places of
 *	calls that are still asleep stay behind until the table goes: what is
 *	looked up in one may use its values, but never follow its pointers.
 * @mapping: the file that is read
 * @dev_number: its device
 * @dev: place of the device in the counters
 * @pages: brought into the page cache so far; others may read it
 * @sectors: of 512 bytes that the block layer was asked for so far; others may read it
 * @run_start: of pages whose fate is not followed yet (see unread.h), the first
 * @run: how many
 */
struct rat_call_slot {
	struct rat_call call;
	struct address_space *mapping;
	dev_t dev_number;
	unsigned int dev;
	long pages;
	unsigned long sectors;
	unsigned long run_start;
	unsigned long run;
};

int rat_calls_create(void);
void rat_calls_destroy(void);
struct rat_call_slot *rat_calls_add(const struct rat_call *call, struct address_space *mapping,
				dev_t dev);
void rat_calls_remove(struct rat_call_slot *slot);
struct rat_call_slot *rat_calls_find(const struct address_space *mapping);
struct rat_call_slot *rat_calls_find_by_dev(dev_t dev);
unsigned int rat_calls_count_running(u64 *pages);
void rat_calls_deduct(struct rat_counts *sums);

#endif
