// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call is classified by what was asked for and by the windows before and
 * after it, not by which branch of which kernel's code was taken: the same rules
 * hold for every generation of that code. See docs/ra-trace.md.
 */
#include "pattern.h"

const char *const ra_pattern_names[RA_NR_PATTERNS] = {
	[RA_NONE] = "none",
	[RA_INITIAL0] = "initial0",
	[RA_INITIAL] = "initial",
	[RA_SUBSEQUENT] = "subsequent",
	[RA_MARKER] = "marker",
	[RA_TRAIL] = "trail",
	[RA_OVERSIZE] = "oversize",
	[RA_REVERSE] = "reverse",
	[RA_STRIDE] = "stride",
	[RA_THRASH] = "thrash",
	[RA_MMAP] = "mmap",
	[RA_FADVISE] = "fadvise",
	[RA_RANDOM] = "random",
};

const char *const ra_why_names[RA_NR_WHYS] = {
	[RA_WHY_HINT] = "random_hint",
	[RA_WHY_OFF] = "readahead_off",
	[RA_WHY_CONGESTED] = "congested",
	[RA_WHY_PAST_END] = "past_end",
	[RA_WHY_FIRST_LOOK] = "first_look",
	[RA_WHY_CACHED] = "cached",
	[RA_WHY_WRITEBACK] = "writeback",
};

/* The window goes on where the former one ended, from its end or its marker. */
static bool goes_on(const struct ra_seen *seen)
{
	const struct ra_window *before = &seen->before;
	unsigned long end = before->start + before->size;
	unsigned long marker = end - before->async_size;

	if (!before->size || seen->after.start != end)
		return false;
	return seen->index == end || seen->index == marker - marker % seen->marker_pages;
}

static enum ra_pattern classify_sync(const struct ra_seen *seen)
{
	const struct ra_window *after = &seen->after;

	if (seen->forced)
		return RA_RANDOM;
	if (seen->placed && after->start < seen->index)
		return RA_REVERSE;
	if (seen->placed && !seen->index)
		return RA_INITIAL0;
	/* One that begins anew at that place is smaller. */
	if (seen->placed && goes_on(seen) && after->size >= seen->before.size)
		return RA_SUBSEQUENT;
	if (seen->nr > seen->ra_pages)
		return RA_OVERSIZE;
	if (!seen->placed)
		return RA_RANDOM;
	return seen->index - seen->prev_index <= 1 ? RA_INITIAL : RA_TRAIL;
}

static enum ra_pattern classify_async(const struct ra_seen *seen)
{
	if (!seen->index && !seen->after.start)
		return RA_INITIAL0;
	return goes_on(seen) ? RA_SUBSEQUENT : RA_MARKER;
}

/**
 * ra_happened - whether a call was a readahead at all
 * @seen: the call; all but @seen->actual is known
 *
 * Return: false if nothing was set out to be read.
 */
bool ra_happened(const struct ra_seen *seen)
{
	return seen->placed || seen->asked || seen->door == RA_WILLNEED;
}

/**
 * ra_classify - the row that a readahead belongs to
 * @seen: the call; all but @seen->actual is known
 *
 * Return: the pattern.
 */
enum ra_pattern ra_classify(const struct ra_seen *seen)
{
	if (seen->mark != RA_NONE)
		return seen->mark;
	switch (seen->door) {
	case RA_SYNC:
	case RA_ASYNC:
		/* Whoever steers without a mark saw a shared stream. */
		if (seen->steered && !seen->forced)
			return RA_TRAIL;
		return seen->door == RA_SYNC ? classify_sync(seen) : classify_async(seen);
	case RA_FAULT:
		return RA_MMAP;
	case RA_WILLNEED:
		return RA_FADVISE;
	case RA_OTHER:
		break;
	}
	return RA_NONE;
}

/**
 * ra_why - why a read got no readahead
 * @seen: the call, after it returned
 *
 * Return: the reason, or RA_WHY_NOT if it got some or was no read.
 */
enum ra_why ra_why(const struct ra_seen *seen)
{
	if (seen->door != RA_SYNC && seen->door != RA_ASYNC)
		return RA_WHY_NOT;
	if (seen->placed) {
		if (seen->actual)
			return RA_WHY_NOT;
		return seen->last_index == -1UL || seen->after.start > seen->last_index ?
		       RA_WHY_PAST_END : RA_WHY_CACHED;
	}
	if (seen->door == RA_SYNC) {
		if (!seen->ra_pages)
			return RA_WHY_OFF;
		if (seen->hint)
			return RA_WHY_HINT;
		if (seen->forced || !seen->asked)
			return RA_WHY_CONGESTED;
		return RA_WHY_FIRST_LOOK;
	}
	if (!seen->ra_pages)
		return RA_WHY_OFF;
	if (seen->writeback)
		return RA_WHY_WRITEBACK;
	return seen->congested ? RA_WHY_CONGESTED : RA_WHY_CACHED;
}

/**
 * ra_seen_waits - whether a readahead is for somebody who waits for its pages
 * @seen: the call
 *
 * Return: true if a page was missing that is asked for. Not at a marker, nor if somebody only
 * says what he will need; and a file system that calls on its own does not say.
 */
bool ra_seen_waits(const struct ra_seen *seen)
{
	return seen->door == RA_SYNC || seen->door == RA_FAULT;
}

/**
 * ra_seen_size - the size of a readahead
 * @seen: the call
 *
 * Return: pages of the window, or of what was set out to be read without one.
 */
unsigned long ra_seen_size(const struct ra_seen *seen)
{
	return seen->placed ? seen->after.size : seen->asked;
}

/**
 * ra_seen_eof - whether a readahead reached the last page of the file
 * @seen: the call
 */
bool ra_seen_eof(const struct ra_seen *seen)
{
	unsigned long start = seen->placed ? seen->after.start : seen->index;

	return seen->last_index == -1UL || start + ra_seen_size(seen) > seen->last_index;
}
