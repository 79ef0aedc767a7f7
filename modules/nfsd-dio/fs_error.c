// SPDX-License-Identifier: GPL-2.0-only
#include <linux/buffer_head.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/string.h>

#include "fs_error.h"

/* ext4's superblock: the kernel documents its layout in Documentation/filesystems/ext4/super.rst. */
#define EXT4_SUPER_AT		1024
#define EXT4_MAGIC_AT		0x38
#define EXT4_STATE_AT		0x3a
#define EXT4_STATE_ERRORS	0x2

/**
 * nd_fs_has_error - whether ext4 has recorded an error in its superblock
 * @sb: a mounted file system
 *
 * After an error for which ext4 stops writing ("Remounting filesystem read-only"), 6.1 refuses to
 * write dirty pages, but neither direct writes of blocks that exist nor fsync() when no page is
 * dirty. An update of the times fails without telling. So what the stock code refuses would seem
 * stable. Later kernels refuse everything (EXT4_FLAGS_SHUTDOWN). The mark that ext4 leaves in its
 * superblock is all that others can see of it. It stays until e2fsck, also where ext4 goes on
 * (errors=continue).
 *
 * Context: may sleep.
 * Return: true also if the superblock is not where it should be; false if it is another file
 * system's.
 */
bool nd_fs_has_error(struct super_block *sb)
{
	struct buffer_head *bh;
	const char *super;
	bool has;

	if (sb->s_magic != EXT4_SUPER_MAGIC)
		return false;
	/* ext4 keeps it in memory, so this reads nothing. */
	bh = sb_find_get_block(sb, EXT4_SUPER_AT >> sb->s_blocksize_bits);
	if (!bh)
		return true;
	super = bh->b_data + (EXT4_SUPER_AT & (sb->s_blocksize - 1));
	has = le16_to_cpup((const __le16 *)(super + EXT4_MAGIC_AT)) != EXT4_SUPER_MAGIC ||
	      le16_to_cpup((const __le16 *)(super + EXT4_STATE_AT)) & EXT4_STATE_ERRORS;
	brelse(bh);
	return has;
}
