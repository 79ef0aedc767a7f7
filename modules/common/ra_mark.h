/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A module that gives the stock readahead code a file_ra_state of its own marks it with the
 * pattern, so that ra-trace counts the readahead in the row of that pattern. The modules share no
 * symbol: either may be loaded without the other.
 *
 * The mark is in mmap_miss, which the stock code reads in page faults only, and always in the open
 * file's own state. There it never exceeds 1000, so the high bit tells a mark. The field has 16
 * bits in the newest kernels, 32 in older ones.
 */
#ifndef SEQKEEP_RA_MARK_H
#define SEQKEEP_RA_MARK_H

#include <linux/fs.h>

/* Which pattern a steered window is for. */
enum ra_mark {
	RA_MARK_NONE,
	RA_MARK_TRAIL,
	RA_MARK_REVERSE,
	RA_MARK_STRIDE,
	RA_MARK_THRASH,
	RA_MARK_RESIZED,	/* none: the file's own state, with windows of another size */
	RA_NR_MARKS,
};

#define RA_MARK_BIT	0x8000

/**
 * ra_mark_set - mark a state
 * @ra: the module's own state; never that of an open file
 * @mark: the pattern
 */
static inline void ra_mark_set(struct file_ra_state *ra, enum ra_mark mark)
{
	ra->mmap_miss = RA_MARK_BIT | mark;
}

/**
 * ra_mark_get - the mark of a state
 * @ra: any state
 *
 * Return: the mark, RA_MARK_NONE if there is none.
 */
static inline enum ra_mark ra_mark_get(const struct file_ra_state *ra)
{
	unsigned int mark = ra->mmap_miss ^ RA_MARK_BIT;

	return mark < RA_NR_MARKS ? mark : RA_MARK_NONE;
}

#endif
