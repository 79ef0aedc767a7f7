// SPDX-License-Identifier: GPL-2.0-only
/*
 * XFS takes an inode's ilock exclusively to update a time. Until v6.18 a sync holds it, shared,
 * while it writes the log. 64 writers that each updated the time, and each synced, waited for one
 * log write after the other: on 6.12 they made 213 stable writes per second. So one writer updates
 * the times for all whose data is on the device, and there it syncs for all, too: no update waits
 * for a sync then, nor a write that looks up its extents for an update that waits.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/magic.h>

#include "common/compat/freeze.h"
#include "common/compat/xfs.h"
#include "mtime.h"
#include "turns.h"

#define TURNS_BITS	8
/* Jiffies that a sync waits for others at most. One that took longer was held up by something. */
#define GATHER_MAX	(HZ / 10)

static struct nd_turns nd_updates[1 << TURNS_BITS];

static struct nd_syncs {
	struct nd_turns turns;
	/* How long the last one took, jiffies. Written by the owner. */
	unsigned long duration;
} nd_syncs[1 << TURNS_BITS];

void nd_mtime_init(void)
{
	unsigned int i;

	for (i = 0; i < 1 << TURNS_BITS; i++) {
		nd_turns_init(&nd_updates[i]);
		nd_turns_init(&nd_syncs[i].turns);
	}
}

static int nd_update_time_alone(struct file *file)
{
	int error;

	compat_file_start_write(file);
	error = file_update_time(file);
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

static int nd_sync(const struct kiocb *iocb, size_t len)
{
	struct kiocb end = *iocb;

	end.ki_pos += len;
	return min_t(ssize_t, generic_write_sync(&end, len), 0);
}

/*
 * End the turn of a writer. If it failed, or updated nothing because the client keeps the file's
 * times itself (FMODE_NOCMTIME), the waiting writers do it themselves.
 */
static void nd_end(struct nd_turns *turns, const struct file *file, int error, long asked)
{
	bool served = !error && !(file->f_mode & FMODE_NOCMTIME);

	nd_turn_end(turns, served ? file_inode(file) : NULL, asked);
}

/*
 * Update a file's times and change attribute after its data.
 *
 * The file system would update the times before it writes the data, and readers do not wait for a
 * direct write. So a client could cache old bytes under the new change attribute (or time), and
 * would trust them until the next change. Here a client that has seen the new values has the new
 * bytes to read.
 *
 * Context: may sleep; takes freeze protection unless the caller of the redirected function did.
 * Return: 0, also if another writer updated them since the call, or a negative errno.
 */
static int nd_update_time(struct file *file)
{
	struct nd_turns *turns = &nd_updates[hash_ptr(file_inode(file), TURNS_BITS)];
	enum nd_turn turn;
	int error = 0;
	long asked;

	turn = nd_turn_take(turns, file_inode(file), -1, &asked);
	if (turn != ND_TURN_DONE)
		error = nd_update_time_alone(file);
	if (turn == ND_TURN_OWNER)
		nd_end(turns, file, error, asked);
	return error;
}

/*
 * Whether a write's sync is better made together with others of the file. One with IOCB_DSYNC alone
 * is not enough for them.
 */
static bool nd_shares_sync(const struct kiocb *iocb)
{
	return COMPAT_XFS_SYNC_HOLDS_ILOCK && iocb->ki_flags & IOCB_SYNC &&
	       file_inode(iocb->ki_filp)->i_sb->s_magic == XFS_SUPER_MAGIC;
}

/**
 * nd_finish_expect - announce that nd_finish_write() or nd_finish_failed_write() will follow
 * @iocb: the write, before its data
 * @finish: set, for them
 */
void nd_finish_expect(const struct kiocb *iocb, struct nd_finish *finish)
{
	const struct inode *inode = file_inode(iocb->ki_filp);

	*finish = (struct nd_finish) {};
	if (!nd_shares_sync(iocb))
		return;
	finish->syncs = &nd_syncs[hash_ptr(inode, TURNS_BITS)];
	finish->round = nd_turn_expect(&finish->syncs->turns, inode);
}

/*
 * One writer's sync makes the times and the extents of all stable, but writes back only what is
 * dirty of its own range: where the file system wrote to the cache, each writer does that before.
 * The owner waits for those whose data was on its way before, as long as a sync takes at most:
 * without them in this sync, they would have to wait for its end, and then for another.
 */
static int nd_finish_in_turn(const struct kiocb *iocb, size_t len, struct nd_finish *finish)
{
	struct file *file = iocb->ki_filp;
	struct nd_syncs *syncs = finish->syncs;
	int error = file_write_and_wait_range(file, iocb->ki_pos, iocb->ki_pos + len - 1);
	enum nd_turn turn;
	unsigned long begin;
	int update = 0;
	long asked;

	turn = nd_turn_take(&syncs->turns, file_inode(file), finish->round, &asked);
	if (turn == ND_TURN_OWNER)
		nd_turn_gather(&syncs->turns, READ_ONCE(syncs->duration), &asked);
	begin = jiffies;
	if (turn != ND_TURN_DONE) {
		update = nd_update_time_alone(file);
		if (!update)
			finish->sync = nd_sync(iocb, len);
	}
	if (turn == ND_TURN_OWNER) {
		WRITE_ONCE(syncs->duration, min_t(unsigned long, jiffies - begin, GATHER_MAX));
		nd_end(&syncs->turns, file, update ?: finish->sync, asked);
	}
	if (error)
		finish->sync = error;
	return update;
}

/**
 * nd_finish_write - update a file's times after its data, and make both stable if that was asked
 * @iocb: the write
 * @len: its bytes, which are on the device, or in the cache where the file system put them there
 * @finish: of nd_finish_expect(); &nd_finish.sync is set to 0, or to the negative errno of what was
 *	asked for with IOCB_DSYNC
 *
 * The sync comes after the update, because a crash must not bring back times that were seen with
 * old bytes.
 *
 * Context: as nd_update_time().
 * Return: 0 or a negative errno of the update; then nothing is synced.
 */
int nd_finish_write(const struct kiocb *iocb, size_t len, struct nd_finish *finish)
{
	int error;

	if (finish->syncs)
		return nd_finish_in_turn(iocb, len, finish);
	error = nd_update_time(iocb->ki_filp);
	if (!error)
		finish->sync = nd_sync(iocb, len);
	return error;
}

/**
 * nd_finish_failed_write - update a file's times after a write of which a part may be on the device
 * @iocb: the write
 * @finish: of nd_finish_expect()
 *
 * Context: as nd_update_time().
 */
void nd_finish_failed_write(const struct kiocb *iocb, const struct nd_finish *finish)
{
	nd_finish_cancel(finish);
	nd_update_time(iocb->ki_filp);
}

/* Nothing was written after nd_finish_expect(). */
void nd_finish_cancel(const struct nd_finish *finish)
{
	if (finish->syncs)
		nd_turn_cancel(&finish->syncs->turns, finish->round);
}
