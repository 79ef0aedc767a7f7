/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of unread pages: read ahead, and neither read nor evicted yet. */
#ifndef RA_TRACE_UNREAD_H
#define RA_TRACE_UNREAD_H

#include <linux/types.h>

#include "pattern.h"

struct address_space;

/* What became of pages that were read ahead. */
enum rat_outcome {
	RAT_OUTCOME_READ,
	RAT_OUTCOME_EVICTED,	/* unread */
	RAT_OUTCOME_UNKNOWN,	/* perhaps read, without an event */
	RAT_OUTCOME_DISCARDED,	/* not read ahead after all: not counted */
};

int rat_unread_create(void);
void rat_unread_destroy(void);
void rat_unread_set_tracking(bool track);
bool rat_unread_is_tracking(void);
void rat_unread_add(struct address_space *mapping, unsigned long start, unsigned long nr,
		    unsigned int dev, enum rat_pattern pattern);
void rat_unread_resolve(const struct address_space *mapping, unsigned long start, unsigned long nr,
			enum rat_outcome outcome);
unsigned long rat_unread_count(const struct address_space *mapping, unsigned long start,
			       unsigned long nr);
u64 rat_unread_total(void);

#endif
