/* SPDX-License-Identifier: GPL-2.0-only */
/* How far the files of a mount are read from their start, by the files before. Pure. */
#ifndef NFS_RA_HABIT_H
#define NFS_RA_HABIT_H

#include <linux/types.h>

/*
 * An octave is the part of a file between one power of two and the next, in units of the kernel's
 * default readahead: 128 to 256 KiB, 256 to 512 KiB, up to 32 to 64 MiB. A step is from one to the
 * next. With fewer steps, programs that read the first 5 to 16 MB of each file, as ffprobe does,
 * get up to 3.4 times that.
 */
#define NRA_HABIT_STEPS	8

/**
 * struct nra_habit - how many of the last files were read on, by steps
 * @could: files that were read in the octave before the step, and are long enough to be read
 *	through the octave behind it, in parts of a file
 * @went: those of them that were read in the octave behind the step
 *
 * Readers race for it. At worst a file counts less.
 */
struct nra_habit {
	u8 could[NRA_HABIT_STEPS];
	u8 went[NRA_HABIT_STEPS];
};

/**
 * nra_habit_pages - how long a run from the start of a file has to be measured
 * @usual: the kernel's default readahead, pages
 *
 * Return: pages; what is read behind them does not count.
 */
static inline unsigned long nra_habit_pages(unsigned long usual)
{
	return usual << (NRA_HABIT_STEPS + 1);
}

void nra_habit_note(struct nra_habit *habit, unsigned long start, unsigned long end,
		    unsigned long file, unsigned long usual);
unsigned long nra_habit_window(const struct nra_habit *habit, unsigned long run, unsigned long end,
			       unsigned long file, unsigned long usual);

#endif
