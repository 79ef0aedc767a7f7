// SPDX-License-Identifier: GPL-2.0-only
/* An array is attached at its first stripe with writes, once its layout has been checked. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "array.h"
#include "attach.h"
#include "common/compat/hrtimer.h"
#include "hold.h"
#include "invariant.h"
#include "params.h"
#include "raid456.h"
#include "table.h"

/*
 * Follow the pointers from raid456's data to md's, to the disk, and back to md's. With a wrong
 * offset they lead anywhere, so no read may fault. Returns whether they lead back.
 */
static bool r5d_find_disk(struct r5conf *conf, struct mddev **mddev, struct gendisk **disk)
{
	void *owner;

	if (get_kernel_nofault(*mddev, r456_conf_mddev_at(conf)) ||
	    get_kernel_nofault(*disk, r456_mddev_disk_at(*mddev)))
		return false;
	return !*disk ||
	       (!get_kernel_nofault(owner, &(*disk)->private_data) && owner == *mddev);
}

static const char *r5d_check_layout(struct r5conf *conf, struct mddev *mddev,
				    struct stripe_head *sh)
{
	struct r5d_layout_sample sample = {
		.stripe_of_array = r456_sh_conf(sh) == conf,
		.private_is_array = r456_mddev_private(mddev) == conf,
		/* r5d_find_disk() found it so. */
		.array_of_disk = true,
		.locked = !IS_ENABLED(CONFIG_SMP) || spin_is_locked(r456_device_lock(conf)),
		.unlisted = list_empty(r456_sh_lru(sh)),
		.count = r456_sh_count(sh),
		.level = r456_conf_level(conf),
		.max_degraded = r456_conf_max_degraded(conf),
		.raid_disks = r456_conf_raid_disks(conf),
		.md_disks = r456_mddev_raid_disks(mddev),
		.stripe_disks = r456_sh_disks(sh),
		.chunk = r456_conf_chunk_sectors(conf),
		.md_chunk = r456_mddev_chunk_sectors(mddev),
		.active = r456_conf_active(conf),
		.max = r456_conf_max_stripes(conf),
		.min = r456_conf_min_stripes(conf),
		.sector = r456_sh_sector(sh),
	};

	return r5d_broken_invariant(&sample);
}

/* Has this stripe writes? Its array has passed the check above. */
static bool r5d_has_writes(struct stripe_head *sh)
{
	int i;

	for (i = r456_sh_disks(sh); i-- > 0;)
		if (!r456_sh_is_parity(sh, i) && r456_dev_towrite(r456_sh_dev(sh, i)))
			return true;
	return false;
}

/* Without @mddev the array is unusable: it is in the table only to be checked once. */
static struct r5d_array *r5d_array_alloc(struct r5conf *conf, struct mddev *mddev,
					 const char *name)
{
	struct r5d_array *array = kzalloc(sizeof(*array), GFP_ATOMIC | __GFP_NOWARN);

	if (!array)
		return NULL;
	array->conf = conf;
	array->mddev = mddev;
	array->setting = R5D_DEFAULT;
	array->order_until = jiffies;
	strscpy(array->name, name, sizeof(array->name));
	kref_init(&array->ref);
	INIT_DELAYED_WORK(&array->work, r5d_array_work);
	INIT_LIST_HEAD(&array->held_lru);
	r5d_stripes_init(&array->stripes);
	compat_hrtimer_setup(&array->timer, r5d_timer_expired, CLOCK_MONOTONIC,
			     HRTIMER_MODE_ABS_SOFT);
	r5d_predict_init(&array->predictor);
	return array;
}

/**
 * r5d_array_attach - attach an array that is not in the table and has released a stripe
 * @conf: raid456's data of it
 * @sh: the stripe, without references and on no list
 *
 * Does nothing where memory is short, or where the array cannot be attached yet: the array's
 * next stripe tries again.
 *
 * Context: the array's device_lock is held.
 */
void r5d_array_attach(struct r5conf *conf, struct stripe_head *sh)
{
	struct r5d_layout_sample broken_link = { .stripe_of_array = true };
	struct r5d_array *array;
	struct gendisk *disk;
	struct mddev *mddev;
	const char *broken;
	bool found;

	/*
	 * Not during a reshape; nor while raid456 sets the array up, which ends before the first
	 * stripe with work to do.
	 */
	if (r5d_table_is_closed() || !test_bit(RAID456_STRIPE_HANDLE, r456_sh_state(sh)))
		return;
	if (r456_conf_reshaping(conf)) {
		stats_add(&r5d_stats, R5D_C_LEFT_RESHAPE, 1);
		return;
	}
	found = r5d_find_disk(conf, &mddev, &disk);
	/* An array of dm-raid has no disk of md. */
	if (found && !disk) {
		stats_add(&r5d_stats, R5D_C_LEFT_DM, 1);
		return;
	}
	/*
	 * A reshape ends in raid456 first, and in md when md's thread for it is reaped. A stripe
	 * of the former geometry may be released even later.
	 */
	if (found && (r456_conf_chunk_sectors(conf) != r456_mddev_chunk_sectors(mddev) ||
		      r456_conf_raid_disks(conf) != r456_mddev_raid_disks(mddev) ||
		      r456_conf_raid_disks(conf) != r456_sh_disks(sh))) {
		pr_info_once("%s is not attached until md and raid456 agree on its geometry\n",
			     disk->disk_name);
		return;
	}
	broken = found ? r5d_check_layout(conf, mddev, sh) : r5d_broken_invariant(&broken_link);
	/* Arrays that are only read, checked or rebuilt are not attached. */
	if (!broken && !r5d_has_writes(sh))
		return;
	array = r5d_array_alloc(conf, broken ? NULL : mddev, found ? disk->disk_name : "?");
	if (!array)
		return;
	if (!r5d_array_add(array)) {
		kfree(array);
		return;
	}
	if (broken)
		pr_err("unsupported array %s: %s; please report this with the output of uname -a\n",
		       array->name, broken);
}
