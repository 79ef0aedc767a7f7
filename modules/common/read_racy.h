/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking at what others change meanwhile, without a lock. */
#ifndef SEQKEEP_READ_RACY_H
#define SEQKEEP_READ_RACY_H

#include <linux/compiler.h>

/**
 * READ_RACY - read what the kernel writes plainly, at any moment
 * @x: a variable of a machine word or less
 *
 * For decisions that any value of the moment is good for. It is read once, so that
 * what was tested is what is used; and KCSAN is told that this is meant.
 */
#define READ_RACY(x)		data_race(READ_ONCE(x))

#endif
