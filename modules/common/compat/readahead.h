/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in the readahead and page cache interfaces. */
#ifndef SEQKEEP_COMPAT_READAHEAD_H
#define SEQKEEP_COMPAT_READAHEAD_H

#include <linux/fs.h>
#include <linux/pagemap.h>

#include "features.h"

/*
 * page_cache_async_ra() rounds windows' ends since 18ebe55a9236 ("mm/readahead: terminate async
 * readahead on natural boundary"), of the series that added file_ra_state.order. It changes only
 * the body of the function.
 */
#define COMPAT_RA_ROUNDS_END	SEQKEEP_HAVE_RA_ORDER

/**
 * compat_ra_set_order - set the folio order that the next window grows from
 * @ra: the state that the stock code will get
 * @order: of folios; the stock code adds 2
 *
 * file_ra_state has it since c4602f9fa77f ("mm/readahead: store folio order in struct
 * file_ra_state") in v6.17; before, page_cache_async_ra() took it from the folio.
 */
static inline void compat_ra_set_order(struct file_ra_state *ra, unsigned int order)
{
#if SEQKEEP_HAVE_RA_ORDER
	ra->order = order;
#endif
}

/**
 * compat_ra_limit_order - limit the folio order of the next window of an open file
 * @ra: its state, which other calls may change at the same time
 * @most: largest order of folios that the window may have
 *
 * Before v6.17 there is no way to: the order follows from the folio with the marker.
 */
static inline void compat_ra_limit_order(struct file_ra_state *ra, unsigned int most)
{
#if SEQKEEP_HAVE_RA_ORDER
	/* The stock code adds 2. */
	if (READ_ONCE(ra->order) + 2U > most)
		WRITE_ONCE(ra->order, most < 2 ? 0 : most - 2);
#endif
}

/**
 * compat_ra_copy_order - copy the folio order that compat_ra_set_order() or the stock code set
 * @to: an open file's state, which other calls may change at the same time
 * @from: the caller's own state
 */
static inline void compat_ra_copy_order(struct file_ra_state *to, const struct file_ra_state *from)
{
#if SEQKEEP_HAVE_RA_ORDER
	WRITE_ONCE(to->order, from->order);
#endif
}

/**
 * compat_folio_flags - a folio's flags, without a reference to it
 * @folio: found under RCU; if the kernel has freed it since, the flags are another folio's
 *
 * The tests of page-flags.h may warn of such a folio. The word became a struct of one member,
 * memdesc_flags_t, by 53fbef56e07d ("mm: introduce memdesc_flags_t") in v6.18.
 *
 * Return: the bits of enum pageflags.
 */
static inline unsigned long compat_folio_flags(const struct folio *folio)
{
	return READ_ONCE(*(const unsigned long *)&folio->flags);
}

/**
 * compat_folio_get - a folio of the page cache, with a reference
 * @mapping: the file's
 * @index: page number in the file
 *
 * filemap_get_folio() returned NULL for none up to 66dabbb65d67 ("mm: return an ERR_PTR from
 * __filemap_get_folio") in v6.4, and returns an error pointer since.
 *
 * Return: the folio, or NULL.
 */
static inline struct folio *compat_folio_get(struct address_space *mapping, pgoff_t index)
{
	struct folio *folio = filemap_get_folio(mapping, index);

	return IS_ERR(folio) ? NULL : folio;
}

/*
 * The reader drops such a folio and does not mark it as accessed: since
 * cceba6f7e46c ("mm: add PG_dropbehind folio flag") in v6.14, which came with IOCB_DONTCACHE.
 */
#ifdef IOCB_DONTCACHE
#define COMPAT_DROPBEHIND	BIT(PG_dropbehind)
#else
#define COMPAT_DROPBEHIND	0
#endif

#endif
