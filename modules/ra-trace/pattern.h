/* SPDX-License-Identifier: GPL-2.0-only */
/* Classify a readahead by its pattern. Pure: no hook, no lock, no kernel version. */
#ifndef RA_TRACE_PATTERN_H
#define RA_TRACE_PATTERN_H

#include <linux/types.h>

/* The rows of the tables, in their order; ra-trace(4) describes each. */
#define RAT_PATTERNS(P)				\
	P(NONE, "none")				\
	P(INITIAL0, "initial0")			\
	P(INITIAL, "initial")			\
	P(SUBSEQUENT, "subsequent")		\
	P(MARKER, "marker")			\
	P(TRAIL, "trail")			\
	P(OVERSIZE, "oversize")			\
	P(REVERSE, "reverse")			\
	P(STRIDE, "stride")			\
	P(THRASH, "thrash")			\
	P(MMAP, "mmap")				\
	P(FADVISE, "fadvise")			\
	P(RANDOM, "random")

#define RAT_PATTERN(name, string)	RAT_##name,
enum rat_pattern { RAT_PATTERNS(RAT_PATTERN) RAT_NR_PATTERNS };

/* Why a read got no readahead. */
#define RAT_WHYS(W)				\
	W(RANDOM_HINT, "random_hint")		\
	W(READAHEAD_OFF, "readahead_off")	\
	W(CONGESTED, "congested")		\
	W(PAST_END, "past_end")			\
	W(FIRST_LOOK, "first_look")		\
	W(CACHED, "cached")			\
	W(WRITEBACK, "writeback")

#define RAT_WHY(name, string)	RAT_WHY_##name,
enum rat_why {
	RAT_WHYS(RAT_WHY)
	RAT_NR_WHYS,
	RAT_WHY_NONE = RAT_NR_WHYS,	/* it got readahead, or is no read */
};

/* Of an entry of these lists, what users see. */
#define RAT_STRING(name, string)	string,

/* The function by which a call enters the readahead code; see hooks.c. */
enum rat_entry_point {
	RAT_ENTRY_SYNC,		/* a requested page is missing */
	RAT_ENTRY_ASYNC,	/* a reader reached the readahead marker */
	RAT_ENTRY_FAULT,	/* a page fault reads around itself */
	RAT_ENTRY_WILLNEED,	/* fadvise, madvise, readahead(2) */
	RAT_ENTRY_OTHER,	/* a file system or module, directly */
};

/**
 * struct rat_window - a readahead window, in pages
 * @start: its first page
 * @size: its length; 0: none
 * @async_size: distance of its marker from its end
 */
struct rat_window {
	unsigned long start;
	unsigned long size;
	unsigned long async_size;
};

/**
 * struct rat_observation - one call to the readahead code, as the hooks observe it; in pages
 * @entry_point: where the call entered
 * @index: first page of the request, or the marker
 * @nr: size of the request
 * @prev_index: last page of the previous read of the open file
 * @ra_pages: readahead setting of the open file
 * @marker_pages: size of the folio that has the marker
 * @before: window before the call
 * @after: window that the stock code set, if @has_window
 * @has_window: the stock code set a window
 * @random_hint: the file was opened or advised for random reads
 * @forced: the stock code reads just the request, whatever the pattern
 * @congested: the reader's control group was congested, at a marker without new readahead
 * @writeback: the folio is under writeback, so its PG_readahead bit means PG_reclaim
 * @steered: the call works on a file_ra_state that is not the open file's own
 * @mark: pattern that the steering module stated, or RAT_NONE
 * @nr_to_read: pages that the stock code began to read, not past the end of the file
 * @actual: pages that the call added to the page cache
 * @last_index: last page of the file; -1 for an empty file
 */
struct rat_observation {
	enum rat_entry_point entry_point;
	unsigned long index;
	unsigned long nr;
	unsigned long prev_index;
	unsigned long ra_pages;
	unsigned long marker_pages;
	struct rat_window before;
	struct rat_window after;
	bool has_window;
	bool random_hint;
	bool forced;
	bool congested;
	bool writeback;
	bool steered;
	enum rat_pattern mark;
	unsigned long nr_to_read;
	unsigned long actual;
	unsigned long last_index;
};

bool rat_did_readahead(const struct rat_observation *obs);
enum rat_pattern rat_classify(const struct rat_observation *obs);
enum rat_why rat_why(const struct rat_observation *obs);
bool rat_reader_waits(const struct rat_observation *obs);
unsigned long rat_readahead_size(const struct rat_observation *obs);
bool rat_reaches_eof(const struct rat_observation *obs);

extern const char *const rat_pattern_names[RAT_NR_PATTERNS];
extern const char *const rat_why_names[RAT_NR_WHYS];

#endif
