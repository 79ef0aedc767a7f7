/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a disk and of the streams on it: for disk.c and disk_stream.c. */
#ifndef CTXRA_DISK_STATE_H
#define CTXRA_DISK_STATE_H

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
 * struct ctxra_disk_window - a window of a reader that goes forward
 * @mapping: address of the file's mapping; compared, never dereferenced
 * @start: first page
 * @from: first page of the reader's window before; @start if that is not known
 * @passed: cached pages between the end of that window and @start
 * @eof: pages of the file
 * @nr: pages of the window; 0 if the stock code chooses them
 * @shared: readers share the stream, so its windows are not opened in order
 */
struct ctxra_disk_window {
	const void *mapping;
	unsigned long start;
	unsigned long from;
	unsigned long passed;
	unsigned long eof;
	unsigned long nr;
	bool shared;
};

/**
 * struct ctxra_disk_stream - a stream of windows on a disk
 * @mapping: address of the file's mapping; compared, never dereferenced; NULL if the entry is free
 * @start: first page of its foremost window
 * @pages: pages from its first window to @start, without the cached ones that its reader passed
 * @reach: pages from @start within which the next window of a shared stream begins; another
 *	stream goes on if the reader's last window began at @start
 * @win: how large its windows may be now, pages
 * @eof: pages of the file
 * @charged: what the credit has lost by its end
 * @seen: time of its last window, ms
 * @window: number of that window on the disk
 * @shared: readers share it
 * @ended: it seems to have ended, and left pages unread
 */
struct ctxra_disk_stream {
	const void *mapping;
	unsigned long start;
	unsigned long pages;
	unsigned long reach;
	unsigned long win;
	unsigned long eof;
	s64 charged;
	u32 seen;
	u32 window;
	bool shared;
	bool ended;
};

/**
 * struct ctxra_disk - the windows of one disk
 * @streams: the last streams, in no order
 * @base: the device's own window, pages
 * @win: largest window of streams that were read in order, pages; @base, or more
 * @before: window before it was last made larger, pages
 * @windows: windows opened so far
 * @pages: pages that the streams moved forward since the last sample
 * @reads: reads that these pages take, if windows are cut into as few as the disk allows
 * @credit: pages read in order, less 64 for each that a stream left unread; below 0, windows are
 *	a smaller part of what their stream has read
 * @live: streams that read in order, at the last sample
 * @last: totals at the last sample
 * @last_ms: time of that sample
 * @last_windows: @windows then
 * @alone: a sample with one stream and windows of @base; a rate of 0 if there was none
 * @before_rate: rate before the window was last made larger
 * @base_rate: rate before it was made larger than @base
 * @small_reads: reads of others in the last sample
 * @smaller: windows since the last sample that were smaller than @win, because their stream has not
 *	read enough
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
	s64 credit;
	u32 live;
	struct ctxra_disk_stat last;
	u32 last_ms;
	u32 last_windows;
	struct ctxra_disk_sample alone;
	u32 before_rate;
	u32 base_rate;
	u32 small_reads;
	u32 smaller;
	u32 hold_until;
	bool holds : 1;
	bool on_trial : 1;
	bool no_better : 1;
	bool disturbed : 1;
	bool settling : 1;
};

#endif
