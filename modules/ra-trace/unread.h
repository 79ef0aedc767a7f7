/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of unread pages: read ahead, and neither read nor evicted yet. */
#ifndef RA_TRACE_UNREAD_H
#define RA_TRACE_UNREAD_H

#include <linux/types.h>

#include "pattern.h"

struct address_space;

int rat_unread_create(void);
void rat_unread_destroy(void);
void rat_unread_set_tracking(bool track);
bool rat_unread_is_tracking(void);
void rat_unread_add(struct address_space *mapping, unsigned long start, unsigned long nr,
		     unsigned int dev, enum rat_pattern pattern);
void rat_unread_resolve_read(const struct address_space *mapping, unsigned long start, unsigned long nr);
void rat_unread_resolve_evicted(const struct address_space *mapping, unsigned long start, unsigned long nr);
void rat_unread_resolve_unknown(const struct address_space *mapping, unsigned long start, unsigned long nr);
void rat_unread_remove(const struct address_space *mapping, unsigned long start, unsigned long nr);
unsigned long rat_unread_count(const struct address_space *mapping, unsigned long start,
				unsigned long nr);
u64 rat_unread_total(void);

#endif
