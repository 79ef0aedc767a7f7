// SPDX-License-Identifier: GPL-2.0-only
/*
 * The request and the windows before and after a call decide its pattern, not the branch that
 * one kernel's code took. So the same rules hold for every kernel. See docs/design/ra-trace.md.
 */
#include "pattern.h"

const char *const rat_pattern_names[RAT_NR_PATTERNS] = { RAT_PATTERNS(RAT_STRING) };
const char *const rat_why_names[RAT_NR_WHYS] = { RAT_WHYS(RAT_STRING) };

/*
 * The new window starts where the former ended, and the reader asked for that page or for the
 * former window's marker.
 */
static bool continues_window(const struct rat_observation *obs)
{
	const struct rat_window *before = &obs->before;
	unsigned long end = before->start + before->size;
	unsigned long marker = end - before->async_size;

	if (!before->size || obs->after.start != end)
		return false;
	return obs->index == end || obs->index == marker - marker % obs->marker_pages;
}

static enum rat_pattern rat_classify_sync(const struct rat_observation *obs)
{
	const struct rat_window *after = &obs->after;

	if (obs->forced)
		return RAT_RANDOM;
	if (obs->has_window && after->start < obs->index)
		return RAT_REVERSE;
	if (obs->has_window && !obs->index)
		return RAT_INITIAL0;
	/* A stream that starts anew at that page gets a smaller window. */
	if (obs->has_window && continues_window(obs) && after->size >= obs->before.size)
		return RAT_SUBSEQUENT;
	if (obs->nr > obs->ra_pages)
		return RAT_OVERSIZE;
	if (!obs->has_window)
		return RAT_RANDOM;
	return obs->index - obs->prev_index <= 1 ? RAT_INITIAL : RAT_TRAIL;
}

static enum rat_pattern rat_classify_async(const struct rat_observation *obs)
{
	if (!obs->index && !obs->after.start)
		return RAT_INITIAL0;
	return continues_window(obs) ? RAT_SUBSEQUENT : RAT_MARKER;
}

/**
 * rat_did_readahead - whether a call was a readahead
 * @obs: the call; @obs->actual is not used
 *
 * Return: false if the stock code did not try to read anything. An fadvise always counts.
 */
bool rat_did_readahead(const struct rat_observation *obs)
{
	return obs->has_window || obs->nr_to_read || obs->entry_point == RAT_ENTRY_WILLNEED;
}

/**
 * rat_classify - find the pattern of a readahead
 * @obs: the call; @obs->actual is not used
 */
enum rat_pattern rat_classify(const struct rat_observation *obs)
{
	if (obs->mark != RAT_NONE)
		return obs->mark;
	switch (obs->entry_point) {
	case RAT_ENTRY_SYNC:
	case RAT_ENTRY_ASYNC:
		/* A module that steers without a mark found a shared stream. */
		if (obs->steered && !obs->forced)
			return RAT_TRAIL;
		return obs->entry_point == RAT_ENTRY_SYNC ? rat_classify_sync(obs) :
							    rat_classify_async(obs);
	case RAT_ENTRY_FAULT:
		return RAT_MMAP;
	case RAT_ENTRY_WILLNEED:
		return RAT_FADVISE;
	case RAT_ENTRY_OTHER:
		break;
	}
	return RAT_NONE;
}

/**
 * rat_why - find the reason why a read got no readahead
 * @obs: the call, after it returned
 */
enum rat_why rat_why(const struct rat_observation *obs)
{
	if (obs->entry_point != RAT_ENTRY_SYNC && obs->entry_point != RAT_ENTRY_ASYNC)
		return RAT_WHY_NONE;
	if (obs->has_window) {
		if (obs->actual)
			return RAT_WHY_NONE;
		return obs->last_index == -1UL || obs->after.start > obs->last_index ?
		       RAT_WHY_PAST_END : RAT_WHY_CACHED;
	}
	if (obs->entry_point == RAT_ENTRY_SYNC) {
		if (!obs->ra_pages)
			return RAT_WHY_READAHEAD_OFF;
		if (obs->random_hint)
			return RAT_WHY_RANDOM_HINT;
		if (obs->forced || !obs->nr_to_read)
			return RAT_WHY_CONGESTED;
		return RAT_WHY_FIRST_LOOK;
	}
	if (!obs->ra_pages)
		return RAT_WHY_READAHEAD_OFF;
	if (obs->writeback)
		return RAT_WHY_WRITEBACK;
	return obs->congested ? RAT_WHY_CONGESTED : RAT_WHY_CACHED;
}

/**
 * rat_reader_waits - whether a reader waits for the pages of a readahead
 * @obs: the call
 *
 * Return: true if a requested page was missing. False at a marker and for fadvise, and for a
 * file system that calls directly, as that does not tell.
 */
bool rat_reader_waits(const struct rat_observation *obs)
{
	return obs->entry_point == RAT_ENTRY_SYNC || obs->entry_point == RAT_ENTRY_FAULT;
}

/**
 * rat_readahead_size - size of a readahead, in pages
 * @obs: the call
 *
 * Return: the size of the window, or of what the stock code began to read without one.
 */
unsigned long rat_readahead_size(const struct rat_observation *obs)
{
	return obs->has_window ? obs->after.size : obs->nr_to_read;
}

/**
 * rat_reaches_eof - whether a readahead reached the last page of the file
 * @obs: the call
 */
bool rat_reaches_eof(const struct rat_observation *obs)
{
	unsigned long start = obs->has_window ? obs->after.start : obs->index;

	return obs->last_index == -1UL || start + rat_readahead_size(obs) > obs->last_index;
}
