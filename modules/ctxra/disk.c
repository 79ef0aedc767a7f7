// SPDX-License-Identifier: GPL-2.0-only
/*
 * max_kb=auto: where several streams share a disk that seeks, each window costs a seek, and larger
 * windows cost fewer. Where a disk does not seek, larger windows bring nothing that is worth the
 * memory. The difference is measured: on a disk that does not seek, several streams read at
 * least as fast as one of them alone, if the disk has as many requests at a time and they are as
 * large. If they are slower, the disk loses time between the streams.
 *
 * Plain values in, plain values out. docs/design/ctxra.md has the reasons ("Windows that fit the
 * disk").
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/page.h>

#include "disk.h"
#include "disk_stream.h"

/*
 * A sample takes so long at least, and so many windows, or so many of each stream if windows have
 * just got another size. After the longest it tells nothing.
 */
#define SAMPLE_MS	200
#define SAMPLE_MS_MAX	10000
#define SAMPLE_WINDOWS	16
#define SETTLING_WINDOWS 3
/* A disk that was busy for less was hardly measured: the kernel counts that in ticks. */
#define MIN_BUSY_MS	50

/*
 * Stand aside if there are more reads of others than this part of the windows. Of a sample with
 * one stream, less is expected, because that is what others are compared to.
 */
#define OTHERS_PART	3
#define ALONE_PART	8

/* Windows grow up to this, KiB. */
#define MAX_WIN_KB	8192UL
/* Two windows of each stream may take this part of the memory that is available. */
#define MEMORY_PART	8
/* The largest read that the page cache is sure to submit, KiB: BIO_MAX_VECS pages. */
#define MAX_READ_KB	1024UL

/* Until larger windows are tried again, if they brought nothing or other work is in the way. */
#define NO_GAIN_MS	10000
#define NO_SEEKS_MS	60000
#define OTHERS_MS	2000

static unsigned long kib(unsigned long pages)
{
	return pages << (PAGE_SHIFT - 10);
}

/**
 * ctxra_disk_init - set up the state of a disk
 * @d: the disk
 * @base: the device's own window, pages
 * @now: time, ms
 */
void ctxra_disk_init(struct ctxra_disk *d, unsigned long base, u32 now)
{
	memset(d, 0, sizeof(*d));
	d->base = base;
	d->win = base;
	d->last_ms = now;
	/* The first totals are no difference yet. */
	d->settling = true;
	ctxra_disk_init_streams(d);
}

/* Give streams the device's own window. Windows in flight are still larger. */
static void go_back(struct ctxra_disk *d)
{
	d->settling = d->win != d->base;
	d->win = d->base;
	d->on_trial = false;
}

static void hold(struct ctxra_disk *d, u32 now, u32 ms)
{
	d->holds = true;
	d->hold_until = now + ms;
}

/**
 * ctxra_disk_add_window - note that a window is opened
 * @d: the disk
 * @win: the window
 * @now: time, ms
 *
 * The caller leaves out windows that are not of a stream, as those of random reads.
 *
 * Return: how large the window may be, pages: the device's own, or more, up to &ctxra_disk.win,
 *	if the stream has read so much in order.
 */
unsigned long ctxra_disk_add_window(struct ctxra_disk *d, const struct ctxra_disk_window *win,
				    u32 now)
{
	unsigned long most = clamp(d->last.max_sectors / 2UL, kib(1), MAX_READ_KB), moved, pages;
	struct ctxra_disk_stream *s;

	d->windows++;
	s = ctxra_disk_move_stream(d, win, now, &moved);
	d->pages += moved;
	d->reads += DIV_ROUND_UP(kib(moved), most);
	if (d->win > d->base && ctxra_disk_count_live(d, now) < 2)
		go_back(d);
	pages = ctxra_disk_limit_window(d, s, win->nr);
	d->smaller += max(pages, win->nr) < d->win;
	return pages;
}

/* Is it time to call ctxra_disk_sample()? */
bool ctxra_disk_sample_due(const struct ctxra_disk *d, u32 now)
{
	u32 windows = d->settling ? SETTLING_WINDOWS * max(d->live, 1U) : SAMPLE_WINDOWS;

	return now - d->last_ms >= SAMPLE_MS && d->windows - d->last_windows >= windows;
}

/* Reads beyond those that the windows take: small ones of others, each of which costs a seek. */
static u64 other_reads(const struct ctxra_disk *d, const struct ctxra_disk_stat *stat)
{
	u64 ios = stat->ios - d->last.ios, sectors = stat->sectors - d->last.sectors;
	u64 ours = d->pages ? div64_u64(sectors / 2 * d->reads, kib(d->pages)) : 0;

	return ios > ours ? ios - ours : 0;
}

/*
 * Turn totals into a sample. False if it tells nothing of the streams: the disk was idle, wrote
 * much, or read much that is not theirs, by bytes or by number.
 */
static bool measure(struct ctxra_disk *d, const struct ctxra_disk_stat *stat, u32 now,
		    struct ctxra_disk_sample *sample, bool *others)
{
	u64 ios = stat->ios - d->last.ios, sectors = stat->sectors - d->last.sectors;
	u64 busy = stat->busy_ms - d->last.busy_ms;

	*others = false;
	if (now - d->last_ms > SAMPLE_MS_MAX || !ios || busy < MIN_BUSY_MS)
		return false;
	d->small_reads = min_t(u64, other_reads(d, stat), U32_MAX / OTHERS_PART / 4);
	sample->rate = min_t(u64, div64_u64(sectors * 500, busy), U32_MAX);
	sample->size = min_t(u64, div64_u64(sectors / 2, ios), U32_MAX);
	sample->depth = clamp_t(u64, div64_u64((stat->wait_ms - d->last.wait_ms) * 16, busy), 1,
				U32_MAX);
	*others = 8 * (stat->written - d->last.written) > sectors ||
		  2 * kib(d->pages) < sectors / 2 ||
		  OTHERS_PART * d->small_reads > d->windows - d->last_windows;
	return !*others;
}

/*
 * Do several streams read so much slower than one alone that the disk must seek? Throughput
 * grows with the size of requests and with their number, but never faster than these. So a
 * disk that does not seek has at least this rate; leave a quarter for what else disturbs.
 */
static bool must_seek(const struct ctxra_disk *d, const struct ctxra_disk_sample *sample)
{
	u64 least = d->alone.rate;

	if (sample->size < d->alone.size)
		least = div_u64(least * sample->size, d->alone.size);
	if (sample->depth < d->alone.depth)
		least = div_u64(least * sample->depth, d->alone.depth);
	return sample->rate < least * 3 / 4;
}

/* The largest window for so many streams, pages. */
static unsigned long limit(const struct ctxra_disk *d, unsigned long available)
{
	unsigned long pages = available / MEMORY_PART / (2 * max(d->live, 2U));

	pages = min(pages, MAX_WIN_KB >> (PAGE_SHIFT - 10));
	/* Whole multiples of the device's window, as the windows of the stock code are. */
	return pages < d->base ? d->base : d->base * rounddown_pow_of_two(pages / d->base);
}

static enum ctxra_disk_outcome grow(struct ctxra_disk *d, const struct ctxra_disk_sample *sample,
				    unsigned long most)
{
	/* Far from the goal, save a step. */
	unsigned long factor = 2 * sample->rate < d->alone.rate && 4 * d->win <= most ? 4 : 2;

	/* There will be fewer windows, and reads of others must be few beside these, too. */
	if (OTHERS_PART * d->small_reads * factor > d->windows - d->last_windows)
		return CTXRA_DISK_OTHERS;
	if (factor * d->win > most)
		return most < MAX_WIN_KB >> (PAGE_SHIFT - 10) && most < 2 * d->win &&
				       kib(2 * d->win) <= MAX_WIN_KB ?
			       CTXRA_DISK_MEMORY : CTXRA_DISK_NOTHING;
	if (d->win == d->base)
		d->base_rate = sample->rate;
	d->before = d->win;
	d->before_rate = sample->rate;
	d->win *= factor;
	d->on_trial = true;
	d->settling = true;
	return CTXRA_DISK_GREW;
}

/* Make windows even larger if streams are much slower than one alone. */
static enum ctxra_disk_outcome try_larger(struct ctxra_disk *d,
					  const struct ctxra_disk_sample *sample,
					  unsigned long most)
{
	if (d->holds || 8UL * sample->rate >= 7UL * d->alone.rate)
		return CTXRA_DISK_NOTHING;
	return grow(d, sample, most);
}

/* Several streams read, with larger windows than the device's: are these right? */
static enum ctxra_disk_outcome adapt(struct ctxra_disk *d, const struct ctxra_disk_sample *sample,
				     unsigned long most, u32 now)
{
	bool no_better;

	/* One stream may use a part of an array. But then larger windows have helped. */
	if (4UL * sample->rate > 5UL * d->alone.rate && sample->rate < 2UL * d->base_rate) {
		go_back(d);
		hold(d, now, NO_SEEKS_MS);
		return CTXRA_DISK_NO_SEEKS;
	}
	/* Most streams have not read enough for such windows yet, which tell nothing so far. */
	if (2 * d->smaller > d->windows - d->last_windows)
		return try_larger(d, sample, most);
	/* Each step seemed to help, and all of them did not, or streams have just begun. */
	no_better = d->no_better && !d->on_trial;
	d->no_better = 4UL * sample->rate < 5UL * d->base_rate;
	if (no_better && d->no_better) {
		go_back(d);
		hold(d, now, NO_SEEKS_MS);
		return CTXRA_DISK_NO_GAIN;
	}
	if (d->on_trial && 16UL * sample->rate < 17UL * d->before_rate) {
		d->win = d->before;
		d->on_trial = false;
		d->settling = true;
		hold(d, now, NO_GAIN_MS);
		return CTXRA_DISK_NO_GAIN;
	}
	d->on_trial = false;
	return try_larger(d, sample, most);
}

static enum ctxra_disk_outcome judge(struct ctxra_disk *d, const struct ctxra_disk_stat *stat,
				     unsigned long most, u32 now)
{
	struct ctxra_disk_sample sample;
	bool was_grown = d->win > d->base, settled = !d->settling, others;
	u32 live = d->live;

	ctxra_disk_charge_ended(d, now);
	d->live = ctxra_disk_count_live(d, now);
	if (d->holds && (s32)(now - d->hold_until) >= 0)
		d->holds = false;
	if (d->live < 2 && was_grown) {
		go_back(d);
		return CTXRA_DISK_ALONE;
	}
	d->settling = false;
	/* Also if windows are so slow that they tell nothing. */
	if (d->win > most) {
		d->win = most;
		d->on_trial = false;
		d->settling = true;
		return CTXRA_DISK_MEMORY;
	}
	if (!measure(d, stat, now, &sample, &others)) {
		if (!others || d->live < 2 || !settled)
			return CTXRA_DISK_NOTHING;
		/* Once may be streams that began, whose first windows are small. */
		if (was_grown && d->disturbed) {
			go_back(d);
			hold(d, now, OTHERS_MS);
		}
		d->disturbed = true;
		return CTXRA_DISK_OTHERS;
	}
	d->disturbed = false;
	if (d->live != live)
		d->no_better = false;
	if (d->live < 2) {
		if (settled && live == 1 && d->live == 1 && ctxra_disk_count_seen(d) == 1 &&
		    ALONE_PART * (u64)d->small_reads <= d->windows - d->last_windows)
			d->alone = sample;
		return CTXRA_DISK_NOTHING;
	}
	if (!settled)
		return CTXRA_DISK_NOTHING;
	if (!d->alone.rate)
		return CTXRA_DISK_UNKNOWN;
	if (was_grown)
		return adapt(d, &sample, most, now);
	if (d->holds || !must_seek(d, &sample))
		return CTXRA_DISK_NOTHING;
	return grow(d, &sample, most);
}

/* Totals go back if the disk was replaced by one that got the same number. */
static bool is_of_another(const struct ctxra_disk *d, const struct ctxra_disk_stat *stat)
{
	return stat->ios < d->last.ios || stat->sectors < d->last.sectors ||
	       stat->written < d->last.written || stat->busy_ms < d->last.busy_ms;
}

/**
 * ctxra_disk_sample - adapt the window to what the disk did since the last sample
 * @d: the disk
 * @stat: its totals now
 * @available: memory that is available, pages
 * @now: time, ms
 *
 * Return: what came of it.
 */
enum ctxra_disk_outcome ctxra_disk_sample(struct ctxra_disk *d, const struct ctxra_disk_stat *stat,
					  unsigned long available, u32 now)
{
	enum ctxra_disk_outcome outcome = CTXRA_DISK_NOTHING;

	if (is_of_another(d, stat))
		ctxra_disk_init(d, d->base, now);
	else
		outcome = judge(d, stat, limit(d, available), now);
	d->last = *stat;
	d->last_ms = now;
	d->last_windows = d->windows;
	d->pages = 0;
	d->reads = 0;
	d->smaller = 0;
	return outcome;
}
