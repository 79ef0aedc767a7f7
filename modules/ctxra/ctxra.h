/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terms of ctxra's policy: streams, requests, windows. Positions are page
 * indexes and sizes are pages, if no unit is given. docs/design/ctxra.md explains the design.
 */
#ifndef CTXRA_CTXRA_H
#define CTXRA_CTXRA_H

#include <linux/limits.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Pages that are sampled to judge how a window or a gap was used. */
#define CTXRA_SAMPLES		16
/* From so many eighths of unread pages on, readers leave pages out on purpose. */
#define CTXRA_GAP_EIGHTHS	3
/* A reader that left so many gaps, and so many pages, follows a stride. */
#define CTXRA_SPARSE_GAPS	2

/* The smallest gap that is worth leaving out, pages. */
#define CTXRA_MIN_GAP		8UL
/* After so many equal steps the gap is sampled. One more makes the stream strided. */
#define CTXRA_EQUAL_STEPS	2

/* Patterns that a window can be opened for; the bits of the `patterns` parameter. */
enum ctxra_pattern {
	CTXRA_TRAIL,	/* in order, but shared by several readers */
	CTXRA_REORDER,	/* out of order within a short reach */
	CTXRA_REVERSE,	/* towards the start of the file */
	CTXRA_STRIDE,	/* pieces with unread gaps between them */
	CTXRA_THRASH,	/* a smaller window, because readahead was evicted or unused */
	CTXRA_NR_PATTERNS,
};

enum ctxra_verdict {
	CTXRA_STOCK,		/* leave the call to the stock code */
	CTXRA_OPEN,		/* make the stock code read a window that we choose */
	CTXRA_SKIP_MARKER,	/* clear the marker and read nothing */
	CTXRA_FILLED,		/* leave the call: another reader has filled the miss */
};

/* What a stream was recognised as. */
enum ctxra_kind {
	CTXRA_CANDIDATE,	/* nothing yet: the stock code reads for it */
	CTXRA_FORWARD,		/* dense, towards the end of the file */
	CTXRA_BACKWARD,		/* dense, towards its start */
	CTXRA_STRIDED,		/* pieces at a constant step */
};

/**
 * struct ctxra_file - the file that a stream belongs to
 * @mapping: address of the mapping; compared, never dereferenced
 * @ino: inode number: an inode at a reused address has another one
 * @generation: inode generation: a reused inode number has another one
 */
struct ctxra_file {
	const void *mapping;
	unsigned long ino;
	u32 generation;
};

/**
 * struct ctxra_stream - one stream of requests on one file
 * @lru: position in the lists of struct ctxra_lru
 * @file: the file; a NULL mapping marks a free entry
 * @start: lowest index of the range [@start, @end) that was requested or read ahead lately
 * @end: index after the last page of that range
 * @reader_pos: index after the last page requested; for BACKWARD, the lowest page requested
 * @last_index: index of the last miss
 * @probe_start: first page of the window whose use is to be judged
 * @used: time of the last request, ms; before the first proof, &ctxra_budget.starts then
 * @probe_nr: pages of the window to be judged, 0 if there is none
 * @requested: pages requested within the range, while the stream is a CANDIDATE
 * @last_nr: pages of the last miss
 * @win_size: size of the last window, 0 before the first
 * @win_cap: largest window for this stream; 0 if only the user's limit holds
 * @shrunk_at: index of the miss for which windows were last made smaller, modulo 2^32
 * @unbroken: from this index to @end no page was left out; for BACKWARD, from @start to this index;
 *	modulo 2^32
 * @step: distance that the distances between misses are multiples of
 * @kind: enum ctxra_kind
 * @hits: requests that joined the range at its end or filled a hole in it
 * @followed: hits that the stock code followed with a window, while the stream is a CANDIDATE
 * @holes_in_row: requests in a row that left a hole
 * @equal_steps: misses in a row at a multiple of @step
 * @probe_age: calls since @probe_start was set
 * @direction: requests in a row that extended the range upwards, or if negative downwards
 * @trust: windows that may be opened before the first of them must prove to be read
 * @windows_opened: windows opened since the last proof
 * @phase: windows begin and end so many pages behind multiples of their size: 0 to 127, less than
 *	the length of the requests that set it
 * @other_phase: long misses in a row that began elsewhere, relative to their length
 * @reordered: a window was opened out of order
 * @on_trial: no window has proved to be read yet
 * @distrusted: more than a fifth of the judged window is unread
 * @drops: readers drop pages once they have read them
 * @early: it took an early token: the stock code followed it with windows
 * @gappy: its readers left gaps that nobody read
 * @again: it missed an evicted page: what it requests was in the page cache before
 * @rested: nobody had come to it for a while before the request at hand
 * @paused: when its windows were last made smaller, it had rested
 */
struct ctxra_stream {
	struct list_head lru;
	struct ctxra_file file;
	unsigned long start;
	unsigned long end;
	unsigned long reader_pos;
	unsigned long last_index;
	unsigned long probe_start;
	u32 used;
	u32 probe_nr;
	u32 requested;
	u32 last_nr;
	u32 win_size;
	u32 win_cap;
	u32 shrunk_at;
	u32 unbroken;
	u32 step;
	u8 kind;
	u8 hits;
	u8 followed;
	u8 holes_in_row;
	u8 equal_steps;
	u8 probe_age;
	s8 direction;
	u8 trust;
	u8 windows_opened;
	u8 phase;
	u8 other_phase : 4;
	bool reordered : 1;
	bool on_trial : 1;
	bool distrusted : 1;
	bool drops : 1;
	bool early : 1;
	bool gappy : 1;
	bool again : 1;
	bool rested : 1;
	bool paused : 1;
};

/**
 * struct ctxra_budget - tokens for new streams, shared by some files
 * @tokens: new streams that may be tried
 * @early: likewise, of those that the stock code follows with windows
 * @calls: calls since a token was last added for them
 * @starts: candidates that were started so far: their clock
 */
struct ctxra_budget {
	u32 tokens;
	u32 early;
	u32 calls;
	u32 starts;
};

/**
 * struct ctxra_request - one call to the readahead code
 * @index: first page requested
 * @nr: pages requested, 1 to @win; for a marker, those from it on
 * @whole_nr: for a marker, about as many as its reader requests, if that is known, 1 to @ahead
 * @win: largest window that may be opened by one call, at least 1
 * @ahead: how far to read ahead; more than @win if windows are submitted in parts
 * @grown: window of FORWARD streams that are trusted in full, if more than @win
 * @eof: pages in the file
 * @cached: for a miss, pages cached without a hole just before @index, or 0 if the nearest
 *	of them was read ahead and is unread; not looked up, and 0, if @in_order. For a marker,
 *	pages cached from @index on, or 0 if no hole was found within @win; if @in_order,
 *	pages of the file's own window from @index on.
 * @followed: for a miss, the stock code would read more than @nr pages, because of those that are
 *	cached before it
 * @since_prev: pages from the one behind what the open file read last to @index; large if it is
 *	before that
 * @evicted_window: for a miss on an evicted page of the file's own window, pages of that
 *	window; else 0
 * @patterns: bit set of enum ctxra_pattern that may open windows
 * @marker: the reader met a readahead marker (page_cache_async_ra()); else it missed a page
 * @evicted: for a miss, the page was cached and reclaimed
 * @in_order: the stock code can follow the reader by the file's own state
 * @sparse: for a marker, much of the readahead behind the reader is unread; false if STRIDE
 *	is not among @patterns
 * @in_flight: for a miss, another call is bringing a window with this page into the cache
 * @dropped: the page of ctxra_stream_may_be_stale() is not cached
 * @read_behind: for a marker in a BACKWARD stream, pages behind it were read
 */
struct ctxra_request {
	unsigned long index;
	unsigned long nr;
	unsigned long whole_nr;
	unsigned long win;
	unsigned long ahead;
	unsigned long grown;
	unsigned long eof;
	unsigned long cached;
	unsigned long since_prev;
	unsigned long evicted_window;
	unsigned long patterns;
	bool marker;
	bool evicted;
	bool in_order;
	bool sparse;
	bool followed;
	bool in_flight;
	bool dropped;
	bool read_behind;
};

/**
 * struct ctxra_window - pages to be read
 * @start: first page
 * @nr: pages, at least 1
 * @marker: page that carries the readahead marker; the first, if a marker opens the window
 * @ahead: the window does not contain the page that was requested
 * @pattern: why it is opened
 */
struct ctxra_window {
	unsigned long start;
	unsigned long nr;
	unsigned long marker;
	bool ahead;
	enum ctxra_pattern pattern;
};

/**
 * struct ctxra_use - how pages that were read ahead have been used
 * @used: cached, and a reader copied them
 * @unused: cached and unread
 * @absent: not cached: never read, or dropped by POSIX_FADV_DONTNEED and the like
 * @unclear: cached and unread, or used by page tables, which leaves no trace: the file is mapped
 * @evicted: reclaimed, used or not
 * @gaps: runs of unused or absent pages with a used one behind them
 *
 * Pages in flight tell nothing, and are not counted.
 */
struct ctxra_use {
	unsigned int used;
	unsigned int unused;
	unsigned int absent;
	unsigned int unclear;
	unsigned int evicted;
	unsigned int gaps;
};

/* Recognised, and some of its readahead was read: kept for long. The others age fast. */
static inline bool ctxra_stream_is_proven(const struct ctxra_stream *s)
{
	return s->kind && !s->on_trial;
}

/* Requests in a row that extend the other end before the stream changes direction. */
#define CTXRA_DIRECTION_REQUESTS	3

/* A backward reader, perhaps before its stream is of that kind: pages above are of no use. */
static inline bool ctxra_stream_goes_down(const struct ctxra_stream *s)
{
	return s->direction <= -CTXRA_DIRECTION_REQUESTS;
}

static inline unsigned long ctxra_sat_add(unsigned long a, unsigned long b)
{
	return a + b < a ? ULONG_MAX : a + b;
}

/*
 * How far from a stream's range a request may be and still belong to it: 16 requests,
 * because 16 server threads spread as far, or two windows, because both may be in flight.
 */
static inline unsigned long ctxra_reach(const struct ctxra_request *rq)
{
	return max(2 * rq->ahead, 16 * max(rq->nr, rq->whole_nr));
}

/* Largest gap in a dense stream that is read through; docs/design/ctxra.md has the measurement. */
static inline unsigned long ctxra_narrow_gap(const struct ctxra_request *rq)
{
	return rq->nr / 4;
}

/* Smallest gap that is left out behind a piece of @nr pages. On any disk 8 pages cost less. */
static inline unsigned long ctxra_wide_gap(unsigned long nr)
{
	return max(nr / 4 + 1, CTXRA_MIN_GAP);
}

static inline unsigned int ctxra_use_known(const struct ctxra_use *use)
{
	return use->used + use->unused + use->absent;
}

/* Was each page that is known read? Evicted ones are not known. */
static inline bool ctxra_use_all_read(const struct ctxra_use *use)
{
	return use->used && !use->unused && !use->unclear && !use->absent;
}

/*
 * Has a reader in order left so much readahead unread that it follows a stride? Not if it left one
 * gap: it may have come to where others had left their readahead.
 */
static inline bool ctxra_use_is_sparse(const struct ctxra_use *use)
{
	unsigned int known = ctxra_use_known(use);

	return known >= CTXRA_SAMPLES / 2 && 8 * use->unused >= CTXRA_GAP_EIGHTHS * known &&
	       use->gaps >= CTXRA_SPARSE_GAPS;
}

/*
 * Is there a gap in these pages, behind a piece that was read? If no page is used, nothing
 * at all may be cached, and we cannot tell. Of a reader of a page here and there the stock code's
 * own windows end at equal steps, and pages between are used, too: no gap.
 */
static inline bool ctxra_use_has_gap(const struct ctxra_use *use)
{
	return use->used && use->gaps <= 1 &&
	       8 * (use->unused + use->absent) >=
		       CTXRA_GAP_EIGHTHS * (ctxra_use_known(use) + use->unclear);
}

#endif
