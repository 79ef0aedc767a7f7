// SPDX-License-Identifier: GPL-2.0-only
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "habit.h"

/* Parts of a file that count; and how many files are remembered, about. */
#define FILE_PARTS	32
#define MEMORY		(4 * FILE_PARTS)
/* A step is known after half a file. */
#define KNOWN		(FILE_PARTS / 2)
/* The next window ends where so many of 256 files are still read. */
#define MOST_FILES	192

/* The octave of a page; everything below the first counts as the first. */
static unsigned int nra_octave(unsigned long page, unsigned long usual)
{
	return page < 2 * usual ? 0 : ilog2(page / usual);
}

static void nra_habit_forget(struct nra_habit *habit, unsigned int step)
{
	if (READ_ONCE(habit->could[step]) <= MEMORY)
		return;
	WRITE_ONCE(habit->could[step], READ_ONCE(habit->could[step]) / 2);
	WRITE_ONCE(habit->went[step], READ_ONCE(habit->went[step]) / 2);
}

/**
 * nra_habit_note - note a window that a reader in order from the file's start comes to
 * @habit: the mount's
 * @start: first page of the window
 * @end: the page after it
 * @file: pages of the file
 * @usual: the kernel's default readahead, pages
 *
 * A reader comes to each window once, and the windows of a run lie end to end. So a file counts
 * once for an octave that is read through, however large its windows are.
 */
void nra_habit_note(struct nra_habit *habit, unsigned long start, unsigned long end,
		    unsigned long file, unsigned long usual)
{
	unsigned int i;

	for (i = 0; i <= NRA_HABIT_STEPS; i++) {
		unsigned long octave = usual << i;
		unsigned long from = max(start, octave), to = min(end, 2 * octave);
		unsigned int parts, step;

		if (from >= to || file < 2 * octave)
			continue;
		/* The parts that end in the window: all of its windows together have FILE_PARTS. */
		parts = to * FILE_PARTS / octave - from * FILE_PARTS / octave;
		if (i) {
			step = i - 1;
			WRITE_ONCE(habit->went[step],
				   min_t(unsigned int, READ_ONCE(habit->went[step]) + parts,
					 READ_ONCE(habit->could[step])));
		}
		if (i < NRA_HABIT_STEPS && file >= 4 * octave) {
			WRITE_ONCE(habit->could[i],
				   min_t(unsigned int, READ_ONCE(habit->could[i]) + parts, U8_MAX));
			nra_habit_forget(habit, i);
		}
	}
}

/* How far a file that was read up to @run is probably read: ULONG_MAX: to its end; 0: unknown. */
static unsigned long nra_habit_reach(const struct nra_habit *habit, unsigned long run,
				     unsigned long file, unsigned long usual)
{
	unsigned int step = nra_octave(run, usual), files = 256;
	unsigned long reach = 0;

	for (; step < NRA_HABIT_STEPS && reach < file / 2; step++) {
		unsigned int could = READ_ONCE(habit->could[step]);

		if (could < KNOWN)
			return reach;
		files = files * min_t(unsigned int, READ_ONCE(habit->went[step]), could) / could;
		if (files < MOST_FILES)
			return reach;
		reach = usual << (step + 2);
	}
	return reach ? ULONG_MAX : 0;
}

/*
 * The largest window by the run alone. Of a mount's first file little is known: its windows are
 * small until it is clear that more than a head is read. If most files were left here, what is read
 * ahead is a small part of the run, as for pieces.
 */
static unsigned long nra_habit_own(const struct nra_habit *habit, unsigned long run,
				   unsigned long usual)
{
	unsigned int step = nra_octave(run, usual), could, went;

	if (step >= NRA_HABIT_STEPS)
		return ULONG_MAX;
	could = READ_ONCE(habit->could[step]);
	went = READ_ONCE(habit->went[step]);
	if (could < KNOWN)
		return run < 8 * usual ? run / 2 : run;
	if (5 * went <= 2 * could && could >= went + 3 * FILE_PARTS / 2)
		return run / 64;
	return run / 4;
}

/**
 * nra_habit_window - the largest next window of a file that is read from its start
 * @habit: the mount's
 * @run: pages that were read
 * @end: where the next window begins
 * @file: pages of the file
 * @usual: the kernel's default readahead, pages
 *
 * The window may end where three of four files before were still read.
 *
 * Return: pages; it may be 0, and ULONG_MAX if nothing is in the way.
 */
unsigned long nra_habit_window(const struct nra_habit *habit, unsigned long run, unsigned long end,
			       unsigned long file, unsigned long usual)
{
	unsigned long reach = nra_habit_reach(habit, run, file, usual);
	unsigned long own = nra_habit_own(habit, run, usual);

	if (reach == ULONG_MAX)
		return reach;
	return reach > end ? max(own, reach - end) : own;
}
