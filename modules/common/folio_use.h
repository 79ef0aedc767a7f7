/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether somebody has read a folio, as far as its flags tell. */
#ifndef SEQKEEP_FOLIO_USE_H
#define SEQKEEP_FOLIO_USE_H

#include "compat/readahead.h"

/* read() marks what it copies, and splice() what it passes on: folio_mark_accessed(). */
#define FOLIO_READ_FLAGS	(BIT(PG_referenced) | BIT(PG_active) | BIT(PG_workingset) | \
				 COMPAT_DROPBEHIND)

/**
 * folio_flags_say_read - whether read() or splice() has used a folio
 * @flags: of compat_folio_flags()
 *
 * Use through page tables does not set these flags reliably, so that a folio of a mapped file
 * without them may have been used.
 * Readahead of an evicted page sets PG_active and PG_workingset itself: such a page counts as
 * read.
 */
static inline bool folio_flags_say_read(unsigned long flags)
{
	return flags & FOLIO_READ_FLAGS;
}

#endif
