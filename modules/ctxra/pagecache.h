/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page cache tells about a request: which pages are cached, evicted, used. */
#ifndef CTXRA_PAGECACHE_H
#define CTXRA_PAGECACHE_H

#include <linux/pagemap.h>

#include "ctxra.h"

bool ctxra_is_cached(struct address_space *mapping, pgoff_t index);
unsigned long ctxra_trail(struct address_space *mapping, pgoff_t index, unsigned long max);
unsigned long ctxra_cached_before(struct address_space *mapping, pgoff_t index,
				  unsigned long max);
unsigned long ctxra_cached_from(struct address_space *mapping, pgoff_t index, unsigned long max);
bool ctxra_is_evicted(struct address_space *mapping, pgoff_t index);
struct ctxra_use ctxra_sample_use(struct address_space *mapping, pgoff_t start, unsigned long nr);
bool ctxra_trim_window(struct address_space *mapping, struct ctxra_window *win, pgoff_t index);

#endif
