// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call is classified by what was asked for and by the windows before and
 * after it, not by which branch of which kernel's code was taken: the same rules
 * hold for every generation of that code. See docs/ra-trace.md.
 */
#include "pattern.h"

const char *const rat_pattern_names[RAT_NR_PATTERNS] = {
	[RAT_NONE] = "none",
	[RAT_INITIAL0] = "initial0",
	[RAT_INITIAL] = "initial",
	[RAT_SUBSEQUENT] = "subsequent",
	[RAT_MARKER] = "marker",
	[RAT_TRAIL] = "trail",
	[RAT_OVERSIZE] = "oversize",
	[RAT_REVERSE] = "reverse",
	[RAT_STRIDE] = "stride",
	[RAT_THRASH] = "thrash",
	[RAT_MMAP] = "mmap",
	[RAT_FADVISE] = "fadvise",
	[RAT_RANDOM] = "random",
};

const char *const rat_why_names[RAT_NR_WHYS] = {
	[RAT_WHY_RANDOM_HINT] = "random_hint",
	[RAT_WHY_READAHEAD_OFF] = "readahead_off",
	[RAT_WHY_CONGESTED] = "congested",
	[RAT_WHY_PAST_END] = "past_end",
	[RAT_WHY_FIRST_LOOK] = "first_look",
	[RAT_WHY_CACHED] = "cached",
	[RAT_WHY_WRITEBACK] = "writeback",
};

/* The window goes on where the former one ended, from its end or its marker. */
static bool goes_on(const struct rat_observation *obs)
{
	const struct rat_window *before = &obs->before;
	unsigned long end = before->start + before->size;
	unsigned long marker = end - before->async_size;

	if (!before->size || obs->after.start != end)
		return false;
	return obs->index == end || obs->index == marker - marker % obs->marker_pages;
}

static enum rat_pattern classify_sync(const struct rat_observation *obs)
{
	const struct rat_window *after = &obs->after;

	if (obs->forced)
		return RAT_RANDOM;
	if (obs->has_window && after->start < obs->index)
		return RAT_REVERSE;
	if (obs->has_window && !obs->index)
		return RAT_INITIAL0;
	/* One that begins anew at that place is smaller. */
	if (obs->has_window && goes_on(obs) && after->size >= obs->before.size)
		return RAT_SUBSEQUENT;
	if (obs->nr > obs->ra_pages)
		return RAT_OVERSIZE;
	if (!obs->has_window)
		return RAT_RANDOM;
	return obs->index - obs->prev_index <= 1 ? RAT_INITIAL : RAT_TRAIL;
}

static enum rat_pattern classify_async(const struct rat_observation *obs)
{
	if (!obs->index && !obs->after.start)
		return RAT_INITIAL0;
	return goes_on(obs) ? RAT_SUBSEQUENT : RAT_MARKER;
}

/**
 * rat_did_readahead - whether a call was a readahead at all
 * @obs: the call; all but @obs->actual is known
 *
 * Return: false if nothing was set out to be read.
 */
bool rat_did_readahead(const struct rat_observation *obs)
{
	return obs->has_window || obs->nr_to_read || obs->entry_point == RAT_ENTRY_WILLNEED;
}

/**
 * rat_classify - the row that a readahead belongs to
 * @obs: the call; all but @obs->actual is known
 *
 * Return: the pattern.
 */
enum rat_pattern rat_classify(const struct rat_observation *obs)
{
	if (obs->mark != RAT_NONE)
		return obs->mark;
	switch (obs->entry_point) {
	case RAT_ENTRY_SYNC:
	case RAT_ENTRY_ASYNC:
		/* Whoever steers without a mark saw a shared stream. */
		if (obs->steered && !obs->forced)
			return RAT_TRAIL;
		return obs->entry_point == RAT_ENTRY_SYNC ? classify_sync(obs) : classify_async(obs);
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
 * rat_why - why a read got no readahead
 * @obs: the call, after it returned
 *
 * Return: the reason, or RAT_WHY_NONE if it got some or was no read.
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
 * rat_reader_waits - whether a readahead is for somebody who waits for its pages
 * @obs: the call
 *
 * Return: true if a page was missing that is asked for. Not at a marker, nor if somebody only
 * says what he will need; and a file system that calls on its own does not say.
 */
bool rat_reader_waits(const struct rat_observation *obs)
{
	return obs->entry_point == RAT_ENTRY_SYNC || obs->entry_point == RAT_ENTRY_FAULT;
}

/**
 * rat_readahead_size - the size of a readahead
 * @obs: the call
 *
 * Return: pages of the window, or of what was set out to be read without one.
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
