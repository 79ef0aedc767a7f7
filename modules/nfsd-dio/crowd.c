// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a direct write of parts of blocks keeps all others of its file waiting, it is right
 * for a writer that is alone, and wrong for many.
 */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/hash.h>

#include "crowd.h"

#define CROWD_BITS	12

/*
 * Calls of nfsd that are under way, by a hash of their file. Files that share a counter make
 * each other look crowded: blocks are read then that a direct write would not have needed.
 */
static atomic_t under_way[1 << CROWD_BITS];

static atomic_t *counter(const struct file *file)
{
	return &under_way[hash_ptr(file_inode(file), CROWD_BITS)];
}

/**
 * nd_crowd_enter - a client's write begins
 * @file: what it is to
 *
 * Context: any. nd_crowd_leave() has to follow.
 */
void nd_crowd_enter(const struct file *file)
{
	atomic_inc(counter(file));
}

/**
 * nd_crowd_leave - a client's write is over
 * @file: as for nd_crowd_enter()
 *
 * Context: any.
 */
void nd_crowd_leave(const struct file *file)
{
	atomic_dec(counter(file));
}

/**
 * nd_crowded - whether others write to a file
 * @file: the file
 *
 * Context: any, between the two above.
 * Return: whether another call to the file, or to one that shares its counter, is under way.
 */
bool nd_crowded(const struct file *file)
{
	return atomic_read(counter(file)) > 1;
}
