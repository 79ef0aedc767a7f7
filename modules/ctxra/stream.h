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

#include <linux/types.h>

/* Patterns that a window can be opened for; the bits of the `patterns` parameter. */
enum ctxra_pattern {
	CTXRA_TRAIL,	/* in order, but shared: several readers, one stream */
	CTXRA_REORDER,	/* out of order within a short reach */
	CTXRA_REVERSE,	/* later: towards the start of the file */
	CTXRA_STRIDE,	/* later: a fixed gap between requests */
	CTXRA_THRASH,	/* later: window shrunk because pages went unused */
	CTXRA_NR_PATTERNS,
};

enum ctxra_verdict {
	CTXRA_STOCK,	/* leave this call to the stock code, untouched */
	CTXRA_OPEN,	/* have the stock code read a window that we name */
	CTXRA_HUSH,	/* enough is read ahead: let this marker pass without I/O */
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
 * @file: the file; a NULL mapping is a free entry
 * @used: the table's clock when a request last belonged to this stream
 * @base: lowest index of the stretch under observation
 * @edge: index after the last page asked for or read ahead
 * @asked: pages asked for within [@base, @edge), while the stream is not sure
 * @cell: size of the last window, 0 before the first
 * @hits: requests that joined on to, or filled a hole in, what was there
 * @lapses: requests in a row that left a hole
 * @sure: the stream is dense and joined up: windows may be opened on a miss
 * @reordered: a window was opened out of order since the stream began
 */
struct ctxra_stream {
	struct ctxra_file file;
	u32 used;
	unsigned long base;
	unsigned long edge;
	u32 asked;
	u32 cell;
	u8 hits;
	u8 lapses;
	bool sure;
	bool reordered;
};

/**
 * struct ctxra_request - one call to the readahead code
 * @index: first page asked for
 * @nr: pages asked for, 1 to @win
 * @win: the largest window that the user allows, at least 1
 * @eof: pages in the file
 * @cached: for a miss, pages cached without a gap just before @index; for a
 *	marker, those from @index on (0: no end found within @win)
 * @patterns: bit set of enum ctxra_pattern that may open windows
 * @marker: a reader met the readahead marker at @index (the asynchronous
 *	door); otherwise @index is not cached (the synchronous one)
 * @in_order: the stock code can follow this request from the file's own state
 * @opening: a miss on a page of a window that another reader is opening at this
 *	moment: the page will be there before this reader can bring it
 */
struct ctxra_request {
	unsigned long index;
	unsigned long nr;
	unsigned long win;
	unsigned long eof;
	unsigned long cached;
	unsigned long patterns;
	bool marker;
	bool in_order;
	bool opening;
};

/**
 * struct ctxra_window - what is to be read
 * @start: first page
 * @nr: pages, at least 1
 * @marker: page whose first use should open the next window; a window that
 *	is opened at a marker has its own at @start, as in the stock code
 * @ahead: begins behind the page that was asked for, and does not contain it
 * @pattern: why it is opened
 */
struct ctxra_window {
	unsigned long start;
	unsigned long nr;
	unsigned long marker;
	bool ahead;
	enum ctxra_pattern pattern;
};

struct ctxra_stream *ctxra_stream_find(struct ctxra_stream *streams, unsigned int nr,
				       const struct ctxra_file *file,
				       const struct ctxra_request *rq);
struct ctxra_stream *ctxra_stream_victim(struct ctxra_stream *streams, unsigned int nr, u32 now);
void ctxra_stream_start(struct ctxra_stream *s, const struct ctxra_file *file,
			const struct ctxra_request *rq);
enum ctxra_verdict ctxra_stream_follow(struct ctxra_stream *s, const struct ctxra_request *rq,
				       struct ctxra_window *win);

#endif
