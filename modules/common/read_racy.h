/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads without a lock of what others change at the same time. */
#ifndef SEQKEEP_READ_RACY_H
#define SEQKEEP_READ_RACY_H

#include <linux/compiler.h>

/**
 * READ_RACY - read once what the kernel may write at any moment
 * @x: a variable of a machine word or less
 *
 * For decisions for which any recent value will do. One read, so that the code uses the value that
 * it tested. data_race() tells KCSAN that the race is intended.
 */
#define READ_RACY(x)		data_race(READ_ONCE(x))

#endif
