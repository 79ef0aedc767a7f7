// SPDX-License-Identifier: GPL-2.0-only
/*
 * XFS holds an inode's ilock while a sync writes the log, and takes it exclusively to update a
 * time. 64 writers that updated it one by one each waited for a log write of their own: 213 writes
 * per second, and 2528 without the update. So one writer updates it for all whose data is on the
 * device: 2088.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kernel.h>

#include "common/compat/freeze.h"
#include "mtime.h"
#include "turns.h"

#define TURNS_BITS	8

static struct nd_turns nd_turns[1 << TURNS_BITS];

void nd_mtime_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nd_turns); i++)
		nd_turns_init(&nd_turns[i]);
}

static int nd_update_time_in_turn(struct nd_turns *turns, struct file *file)
{
	const struct inode *inode = file_inode(file);
	enum nd_turn turn;
	long asked;
	int error;

	turn = nd_turn_take(turns, inode, &asked);
	if (turn == ND_TURN_DONE)
		return 0;
	error = file_update_time(file);
	/*
	 * If the update failed, or was none because the client keeps the file's times itself
	 * (FMODE_NOCMTIME), the waiting writers make their own.
	 */
	if (turn == ND_TURN_OWNER)
		nd_turn_end(turns, error || file->f_mode & FMODE_NOCMTIME ? NULL : inode, asked);
	return error;
}

/**
 * nd_update_time - update a file's times and change attribute after its data
 * @file: the file, whose data is on the device
 *
 * The file system would update the times before it writes the data, and readers do not wait for a
 * direct write. So a client could cache old bytes under the new change attribute (or time), and
 * would trust them until the next change. Here who has seen the new values has the new bytes to
 * read.
 *
 * Context: may sleep; takes freeze protection unless the caller of the redirected function did.
 * Return: 0, also if another writer updated them since the call, or a negative errno.
 */
int nd_update_time(struct file *file)
{
	struct nd_turns *turns = &nd_turns[hash_ptr(file_inode(file), TURNS_BITS)];
	int error;

	compat_file_start_write(file);
	error = nd_update_time_in_turn(turns, file);
	compat_file_end_write(file);
	/*
	 * Leave the inode as dirty as a buffered write does. A clean one is not flushed by nfsd for
	 * NFSv2, nor by ext4 without a journal until "ext4: Use generic_buffers_fsync_noflush()
	 * implementation" in v6.5.
	 */
	if (!error)
		__mark_inode_dirty(file_inode(file), I_DIRTY_PAGES);
	return error;
}
