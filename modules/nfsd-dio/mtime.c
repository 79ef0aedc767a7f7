// SPDX-License-Identifier: GPL-2.0-only
/*
 * XFS takes an inode's ilock exclusively to update a time. A sync holds it, shared, while it writes
 * the log, until "xfs: rework datasync tracking and execution" in v6.18. 64 writers that each
 * updated the time, and each synced, waited for one log write after the other: on 6.12 they made
 * 213 stable writes per second. So one writer updates the times for all whose data is on the
 * device, and before v6.13 syncs for all, too: no update waits for a sync then, nor a write that
 * looks up its extents for an update that waits.
 */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/magic.h>

#include "features.h"

#include "common/compat/freeze.h"
#include "common/compat/mgtime.h"
#include "counters.h"
#include "mtime.h"
#include "turns.h"

#define TURNS_BITS	9
/* Jiffies that a sync waits for others at most. One that took longer was held up by something. */
#define GATHER_MAX	(HZ / 10)

/* How often an update that met another is made without keeping that out. */
#define MOST_SHARED_UPDATES	3

static struct nd_turns nd_updates[1 << TURNS_BITS];

/* Updates of the times of the files of one hash value: those being made, and all. */
static struct nd_overlap {
	atomic_t running;
	atomic_t begun;
} nd_overlaps[1 << TURNS_BITS];

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

/* Choose by all bits of the hash: half of them for each of two turns. */
static struct nd_turns *nd_updates_of(const struct inode *inode)
{
	u32 hash = hash_ptr(inode, 2 * TURNS_BITS);
	struct nd_turns *first = &nd_updates[hash >> TURNS_BITS];
	struct nd_turns *second = &nd_updates[hash & ((1 << TURNS_BITS) - 1)];

	return nd_turns_second_is_better(first, second, inode) ? second : first;
}

static struct nd_syncs *nd_syncs_of(const struct inode *inode)
{
	u32 hash = hash_ptr(inode, 2 * TURNS_BITS);
	struct nd_syncs *first = &nd_syncs[hash >> TURNS_BITS];
	struct nd_syncs *second = &nd_syncs[hash & ((1 << TURNS_BITS) - 1)];

	return nd_turns_second_is_better(&first->turns, &second->turns, inode) ? second : first;
}

/*
 * Leave the inode as dirty as a buffered write does. A clean one is not flushed by nfsd for NFSv2,
 * nor by ext4 without a journal until "ext4: Use generic_buffers_fsync_noflush() implementation" in
 * v6.5. Each writer does so before its own sync, because another's cleans the inode.
 */
static void nd_mark_dirty(struct inode *inode)
{
	__mark_inode_dirty(inode, I_DIRTY_PAGES);
}

/* Whether the client keeps the times itself. Only later kernels ask that in file_update_time(). */
static bool nd_client_has_times(const struct file *file)
{
	return READ_ONCE(file->f_mode) & FMODE_NOCMTIME;
}

/*
 * Update the times, holding the inode's lock shared. Sets @alone if no other update of ours was
 * made meanwhile, or the clock stood still, so that no later time was set back.
 */
static int nd_update_time_watched(struct file *file, bool *alone)
{
	struct inode *inode = file_inode(file);
	struct nd_overlap *overlap = &nd_overlaps[hash_ptr(inode, TURNS_BITS)];
	struct timespec64 before, after;
	bool first;
	int begun;
	int error;

	inode_lock_shared(inode);
	first = atomic_inc_return(&overlap->running) == 1;
	begun = atomic_inc_return(&overlap->begun);
	before = current_time(inode);
	error = file_update_time(file);
	after = current_time(inode);
	*alone = timespec64_equal(&before, &after) ||
		 (first && atomic_read(&overlap->begun) == begun);
	atomic_dec(&overlap->running);
	inode_unlock_shared(inode);
	return error;
}

/*
 * XFS may set the times to what the clock was before it waited for the ilock, until "fs: drop the
 * timespec64 argument from update_time" in v6.6. If another writer has set later ones meanwhile,
 * they go back, and a client that knows the earlier ones keeps its old bytes. Writers through the
 * cache are kept out by the inode's lock. If other updates of ours were not, the times are set
 * again, at once, and in the end with nobody else there, which waits for all direct I/O.
 */
static int nd_update_time_forwards(struct file *file)
{
	struct inode *inode = file_inode(file);
	bool alone = false;
	unsigned int i;
	int error;

	for (i = 0; i < MOST_SHARED_UPDATES; i++) {
		error = nd_update_time_watched(file, &alone);
		if (error || alone)
			return error;
	}
	inode_lock(inode);
	error = file_update_time(file);
	inode_unlock(inode);
	return error;
}

static int nd_update_time_alone(struct file *file)
{
	int error;

	if (nd_client_has_times(file))
		return 0;
	compat_file_start_write(file);
	if (SEQKEEP_HAVE_UPDATE_TIME_GIVEN && file_inode(file)->i_sb->s_magic == XFS_SUPER_MAGIC)
		error = nd_update_time_forwards(file);
	else
		error = file_update_time(file);
	compat_file_end_write(file);
	return error;
}

static int nd_sync(const struct kiocb *iocb, size_t len)
{
	struct kiocb end = *iocb;

	end.ki_pos += len;
	return min_t(ssize_t, generic_write_sync(&end, len), 0);
}

/* Returns 0, also if another writer updated them since the call, or a negative errno. */
static int nd_update_time(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct nd_turns *turns = nd_updates_of(inode);
	bool client_has_times = nd_client_has_times(file);
	enum nd_turn turn;
	int error = 0;
	long asked;

	turn = nd_turn_take(turns, inode, -1, &asked);
	if (turn != ND_TURN_DONE)
		error = nd_update_time_alone(file);
	/* If it failed, or was none, the waiting writers make their own. */
	if (turn == ND_TURN_OWNER)
		nd_turn_end(turns, !error && !client_has_times, asked, 0);
	if (!error)
		nd_mark_dirty(inode);
	return error;
}

/*
 * As nd_update_time(), with nothing done if the file system updated the times before the data and
 * nobody has seen them since. Ends what nd_times_begin() began.
 */
static int nd_update_seen_time(struct file *file, const struct nd_times *times)
{
	struct inode *inode = file_inode(file);
	int error = 0;

	if (nd_times_are_unseen(inode, times)) {
		nd_count(ND_C_TIMES_UNSEEN);
		nd_mark_dirty(inode);
	} else {
		error = nd_update_time(file);
	}
	nd_times_end(inode, times);
	return error;
}

/*
 * Whether a write's sync is better made together with others of the file. One with IOCB_DSYNC alone
 * is not enough for them. Where times are marked, since v6.13, a write mostly has no update to make
 * that would wait for a sync. (Measured on 7.3; not on 6.13 to 6.17, whose syncs hold the ilock.)
 */
static bool nd_shares_sync(const struct kiocb *iocb)
{
	return !COMPAT_TIMES_ARE_MARKED && iocb->ki_flags & IOCB_SYNC &&
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
	if (COMPAT_TIMES_ARE_MARKED)
		nd_times_begin(inode, &finish->times);
	if (!nd_shares_sync(iocb))
		return;
	finish->syncs = nd_syncs_of(inode);
	finish->round = nd_turn_expect(&finish->syncs->turns, inode);
}

/*
 * One writer's sync makes the times and the extents of all stable, but writes back only what is
 * dirty of its own range: where the file system wrote to the cache, each writer does that before.
 * The owner waits for those whose data was on its way before, as long as a sync takes at most:
 * without them in this sync, they would have to wait for its end, and then for another.
 *
 * A sync that failed has failed for all: another might succeed for bytes that the device has lost.
 */
static int nd_finish_in_turn(const struct kiocb *iocb, size_t len, struct nd_finish *finish)
{
	struct file *file = iocb->ki_filp;
	struct inode *inode = file_inode(file);
	struct nd_syncs *syncs = finish->syncs;
	bool client_has_times = nd_client_has_times(file);
	int error = file_write_and_wait_range(file, iocb->ki_pos, iocb->ki_pos + len - 1);
	enum nd_turn turn;
	int update = 0;
	long asked;
	u64 begin;

	turn = nd_turn_take(&syncs->turns, inode, finish->round, &asked);
	if (turn == ND_TURN_DONE) {
		finish->sync = error ?: asked;
		return 0;
	}
	if (turn == ND_TURN_OWNER)
		nd_turn_gather(&syncs->turns, READ_ONCE(syncs->duration), &asked);
	update = nd_update_time_alone(file);
	begin = ktime_get_ns();
	if (!update) {
		nd_mark_dirty(inode);
		finish->sync = nd_sync(iocb, len);
	}
	if (turn == ND_TURN_OWNER) {
		WRITE_ONCE(syncs->duration, min_t(u64, nsecs_to_jiffies(ktime_get_ns() - begin),
						  GATHER_MAX));
		nd_turn_end(&syncs->turns, !update && !client_has_times, asked, finish->sync);
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
 * A file system updates the times before it writes the data, and readers do not wait for a direct
 * write. So a client could cache old bytes under the new change attribute (or time), and would
 * trust them until the next change. Where the kernel marks times that were seen, those are updated
 * again after the data. Elsewhere the file system leaves them alone, and they are updated only
 * after it. So a client that has seen the last values has the new bytes to read.
 *
 * The sync comes after the update, because a crash must not bring back times that were seen with
 * old bytes.
 *
 * Context: may sleep; takes freeze protection unless the caller of the redirected function did.
 * Return: 0 or a negative errno of the update; then nothing is synced.
 */
int nd_finish_write(const struct kiocb *iocb, size_t len, struct nd_finish *finish)
{
	int error;

	if (finish->syncs)
		return nd_finish_in_turn(iocb, len, finish);
	error = nd_update_seen_time(iocb->ki_filp, &finish->times);
	if (!error)
		finish->sync = nd_sync(iocb, len);
	return error;
}

/**
 * nd_finish_failed_write - update a file's times after a write of which a part may be on the device
 * @iocb: the write
 * @finish: of nd_finish_expect()
 *
 * Context: as nd_finish_write().
 */
void nd_finish_failed_write(const struct kiocb *iocb, const struct nd_finish *finish)
{
	if (finish->syncs)
		nd_turn_cancel(&finish->syncs->turns, finish->round);
	nd_update_time(iocb->ki_filp);
	nd_times_end(file_inode(iocb->ki_filp), &finish->times);
}

/**
 * nd_finish_cancel - write nothing after nd_finish_expect()
 * @iocb: the write
 * @finish: of nd_finish_expect()
 */
void nd_finish_cancel(const struct kiocb *iocb, const struct nd_finish *finish)
{
	if (finish->syncs)
		nd_turn_cancel(&finish->syncs->turns, finish->round);
	nd_times_end(file_inode(iocb->ki_filp), &finish->times);
}
