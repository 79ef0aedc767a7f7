/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of pages that were read ahead: read, or evicted unread. */
#ifndef RA_TRACE_WASTE_H
#define RA_TRACE_WASTE_H

#include <linux/types.h>

#include "pattern.h"

struct address_space;

int ra_waste_create(void);
void ra_waste_destroy(void);
void ra_waste_switch(bool follow);
bool ra_waste_is_on(void);
void ra_waste_follow(struct address_space *mapping, unsigned long start, unsigned long nr,
		     unsigned int dev, enum ra_pattern pattern);
void ra_waste_read(const struct address_space *mapping, unsigned long start, unsigned long nr);
void ra_waste_evicted(const struct address_space *mapping, unsigned long start, unsigned long nr);
void ra_waste_unseen(const struct address_space *mapping, unsigned long start, unsigned long nr);
void ra_waste_forget(const struct address_space *mapping, unsigned long start, unsigned long nr);
unsigned long ra_waste_in_doubt(const struct address_space *mapping, unsigned long start,
				unsigned long nr);
u64 ra_waste_open(void);

#endif
