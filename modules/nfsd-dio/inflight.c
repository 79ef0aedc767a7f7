// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a direct write of parts of blocks keeps all others of its file waiting, it is right
 * for a writer that is alone, and wrong for many.
 */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/hash.h>

#include "inflight.h"

#define INFLIGHT_BITS	12

/*
 * Calls of nfsd that are under way, by a hash of their file. Files that share a counter make
 * each other look crowded: blocks are read then that a direct write would not have needed.
 */
static atomic_t nd_inflight[1 << INFLIGHT_BITS];

static atomic_t *counter(const struct file *file)
{
	return &nd_inflight[hash_ptr(file_inode(file), INFLIGHT_BITS)];
}

/**
 * nd_write_begin - a client's write begins
 * @file: what it is to
 *
 * Context: any. nd_write_end() has to follow.
 */
void nd_write_begin(const struct file *file)
{
	atomic_inc(counter(file));
}

/**
 * nd_write_end - a client's write is over
 * @file: as for nd_write_begin()
 *
 * Context: any.
 */
void nd_write_end(const struct file *file)
{
	atomic_dec(counter(file));
}

/**
 * nd_has_concurrent_writers - whether others write to a file
 * @file: the file
 *
 * Context: any, between the two above.
 * Return: whether another call to the file, or to one that shares its counter, is under way.
 */
bool nd_has_concurrent_writers(const struct file *file)
{
	return atomic_read(counter(file)) > 1;
}
