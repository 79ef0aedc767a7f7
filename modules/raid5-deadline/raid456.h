/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accessors of raid456's and md-mod's private structures, with types. The offsets are generated at
 * build time from the types of the raid456 that the module is built for (btf_offsets.py,
 * raid456.list); identity.c compares build-ids before any of this is used.
 *
 * Callers hold r5conf.device_lock, unless said otherwise. Single numbers of struct r5conf and
 * struct mddev are read without it too.
 */
#ifndef RAID5_DEADLINE_RAID456_H
#define RAID5_DEADLINE_RAID456_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "raid456_offsets.h"
#include "stripe.h"

#if PAGE_SIZE != 4096
#error "raid5-deadline is for kernels with 4 KiB pages: others have stripes of variable size"
#endif

struct md_thread;
struct mddev;
struct r5conf;
struct stripe_head;

/* Of raid5.h and md.h. No lock of ours is held. */
int raid5_set_cache_size(struct mddev *mddev, int size);
void mddev_unlock(struct mddev *mddev);

#define R456_FIELD(type, base, where)	((type *)((char *)(base) + RAID456_##where))

static inline struct list_head *r456_sh_lru(struct stripe_head *sh)
{
	return R456_FIELD(struct list_head, sh, stripe_head__lru);
}

static inline struct stripe_head *r456_sh_of_lru(struct list_head *lru)
{
	return (struct stripe_head *)((char *)lru - RAID456_stripe_head__lru);
}

static inline struct r5conf *r456_sh_conf(struct stripe_head *sh)
{
	return *R456_FIELD(struct r5conf *, sh, stripe_head__raid_conf);
}

static inline sector_t r456_sh_sector(struct stripe_head *sh)
{
	return *R456_FIELD(sector_t, sh, stripe_head__sector);
}

static inline unsigned long *r456_sh_state(struct stripe_head *sh)
{
	return R456_FIELD(unsigned long, sh, stripe_head__state);
}

static inline int r456_sh_count(struct stripe_head *sh)
{
	return atomic_read(R456_FIELD(atomic_t, sh, stripe_head__count));
}

static inline int r456_sh_disks(struct stripe_head *sh)
{
	return *R456_FIELD(int, sh, stripe_head__disks);
}

/* A reference holder changes the next two under stripe_head.stripe_lock. */
static inline int r456_sh_overwritten(struct stripe_head *sh)
{
	return READ_ONCE(*R456_FIELD(int, sh, stripe_head__overwrite_disks));
}

static inline bool r456_sh_batched(struct stripe_head *sh)
{
	return READ_ONCE(*R456_FIELD(void *, sh, stripe_head__batch_head));
}

static inline bool r456_sh_is_parity(struct stripe_head *sh, int disk)
{
	return disk == *R456_FIELD(short, sh, stripe_head__pd_idx) ||
	       disk == *R456_FIELD(short, sh, stripe_head__qd_idx);
}

static inline char *r456_sh_dev(struct stripe_head *sh, int disk)
{
	return (char *)sh + RAID456_stripe_head__dev + disk * RAID456_r5dev__SIZE;
}

/* Writes to a disk's page, in order. Only for a stripe without references. */
static inline struct bio *r456_dev_towrite(char *dev)
{
	return *R456_FIELD(struct bio *, dev, r5dev__towrite);
}

/* Writes that raid456 has copied to a disk's page, until they end. Likewise. */
static inline struct bio *r456_dev_written(char *dev)
{
	return *R456_FIELD(struct bio *, dev, r5dev__written);
}

static inline sector_t r456_dev_sector(char *dev)
{
	return *R456_FIELD(sector_t, dev, r5dev__sector);
}

/* The page has the data that are on the disk, or that are about to be written there. */
static inline bool r456_dev_uptodate(char *dev)
{
	return test_bit(RAID456_R5_UPTODATE, R456_FIELD(unsigned long, dev, r5dev__flags));
}

/* Another writer waits until the writes to this page are done. */
static inline bool r456_dev_overlap(char *dev)
{
	return test_bit(RAID456_R5_OVERLAP, R456_FIELD(unsigned long, dev, r5dev__flags));
}

/* The pointer itself, for a read that may fault. */
static inline struct mddev **r456_conf_mddev_at(struct r5conf *conf)
{
	return R456_FIELD(struct mddev *, conf, r5conf__mddev);
}

static inline struct mddev *r456_conf_mddev(struct r5conf *conf)
{
	return *r456_conf_mddev_at(conf);
}

static inline int r456_conf_int(struct r5conf *conf, size_t offset)
{
	return READ_ONCE(*(int *)((char *)conf + offset));
}

static inline int r456_conf_chunk_sectors(struct r5conf *conf)
{
	return r456_conf_int(conf, RAID456_r5conf__chunk_sectors);
}

static inline int r456_conf_level(struct r5conf *conf)
{
	return r456_conf_int(conf, RAID456_r5conf__level);
}

static inline int r456_conf_max_degraded(struct r5conf *conf)
{
	return r456_conf_int(conf, RAID456_r5conf__max_degraded);
}

static inline int r456_conf_raid_disks(struct r5conf *conf)
{
	return r456_conf_int(conf, RAID456_r5conf__raid_disks);
}

/* Stripes in the cache now, and the size that was asked for. */
static inline int r456_conf_max_stripes(struct r5conf *conf)
{
	return r456_conf_int(conf, RAID456_r5conf__max_nr_stripes);
}

static inline int r456_conf_min_stripes(struct r5conf *conf)
{
	return r456_conf_int(conf, RAID456_r5conf__min_nr_stripes);
}

/*
 * The first step of raid5_set_cache_size(), for at most the stripes in the cache. raid456's
 * shrinker may free the stripes above. The array's reconfig_mutex is held.
 */
static inline void r456_conf_set_min_stripes(struct r5conf *conf, int stripes)
{
	WRITE_ONCE(*R456_FIELD(int, conf, r5conf__min_nr_stripes), stripes);
}

static inline bool r456_conf_reshaping(struct r5conf *conf)
{
	sector_t progress = READ_ONCE(*R456_FIELD(sector_t, conf, r5conf__reshape_progress));

	return progress != (sector_t)-1;
}

static inline atomic_t *r456_conf_preread_active(struct r5conf *conf)
{
	return R456_FIELD(atomic_t, conf, r5conf__preread_active_stripes);
}

/* Stripes that are not handled until the above is 0. */
static inline struct list_head *r456_conf_delayed(struct r5conf *conf)
{
	return R456_FIELD(struct list_head, conf, r5conf__delayed_list);
}

/* Stripes that raid5d handles next, unless the array has worker groups: each has a list then. */
static inline struct list_head *r456_conf_handle(struct r5conf *conf)
{
	return R456_FIELD(struct list_head, conf, r5conf__handle_list);
}

static inline bool r456_conf_quiescing(struct r5conf *conf)
{
	return r456_conf_int(conf, RAID456_r5conf__quiesce);
}

static inline int r456_conf_active(struct r5conf *conf)
{
	return atomic_read(R456_FIELD(atomic_t, conf, r5conf__active_stripes));
}

/*
 * A writer waits for a free stripe. R5_INACTIVE_BLOCKED does not tell, because it is one bit for
 * all stripe hash groups: a writer that finds a stripe in another group clears it.
 */
static inline bool r456_has_stripe_waiter(struct r5conf *conf)
{
	/* No barrier: the timer looks every 10 ms, and its next look will do. */
	return waitqueue_active(R456_FIELD(wait_queue_head_t, conf, r5conf__wait_for_stripe));
}

static inline spinlock_t *r456_device_lock(struct r5conf *conf)
{
	return R456_FIELD(spinlock_t, conf, r5conf__device_lock);
}

static inline bool r456_conf_journalled(struct r5conf *conf)
{
	struct mddev *mddev = r456_conf_mddev(conf);
	unsigned long flags = READ_ONCE(*R456_FIELD(unsigned long, mddev, mddev__flags));

	return READ_ONCE(*R456_FIELD(void *, conf, r5conf__log)) ||
	       flags & (BIT(RAID456_MD_HAS_JOURNAL) | BIT(RAID456_MD_HAS_PPL));
}

static inline void *r456_mddev_private(struct mddev *mddev)
{
	return READ_ONCE(*R456_FIELD(void *, mddev, mddev__private));
}

/*
 * mddev_suspend() kills active_io and waits for the I/O in flight. Up to v6.6 it counts
 * mddev.suspended before that, later after it.
 */
static inline bool r456_mddev_suspended(struct mddev *mddev)
{
	struct percpu_ref *active_io = R456_FIELD(struct percpu_ref, mddev, mddev__active_io);

	if (READ_ONCE(*R456_FIELD(int, mddev, mddev__suspended)))
		return true;
	/* It is killed under another lock: if we miss it now, the timer's next tick sees it. */
	return data_race(percpu_ref_is_dying(active_io));
}

/* The pointer itself, for a read that may fault. NULL under dm-raid, without a /sys/block/mdX. */
static inline struct gendisk **r456_mddev_disk_at(struct mddev *mddev)
{
	return R456_FIELD(struct gendisk *, mddev, mddev__gendisk);
}

/* It exists as long as the array has stripes in use. */
static inline struct md_thread **r456_mddev_thread(struct mddev *mddev)
{
	return R456_FIELD(struct md_thread *, mddev, mddev__thread);
}

static inline struct kobject *r456_mddev_kobj(struct mddev *mddev)
{
	return R456_FIELD(struct kobject, mddev, mddev__kobj);
}

static inline int r456_mddev_chunk_sectors(struct mddev *mddev)
{
	return READ_ONCE(*R456_FIELD(int, mddev, mddev__chunk_sectors));
}

static inline int r456_mddev_raid_disks(struct mddev *mddev)
{
	return READ_ONCE(*R456_FIELD(int, mddev, mddev__raid_disks));
}

static inline bool r456_mddev_degraded(struct mddev *mddev)
{
	return READ_ONCE(*R456_FIELD(int, mddev, mddev__degraded));
}

/* No resync or reshape begins: md is stopping the array, or a user has asked for that. */
static inline bool r456_mddev_frozen(struct mddev *mddev)
{
	return test_bit(RAID456_MD_RECOVERY_FROZEN,
			R456_FIELD(unsigned long, mddev, mddev__recovery));
}

/* The superblocks call the array clean. It becomes so with reconfig_mutex held, as a rule. */
static inline bool r456_mddev_in_sync(struct mddev *mddev)
{
	return READ_ONCE(*R456_FIELD(int, mddev, mddev__in_sync));
}

/*
 * md calls it clean right after each write, as from md's part in a reboot on. md_notify_reboot()
 * and md_check_recovery() set this with reconfig_mutex held.
 */
static inline bool r456_mddev_stays_clean(struct mddev *mddev)
{
	return READ_ONCE(*R456_FIELD(unsigned int, mddev, mddev__safemode)) == 2;
}

/*
 * Try to lock an array's reconfig_mutex; mddev_unlock() unlocks it. As md's own mddev_lock(),
 * refuse an array that was stopped for good. With legacy_async_del_gendisk=N the first
 * mddev_unlock() after the stop deletes the array's disk, which is for md to do: so the lock of
 * such an array is unlocked as a plain mutex.
 *
 * Returns 0, -EAGAIN or -ENODEV.
 */
static inline int __must_check r456_mddev_trylock(struct mddev *mddev)
{
	struct mutex *lock = R456_FIELD(struct mutex, mddev, mddev__reconfig_mutex);

	if (!mutex_trylock(lock))
		return -EAGAIN;
	if (!test_bit(RAID456_MD_DELETED, R456_FIELD(unsigned long, mddev, mddev__flags)))
		return 0;
	mutex_unlock(lock);
	return -ENODEV;
}

#endif
