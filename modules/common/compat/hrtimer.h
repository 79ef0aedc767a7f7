/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in high-resolution timers. */
#ifndef SEQKEEP_COMPAT_HRTIMER_H
#define SEQKEEP_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

#include "features.h"

/**
 * compat_hrtimer_setup - initialise a timer
 * @timer: the timer
 * @function: called when it expires
 * @clock: CLOCK_MONOTONIC and so on
 * @mode: the mode of hrtimer_start()
 *
 * 908a1d775422 ("hrtimers: Introduce hrtimer_setup() to replace hrtimer_init()") in
 * v6.13; hrtimer_init() and direct access to the function went away in v6.15 and v6.16.
 */
static inline void compat_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
#if SEQKEEP_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

#endif
