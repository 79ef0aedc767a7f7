// SPDX-License-Identifier: GPL-2.0-only
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/fs.h>
#include <linux/magic.h>

#include "common/compat/ext4.h"
#include "fs_state.h"

/* ext4's superblock: Documentation/filesystems/ext4/super.rst has its layout. */
#define EXT4_SUPER_AT		1024
#define EXT4_MAGIC_AT		0x38
#define EXT4_STATE_AT		0x3a
#define EXT4_STATE_ERRORS	0x2

static u16 nd_super_field(const struct buffer_head *bh, unsigned int at)
{
	unsigned int super = EXT4_SUPER_AT & (bh->b_size - 1);

	return le16_to_cpu(READ_ONCE(*(const __le16 *)(bh->b_data + super + at)));
}

/**
 * nd_fs_state - whether ext4 has recorded an error in its superblock
 * @sb: a mounted file system
 *
 * After an error for which ext4 stops writing ("Remounting filesystem read-only"), 6.1 refuses to
 * write dirty pages, but neither direct writes of blocks that exist nor fsync() when no page is
 * dirty. An update of the times fails without telling. So what the stock code refuses would seem
 * stable. The mark that ext4 leaves in its superblock is all that others can see. It stays until
 * e2fsck, also where ext4 goes on (errors=continue), and is not made if the device is read-only.
 *
 * Context: any in which a spinlock may be taken.
 */
enum nd_fs_state nd_fs_state(struct super_block *sb)
{
	enum nd_fs_state state = ND_FS_GOOD;
	struct buffer_head *bh;

	if (!COMPAT_EXT4_WRITES_AFTER_ABORT || sb->s_magic != EXT4_SUPER_MAGIC)
		return ND_FS_GOOD;
	if (bdev_read_only(sb->s_bdev))
		return ND_FS_ERROR;
	/* ext4 keeps it in memory, so this reads nothing. */
	bh = sb_find_get_block(sb, EXT4_SUPER_AT >> sb->s_blocksize_bits);
	if (!bh)
		return ND_FS_UNKNOWN;
	if (nd_super_field(bh, EXT4_MAGIC_AT) != EXT4_SUPER_MAGIC)
		state = ND_FS_UNKNOWN;
	else if (nd_super_field(bh, EXT4_STATE_AT) & EXT4_STATE_ERRORS)
		state = ND_FS_ERROR;
	brelse(bh);
	return state;
}
