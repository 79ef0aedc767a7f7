/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which stream does a request belong to, and what should be read for it?
 *
 * Plain values in, plain values out: no hook, no lock, no page cache, so that
 * KUnit can replay any order of requests. All positions are page indexes and
 * all sizes are pages. The design is explained in docs/ctxra.md.
 */
#ifndef CTXRA_STREAM_H
#define CTXRA_STREAM_H

#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* Patterns that a window can be opened for; the bits of the `patterns` parameter. */
enum ctxra_pattern {
	CTXRA_TRAIL,	/* in order, but shared: several readers, one stream */
	CTXRA_REORDER,	/* out of order within a short reach */
	CTXRA_REVERSE,	/* towards the start of the file */
	CTXRA_STRIDE,	/* pieces, with gaps between them that nobody reads */
	CTXRA_THRASH,	/* in a window made smaller, as pages went unused */
	CTXRA_NR_PATTERNS,
};

enum ctxra_verdict {
	CTXRA_STOCK,	/* leave this call to the stock code, untouched */
	CTXRA_OPEN,	/* have the stock code read a window that we name */
	CTXRA_SKIP_MARKER,	/* enough is read ahead: let this marker pass without I/O */
};

/* What a stream is known to be. */
enum ctxra_kind {
	CTXRA_CANDIDATE,	/* nothing yet: it is watched, and left to the stock code */
	CTXRA_FORWARD,	/* dense, towards the end of the file */
	CTXRA_BACKWARD,	/* dense, towards its start */
	CTXRA_STRIDED,	/* pieces, a step apart */
};

/**
 * struct ctxra_file - which file a stream belongs to
 * @mapping: address of the mapping, compared and never followed
 * @ino: inode number, which tells a reused address from the same file
 * @generation: inode generation, for inode numbers that are reused as well
 */
struct ctxra_file {
	const void *mapping;
	unsigned long ino;
	u32 generation;
};

/**
 * struct ctxra_stream - one stream of requests on one file
 * @lru: in the order of its set, see lru.h
 * @file: the file; a NULL mapping is a free entry
 * @start: lowest index of the stretch under observation
 * @end: index after the last page asked for or read ahead
 * @reader_pos: index after the last page asked for; while it is BACKWARD, the lowest asked for
 * @last_index: index of the last miss
 * @shrunk_at: where it was when its windows were last made smaller
 * @probe_start: first page of a window whose use is going to be judged
 * @last_used: the set's clock when a request last belonged to this stream
 * @probe_nr: its pages, 0: none is
 * @requested: pages asked for within [@start, @end), while the stream is SEEN
 * @last_nr: pages of the last request that missed
 * @win_size: size of the last window, 0 before the first
 * @win_cap: largest window for this stream, 0: no other limit than the user's
 * @step: what the distances between misses are multiples of, as far as is known
 * @kind: enum ctxra_kind
 * @hits: requests that joined on to, or filled a hole in, what was there
 * @holes_in_row: requests in a row that left a hole
 * @equal_steps: misses in a row that were so
 * @probe_age: calls since @probe_start was noted
 * @direction: requests in a row that stretched it upwards, or if below 0 downwards
 * @reordered: a window was opened out of order since the stream began
 * @trust: windows that may be opened before one has to be seen to be of use
 * @windows_opened: windows opened since that was seen
 * @on_trial: it never was
 * @distrusted: it was seen to be of little use
 */
struct ctxra_stream {
	struct list_head lru;
	struct ctxra_file file;
	unsigned long start;
	unsigned long end;
	unsigned long reader_pos;
	unsigned long last_index;
	unsigned long shrunk_at;
	unsigned long probe_start;
	u32 last_used;
	u32 probe_nr;
	u32 requested;
	u32 last_nr;
	u32 win_size;
	u32 win_cap;
	u32 step;
	u8 kind;
	u8 hits;
	u8 holes_in_row;
	u8 equal_steps;
	u8 probe_age;
	s8 direction;
	u8 trust;
	u8 windows_opened;
	bool reordered;
	bool on_trial;
	bool distrusted;
};

/**
 * struct ctxra_budget - how many new streams may be tried
 * @tokens: one for each
 * @calls: since the last token was given for nothing
 *
 * Shared by the files of a set. Random reads spend it and get nothing back.
 */
struct ctxra_budget {
	u32 tokens;
	u32 calls;
};

/**
 * struct ctxra_request - one call to the readahead code
 * @index: first page asked for
 * @nr: pages asked for, 1 to @win
 * @win: the largest window that may be opened at once, at least 1
 * @ahead: how far to read ahead, at least @win: more if windows are submitted in parts
 * @eof: pages in the file
 * @cached: for a miss, pages cached without a gap just before @index, 0 if the
 *	nearest was read ahead and nobody came for it; for a marker, those from
 *	@index on (0: no end found within @win)
 * @evicted_window: for a miss on a page that the file's own state has read ahead, so that
 *	it was reclaimed before it was used: pages of that window; else 0
 * @patterns: bit set of enum ctxra_pattern that may open windows
 * @marker: a reader met the readahead marker at @index (the asynchronous
 *	door); otherwise @index is not cached (the synchronous one)
 * @evicted: for a miss, the page was cached and reclaimed at some time
 * @in_order: the stock code can follow this request from the file's own state
 * @sparse: for a marker, much of what was read ahead behind the reader is unused;
 *	false where strides are not to be followed
 * @in_flight: a miss on a page of a window that another reader is opening at this
 *	moment: the page will be there before this reader can bring it
 * @dropped: what ctxra_stream_may_be_stale() asked for is not cached
 */
struct ctxra_request {
	unsigned long index;
	unsigned long nr;
	unsigned long win;
	unsigned long ahead;
	unsigned long eof;
	unsigned long cached;
	unsigned long evicted_window;
	unsigned long patterns;
	bool marker;
	bool evicted;
	bool in_order;
	bool sparse;
	bool in_flight;
	bool dropped;
};

/**
 * struct ctxra_window - what is to be read
 * @start: first page
 * @nr: pages, at least 1
 * @marker: page whose first use should open the next window; a window that
 *	is opened at a marker has its own at @start, as in the stock code
 * @ahead: does not contain the page that was asked for
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
 * struct ctxra_use - what became of some pages
 * @used: cached, and somebody read them
 * @unused: cached, and nobody did
 * @absent: not cached: never read, or dropped by POSIX_FADV_DONTNEED and the like
 *
 * Pages of which nobody can tell, as they are on their way or were reclaimed, are not counted.
 */
struct ctxra_use {
	unsigned int used;
	unsigned int unused;
	unsigned int absent;
};

static inline unsigned long ctxra_sat_add(unsigned long a, unsigned long b)
{
	return a + b < a ? ULONG_MAX : a + b;
}

/*
 * How far from a stream's ends a request may be and still belong to it. 16
 * requests: the spread of 16 server threads; two windows: what may be in flight.
 */
static inline unsigned long ctxra_reach(const struct ctxra_request *rq)
{
	return max(2 * rq->ahead, 16 * rq->nr);
}

/* A gap that is read through, if it is of the stream at all: see docs/ctxra.md. */
static inline unsigned long ctxra_narrow_gap(const struct ctxra_request *rq)
{
	return rq->nr / 4;
}

struct ctxra_stream *ctxra_stream_find(struct ctxra_stream *streams, unsigned int nr,
				       const struct ctxra_file *file,
				       const struct ctxra_request *rq);
bool ctxra_stream_should_start(const struct ctxra_request *rq);
void ctxra_stream_start(struct ctxra_stream *s, const struct ctxra_file *file,
			const struct ctxra_request *rq);
bool ctxra_stream_may_be_stale(const struct ctxra_stream *s, const struct ctxra_request *rq,
			  unsigned long *page);
enum ctxra_verdict ctxra_stream_follow(struct ctxra_stream *s, struct ctxra_budget *budget,
				       const struct ctxra_request *rq, struct ctxra_window *win);
bool ctxra_stream_probe_due(struct ctxra_stream *s, const struct ctxra_request *rq,
			struct ctxra_window *probe);
void ctxra_stream_judge(struct ctxra_stream *s, struct ctxra_budget *budget,
			const struct ctxra_use *use);

#endif
