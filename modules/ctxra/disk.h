/* SPDX-License-Identifier: GPL-2.0-only */
/* How large the windows on a disk should be, from what its reads achieve. Pure. */
#ifndef CTXRA_DISK_H
#define CTXRA_DISK_H

#include <linux/types.h>

#define CTXRA_DISK_STREAMS	64

/**
 * struct ctxra_disk_stat - totals of a disk since it appeared, as in /sys/block/DISK/stat
 * @ios: reads
 * @sectors: sectors of 512 bytes that were read
 * @written: sectors that were written
 * @wait_ms: time that reads took, summed, ms
 * @busy_ms: time during which there was a request, ms
 * @max_sectors: largest request; not a total
 */
struct ctxra_disk_stat {
	u64 ios;
	u64 sectors;
	u64 written;
	u64 wait_ms;
	u64 busy_ms;
	u32 max_sectors;
};

/**
 * struct ctxra_disk_sample - what a disk did in a while
 * @rate: KiB read per second in which it was busy
 * @size: KiB of the average read
 * @depth: average number of reads at a time, in 1/16
 */
struct ctxra_disk_sample {
	u32 rate;
	u32 size;
	u32 depth;
};

/**
 * struct ctxra_disk_stream - a stream of windows on a disk
 * @mapping: address of the file's mapping; compared, never dereferenced; NULL if the entry is free
 * @start: first page of its foremost window
 * @pages: pages that it has read in order
 * @reach: pages from @start within which its next window begins
 * @seen: time of its last window, ms
 * @window: number of that window on the disk
 */
struct ctxra_disk_stream {
	const void *mapping;
	unsigned long start;
	unsigned long pages;
	unsigned long reach;
	u32 seen;
	u32 window;
};

/**
 * struct ctxra_disk - the windows of one disk
 * @streams: the last streams, in no order
 * @base: the device's own window, pages
 * @win: window of streams that were read in order, pages; @base, or more
 * @before: window before it was last made larger, pages
 * @windows: windows opened so far
 * @pages: pages that the streams moved forward since the last sample
 * @reads: reads that these pages take, if windows are cut into as few as the disk allows
 * @live: streams that read in order, at the last sample
 * @last: totals at the last sample
 * @last_ms: time of that sample
 * @last_windows: @windows then
 * @alone: a sample with one stream and windows of @base; a rate of 0 if there was none
 * @before_rate: rate before the window was last made larger
 * @base_rate: rate before it was made larger than @base
 * @small_reads: reads of others in the last sample
 * @hold_until: do not make windows larger before this time, ms, if @holds
 * @holds: @hold_until is set
 * @on_trial: windows were made larger, and it is not known whether that helps
 * @no_better: the last sample was hardly faster than @base_rate
 * @disturbed: the last sample was of others' work, too
 * @settling: the next sample has windows of two sizes
 */
struct ctxra_disk {
	struct ctxra_disk_stream streams[CTXRA_DISK_STREAMS];
	unsigned long base;
	unsigned long win;
	unsigned long before;
	u32 windows;
	unsigned long pages;
	unsigned long reads;
	u32 live;
	struct ctxra_disk_stat last;
	u32 last_ms;
	u32 last_windows;
	struct ctxra_disk_sample alone;
	u32 before_rate;
	u32 base_rate;
	u32 small_reads;
	u32 hold_until;
	bool holds : 1;
	bool on_trial : 1;
	bool no_better : 1;
	bool disturbed : 1;
	bool settling : 1;
};

/* What came of a sample. */
enum ctxra_disk_outcome {
	CTXRA_DISK_NOTHING,	/* no change, nothing to tell */
	CTXRA_DISK_GREW,	/* windows were made larger */
	CTXRA_DISK_ALONE,	/* back to the device's window: one stream is left, or none */
	CTXRA_DISK_NO_GAIN,	/* one step back: larger windows were hardly faster */
	CTXRA_DISK_NO_SEEKS,	/* back: faster than one stream alone, so seeks are not the limit */
	CTXRA_DISK_OTHERS,	/* much of the disk's work is not these streams' */
	CTXRA_DISK_MEMORY,	/* memory is too short for larger windows */
	CTXRA_DISK_UNKNOWN,	/* no stream was alone so far */
	CTXRA_DISK_NR_OUTCOMES,
};

void ctxra_disk_init(struct ctxra_disk *d, unsigned long base, u32 now);
bool ctxra_disk_add_window(struct ctxra_disk *d, const void *mapping, unsigned long start,
			   u32 now);
bool ctxra_disk_sample_due(const struct ctxra_disk *d, u32 now);
enum ctxra_disk_outcome ctxra_disk_sample(struct ctxra_disk *d, const struct ctxra_disk_stat *stat,
					  unsigned long available, u32 now);

#endif
