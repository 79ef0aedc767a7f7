// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts nfsd's writes in flight to each file. Where a misaligned direct write locks the inode
 * exclusively, it is right for a lone writer and wrong for many.
 */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/hash.h>

#include "inflight.h"

#define INFLIGHT_BITS	12

/*
 * By a hash of the file. Files that share a counter see each other's writers: the price is a read
 * of blocks that a direct write would not have needed.
 */
static atomic_t nd_inflight[1 << INFLIGHT_BITS];

static atomic_t *counter(const struct file *file)
{
	return &nd_inflight[hash_ptr(file_inode(file), INFLIGHT_BITS)];
}

/**
 * nd_write_begin - count a write as in flight until nd_write_end()
 * @file: the file
 */
void nd_write_begin(const struct file *file)
{
	atomic_inc(counter(file));
}

void nd_write_end(const struct file *file)
{
	atomic_dec(counter(file));
}

/**
 * nd_has_concurrent_writers - whether other writes to a file are in flight
 * @file: the file
 *
 * Context: any, between nd_write_begin() and nd_write_end().
 * Return: true also if they are to a file that shares the counter.
 */
bool nd_has_concurrent_writers(const struct file *file)
{
	return atomic_read(counter(file)) > 1;
}
