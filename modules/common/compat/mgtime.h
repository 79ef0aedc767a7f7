/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in whether an inode's times say that somebody has looked at them. */
#ifndef SEQKEEP_COMPAT_MGTIME_H
#define SEQKEEP_COMPAT_MGTIME_H

#include <linux/fs.h>
#include <linux/time64.h>

/*
 * stat() marks the times that it returns, and an update of marked times makes them others, since
 * 4e40eff0b573 ("fs: add infrastructure for multigrain timestamps") in v6.13.
 */
#ifdef I_CTIME_QUERIED
#define COMPAT_TIMES_ARE_MARKED	1

/**
 * compat_times_are_marked - whether stat() marks an inode's times, and each update can be seen
 * @inode: the inode
 *
 * In ext4's inodes of 128 bytes times are of a second, so that an update may change nothing.
 */
static inline bool compat_times_are_marked(const struct inode *inode)
{
	return is_mgtime(inode) && inode->i_sb->s_time_gran == 1;
}

static inline struct timespec64 compat_sample_times(const struct inode *inode)
{
	return inode_get_ctime(inode);
}

/**
 * compat_times_are_unseen - whether nobody has seen the times that an inode has now
 * @inode: the inode, which has not left memory since the sample
 * @sample: what compat_sample_times() returned
 *
 * Return: false if that is not known:
 * - Times that are the same as in the sample may have been seen before the inode was read from the
 *   disk, which keeps no marks.
 * - Where times are coarse an update may remove the mark and leave the time.
 * - The mark is of the ctime. If the mtime is another, a chmod() may have removed the mark.
 */
static inline bool compat_times_are_unseen(const struct inode *inode, struct timespec64 sample)
{
	struct timespec64 ctime, mtime = inode_get_mtime(inode);
	u32 nsec = READ_ONCE(inode->i_ctime_nsec);

	if (!compat_times_are_marked(inode) || nsec & I_CTIME_QUERIED)
		return false;
	ctime.tv_sec = inode_get_ctime_sec(inode);
	ctime.tv_nsec = nsec;
	return timespec64_equal(&ctime, &mtime) && !timespec64_equal(&ctime, &sample);
}

#else
#define COMPAT_TIMES_ARE_MARKED	0

static inline bool compat_times_are_marked(const struct inode *inode)
{
	return false;
}

static inline struct timespec64 compat_sample_times(const struct inode *inode)
{
	return (struct timespec64) {};
}

static inline bool compat_times_are_unseen(const struct inode *inode, struct timespec64 sample)
{
	return false;
}

#endif

#endif
