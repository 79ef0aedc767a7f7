/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind of readahead a call was. Pure: no hook, no lock, no kernel version. */
#ifndef RA_TRACE_PATTERN_H
#define RA_TRACE_PATTERN_H

#include <linux/types.h>

/* The rows of the tables, in their order. Each is described in ra-trace(4). */
enum ra_pattern {
	RA_NONE,
	RA_INITIAL0,
	RA_INITIAL,
	RA_SUBSEQUENT,
	RA_MARKER,
	RA_TRAIL,
	RA_OVERSIZE,
	RA_REVERSE,
	RA_STRIDE,
	RA_THRASH,
	RA_MMAP,
	RA_FADVISE,
	RA_RANDOM,
	RA_NR_PATTERNS,
};

/* Why a read got no readahead. */
enum ra_why {
	RA_WHY_HINT,
	RA_WHY_OFF,
	RA_WHY_CONGESTED,
	RA_WHY_PAST_END,
	RA_WHY_FIRST_LOOK,
	RA_WHY_CACHED,
	RA_WHY_WRITEBACK,
	RA_NR_WHYS,
	RA_WHY_NOT = RA_NR_WHYS,	/* it got some */
};

/* Where a call to the readahead code comes from. */
enum ra_door {
	RA_SYNC,	/* a page that is asked for is missing */
	RA_ASYNC,	/* a reader met the readahead marker */
	RA_FAULT,	/* a page fault reads around itself */
	RA_WILLNEED,	/* fadvise, madvise, readahead(2) */
	RA_OTHER,	/* a file system or module, directly */
};

/**
 * struct ra_window - a readahead window, in pages
 * @start: its first page
 * @size: its length; 0: none
 * @async_size: its marker is so far before its end
 */
struct ra_window {
	unsigned long start;
	unsigned long size;
	unsigned long async_size;
};

/**
 * struct ra_seen - one call to the readahead code, from without; in pages
 * @door: where it comes from
 * @index: the first page asked for, or the marker that was met
 * @nr: how many are asked for
 * @prev_index: the last page of the read before this one
 * @ra_pages: the readahead setting of the open file
 * @marker_pages: size of the folio that has the marker
 * @before: the window before the call
 * @after: the window that was placed, if one was
 * @placed: whether one was
 * @hint: the file is declared to be read at random
 * @forced: just what is asked for was read, without a look at the pattern
 * @congested: the reader's control group was, at a marker that led to nothing
 * @writeback: the marker was none: the bit has another meaning for such a folio
 * @steered: the call worked on a state that is not the open file's own
 * @mark: the pattern that whoever steered it stated, or RA_NONE
 * @asked: pages that the stock code set out to read, up to the end of the file
 * @actual: pages that were read
 * @last_index: last page of the file; -1 for an empty file
 */
struct ra_seen {
	enum ra_door door;
	unsigned long index;
	unsigned long nr;
	unsigned long prev_index;
	unsigned long ra_pages;
	unsigned long marker_pages;
	struct ra_window before;
	struct ra_window after;
	bool placed;
	bool hint;
	bool forced;
	bool congested;
	bool writeback;
	bool steered;
	enum ra_pattern mark;
	unsigned long asked;
	unsigned long actual;
	unsigned long last_index;
};

bool ra_happened(const struct ra_seen *seen);
enum ra_pattern ra_classify(const struct ra_seen *seen);
enum ra_why ra_why(const struct ra_seen *seen);
bool ra_seen_waits(const struct ra_seen *seen);
unsigned long ra_seen_size(const struct ra_seen *seen);
bool ra_seen_eof(const struct ra_seen *seen);

extern const char *const ra_pattern_names[RA_NR_PATTERNS];
extern const char *const ra_why_names[RA_NR_WHYS];

#endif
