/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in folios of the page cache. */
#ifndef SEQKEEP_COMPAT_FOLIO_H
#define SEQKEEP_COMPAT_FOLIO_H

#include <linux/fs.h>
#include <linux/page-flags.h>
#include "features.h"

/*
 * A page fault maps all of a large folio if it can, not just the page that faulted: since
 * 357b92761d94 ("mm/filemap: map entire large folio faultaround") and 19773df031bc ("mm/fault: try
 * to map the entire file folio in finish_fault()") in v6.18. Both change only the bodies of
 * functions. Therefore by the type of a folio's flags, which 53fbef56e07d ("mm: introduce
 * memdesc_flags_t") changed in the same release: RHEL takes the changes of mm by releases. Where a
 * distribution took only one of them, pages that are not mapped count as read, or mapped ones as
 * unread.
 */
#define COMPAT_FAULT_MAPS_FOLIO	SEQKEEP_HAVE_MEMDESC_FLAGS

/**
 * compat_folio_is_dropbehind - whether the reader or the writeback of a folio drops it
 * @folio: the folio
 *
 * Since cceba6f7e46c ("mm: add PG_dropbehind folio flag") in v6.14, which came with IOCB_DONTCACHE.
 */
static inline bool compat_folio_is_dropbehind(const struct folio *folio)
{
#ifdef IOCB_DONTCACHE
	return folio_test_dropbehind(folio);
#else
	return false;
#endif
}

#endif
