// SPDX-License-Identifier: GPL-2.0-only
/*
 * max_kb=auto: the streams of windows on a disk, and how large the window of each may be. A stream
 * may end at any time, and leaves the windows ahead of it unread. So its window is a part of what
 * it has read in order: a large part, so that a long stream has large windows soon, but only while
 * large windows are not left unread. Readers of pieces of a file would leave them at each piece.
 *
 * Plain values in, plain values out. docs/design/ctxra.md has the reasons ("Windows that fit the
 * disk").
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <asm/page.h>

#include "disk_stream.h"

/* A stream counts when it has read so many of the device's windows in order. */
#define PROVEN_WINDOWS	8
/*
 * A stream is over after LIVE_MS, or if windows take longer than that, after LIVE_MS_MAX or when
 * the others have opened two each since its last one.
 */
#define LIVE_MS		1000
#define LIVE_MS_MAX	4000

/* A window is this part of what its stream has read in order, at most. */
#define EARLY_PART	8
/* The same once more pages were left unread than this part of those read in order. */
#define UNREAD_PART	64
#define LATE_PART	128
/* So many pages may be left unread before any are read, KiB. */
#define FIRST_CREDIT_KB	20480UL
/* So much of what was read, or left unread, counts later, KiB left unread. */
#define MAX_CREDIT_KB	32768UL

static s64 credit_of_kb(unsigned long kb)
{
	return (s64)UNREAD_PART * (kb >> (PAGE_SHIFT - 10));
}

/* Set up the part of a disk's state that is here. */
void ctxra_disk_init_streams(struct ctxra_disk *d)
{
	d->credit = credit_of_kb(FIRST_CREDIT_KB);
}

static bool is_proven(const struct ctxra_disk *d, const struct ctxra_disk_stream *s)
{
	return s->pages >= PROVEN_WINDOWS * d->base;
}

static bool is_live(const struct ctxra_disk *d, const struct ctxra_disk_stream *s, u32 now)
{
	u32 age = now - s->seen;

	if (!s->mapping || !is_proven(d, s))
		return false;
	return age <= LIVE_MS || (age <= LIVE_MS_MAX && d->windows - s->window <= 2 * d->live);
}

/* Streams that read in order now. */
unsigned int ctxra_disk_count_live(const struct ctxra_disk *d, u32 now)
{
	unsigned int i, live = 0;

	for (i = 0; i < CTXRA_DISK_STREAMS; i++)
		live += is_live(d, &d->streams[i], now);
	return live;
}

/* Streams that opened a window since the last sample, whether or not they are in order. */
unsigned int ctxra_disk_count_seen(const struct ctxra_disk *d)
{
	unsigned int i, seen = 0;

	for (i = 0; i < CTXRA_DISK_STREAMS; i++)
		seen += d->streams[i].mapping &&
			d->windows - d->streams[i].window < d->windows - d->last_windows;
	return seen;
}

/* Pages between a window and a stream's last one, which may be behind it. */
static unsigned long distance(const struct ctxra_disk_stream *s, unsigned long start)
{
	return start > s->start ? start - s->start : s->start - start;
}

/*
 * Does a window go on from a stream's last one? A reader with a state of its own knows which window
 * that was. Readers that share a stream open windows in about that order.
 */
static bool belongs_to(const struct ctxra_disk_stream *s, const struct ctxra_disk_window *win)
{
	if (s->mapping != win->mapping)
		return false;
	if (!win->shared && !s->shared)
		return s->start == win->from;
	return distance(s, win->from) <= s->reach;
}

/* The nearest stream that a window belongs to, or NULL. */
static struct ctxra_disk_stream *find_stream(struct ctxra_disk *d,
					     const struct ctxra_disk_window *win)
{
	struct ctxra_disk_stream *found = NULL, *s;

	for (s = d->streams; s < d->streams + CTXRA_DISK_STREAMS; s++)
		if (belongs_to(s, win) &&
		    (!found || distance(s, win->from) < distance(found, win->from)))
			found = s;
	return found;
}

/* The entry that was not used for longest. */
static struct ctxra_disk_stream *oldest_stream(struct ctxra_disk *d)
{
	struct ctxra_disk_stream *oldest = d->streams, *s;

	for (s = d->streams; s < d->streams + CTXRA_DISK_STREAMS; s++) {
		if (!s->mapping)
			return s;
		if (d->windows - s->window > d->windows - oldest->window)
			oldest = s;
	}
	return oldest;
}

/* Return by how much the credit has changed. */
static s64 change_credit(struct ctxra_disk *d, s64 change)
{
	s64 most = credit_of_kb(MAX_CREDIT_KB), before = d->credit;

	d->credit = clamp_t(s64, before + change, -most, most);
	return d->credit - before;
}

/*
 * A stream seems to have ended. Its reader was somewhere in the window before the last one: one and
 * a half are unread, unless the file ends there.
 */
static void charge(struct ctxra_disk *d, struct ctxra_disk_stream *s)
{
	s64 unread;

	if (!is_proven(d, s) || s->win <= d->base || s->ended || s->start + s->win >= s->eof)
		return;
	s->ended = true;
	unread = (s->win - d->base) * 3 / 2;
	s->charged = -change_credit(d, -UNREAD_PART * unread);
}

/* Note what the streams that ended since the last sample left unread. */
void ctxra_disk_charge_ended(struct ctxra_disk *d, u32 now)
{
	struct ctxra_disk_stream *s;

	for (s = d->streams; s < d->streams + CTXRA_DISK_STREAMS; s++)
		if (s->mapping && !is_live(d, s, now))
			charge(d, s);
}

/*
 * Did a reader in order that misses a page behind its window read all pages from the last one of
 * that window on? One page would not tell, because some pages count as read that were not: those
 * that came back soon after they were evicted.
 */
static bool has_read_up_to(const struct ctxra_args *args, const struct ctxra_facts *facts)
{
	unsigned long last = args->ra_start + args->ra_size - 1;
	struct ctxra_use use;

	if (!args->ra_size)
		return false;
	use = facts->ops->sample_use(facts->ctx, last, args->index - last);
	return ctxra_use_all_read(&use) && !use.evicted;
}

/**
 * ctxra_disk_stock_window - the window that the stock code opens for a reader in order
 * @mapping: the file's mapping
 * @args: the call
 * @facts: asked for a sample of the pages from the reader's own window to a miss behind it
 *
 * Return: the window. It goes on from the file's own one if it begins there or at its end. A reader
 *	that misses a page farther on has passed cached pages, all of which it has read, or has
 *	jumped.
 */
struct ctxra_disk_window ctxra_disk_stock_window(const void *mapping,
						 const struct ctxra_args *args,
						 const struct ctxra_facts *facts)
{
	unsigned long end = args->ra_start + args->ra_size;
	struct ctxra_disk_window win = {
		.mapping = mapping,
		.start = args->folio_nr ? end : args->index,
		.eof = args->eof,
	};

	win.from = win.start;
	if (win.start <= args->ra_start || (win.start > end && !has_read_up_to(args, facts)))
		return win;
	win.from = args->ra_start;
	win.passed = win.start - min(win.start, end);
	return win;
}

/**
 * ctxra_disk_move_stream - note that a stream, or a new one, opens a window
 * @d: the disk
 * @win: the window
 * @now: time, ms
 * @moved: pages that the stream has moved forward
 *
 * Return: the stream.
 */
struct ctxra_disk_stream *ctxra_disk_move_stream(struct ctxra_disk *d,
						 const struct ctxra_disk_window *win, u32 now,
						 unsigned long *moved)
{
	struct ctxra_disk_stream *s = find_stream(d, win);

	*moved = 0;
	if (!s) {
		s = oldest_stream(d);
		if (s->mapping)
			charge(d, s);
		*s = (struct ctxra_disk_stream){ .mapping = win->mapping, .start = win->start };
	} else if (win->start > s->start) {
		*moved = win->start - s->start;
		*moved -= min(*moved, win->passed);
		s->pages += *moved;
		s->start = win->start;
	}
	/* It goes on, after all. */
	change_credit(d, *moved + s->charged);
	s->charged = 0;
	s->ended = false;
	s->eof = win->eof;
	s->shared = win->shared;
	s->seen = now;
	s->window = d->windows;
	return s;
}

/**
 * ctxra_disk_limit_window - choose how large a stream's window may be
 * @d: the disk
 * @s: the stream
 * @nr: pages of its window, if these are known
 *
 * Return: pages, the device's own window or more.
 */
unsigned long ctxra_disk_limit_window(const struct ctxra_disk *d, struct ctxra_disk_stream *s,
				      unsigned long nr)
{
	unsigned long part = d->credit < 0 ? LATE_PART : EARLY_PART, most = d->base;

	/* Whole multiples of the device's window, as the windows of the stock code are. */
	while (2 * most <= d->win && 2 * most * part <= s->pages)
		most *= 2;
	s->win = max(most, nr);
	s->reach = 2 * s->win + d->base;
	return most;
}
