/* SPDX-License-Identifier: GPL-2.0-only */
/* The one rule that tells from a folio's flags whether somebody has read it. */
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
 * Page faults do not set these flags, so the answer is of no use for a mapped file.
 */
static inline bool folio_flags_say_read(unsigned long flags)
{
	return flags & FOLIO_READ_FLAGS;
}

#endif
