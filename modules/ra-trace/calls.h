/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of running readahead calls, keyed by task. */
#ifndef RA_TRACE_CALLS_H
#define RA_TRACE_CALLS_H

#include <linux/types.h>

#include "pattern.h"

struct address_space;
struct file;
struct file_ra_state;
struct readahead_control;

/**
 * struct rat_call - a running call
 * @obs: for rat_classify()
 * @ractl: the caller's, valid until the call returns
 * @file: the open file, may be NULL
 * @ra: @ractl->ra at the entry, may be NULL
 * @own_file: the call reads @file itself, not for example the blocks of a directory
 * @slot: its slot in the table, NULL if the table was full
 * @dev: index of the device in the counters
 * @own_disk: the bios of the call have the device's number
 * @pattern: valid if @classified
 * @classified: the stock code has begun to read
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
 * struct rat_call_slot - a slot of the table
 * @call: the call; for its own task only. Slots of calls that sleep while the hooks are
 *	unregistered stay used until the table is freed. So a look-up may use the values of
 *	@call, but must not follow its pointers.
 * @mapping: the file that the call reads
 * @dev_number: its device
 * @dev: index of the device in the counters
 * @pages: added to the page cache so far; other tasks may read it
 * @sectors: 512-byte sectors of its readahead bios so far; other tasks may read it
 * @run_start: first page of the run that is not in the table of unread pages yet; see pages.c
 * @run: length of that run, pages
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
void rat_calls_sum_unfinished(u64 *pages, u64 *sectors);

#endif
