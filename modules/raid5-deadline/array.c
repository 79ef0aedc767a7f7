// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arrays come and go. One is met when it first releases a stripe, under its own
 * spinlock; what needs to sleep is done by a work item then. It ends when raid456
 * frees its data, which is hooked, or when the module is disabled.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "array.h"
#include "common/compat/hrtimer.h"
#include "invariant.h"
#include "params.h"
#include "raid456.h"
#include "verdict.h"

/* Stripes to keep something about, at least and at most. */
#define TABLE_MIN	4096
#define TABLE_MAX	32768
/* Of all memory, and of what is free, as much as this part may become the cache of one array. */
#define RAM_PART	32
#define FREE_PART	4
/* Stripes that a cache is raised by at a time: in between it is looked at what is free. */
#define RAISE_STEP	256
/* How long to wait for md's lock, of one array or of all, ms, and how often to ask, us. */
#define LOCK_WAIT_MS	5000
#define LOCK_POLL_US	250

/* By address of raid456's data. Read under RCU, changed under table_lock. */
static DEFINE_HASHTABLE(arrays, 6);
/* Protects changes to arrays, and closing. Nests in device_lock. */
static DEFINE_SPINLOCK(table_lock);
/*
 * Held over making an array ready and over its end, so that raid456 does not free
 * what is being set up. Nests in md's reconfig_mutex.
 */
static DEFINE_MUTEX(registry_mutex);
/* Makes arrays ready. Exists while enabled. */
static struct workqueue_struct *workqueue;
/* No more arrays are met: the module is being disabled, or is. */
static bool closing = true;

static void r5d_array_destroy(struct kref *ref)
{
	struct r5d_array *array = container_of(ref, struct r5d_array, ref);

	r5d_stripes_destroy(&array->stripes);
	if (array->mddev)
		kobject_put(r456_mddev_kobj(array->mddev));
	kfree_rcu(array, rcu);
}

static void r5d_array_put(struct r5d_array *array)
{
	kref_put(&array->ref, r5d_array_destroy);
}

/**
 * r5d_array_find - the array of a struct r5conf
 * @conf: its address; not looked into
 *
 * Context: an RCU read section, to the end of which the result is good; or under
 * registry_mutex.
 * Return: the array or NULL.
 */
struct r5d_array *r5d_array_find(const struct r5conf *conf)
{
	struct r5d_array *array;

	hash_for_each_possible_rcu(arrays, array, node, (unsigned long)conf,
				   lockdep_is_held(&registry_mutex))
		if (array->conf == conf)
			return array;
	return NULL;
}

/* Stop holding, let everything go. Idempotent. */
static void r5d_array_close(struct r5d_array *array)
{
	unsigned int noio;
	bool done;

	lockdep_assert_held(&registry_mutex);
	/* Left alone: nothing was begun, and what we would take for its lock may be none. */
	if (!array->mddev)
		return;
	do {
		spin_lock_irq(r456_device_lock(array->conf));
		array->closing = true;
		done = !array->ready || array->closed || r5d_release_some(array);
		if (done)
			WRITE_ONCE(array->closed, true);
		spin_unlock_irq(r456_device_lock(array->conf));
		cond_resched();
	} while (!done);
	hrtimer_cancel(&array->timer);
	/* As in r5d_array_work(): whoever watches the files is told, and that takes memory. */
	noio = memalloc_noio_save();
	r5d_files_remove(array);
	memalloc_noio_restore(noio);
}

static void r5d_array_remove(struct r5d_array *array)
{
	lockdep_assert_held(&registry_mutex);
	array->gone = true;
	spin_lock_irq(&table_lock);
	hash_del_rcu(&array->node);
	spin_unlock_irq(&table_lock);
	r5d_array_put(array);
}

/**
 * r5d_array_detach - raid456 is about to free an array's data
 * @conf: the data
 *
 * Context: may sleep; md's lock for changes to the array is held.
 */
void r5d_array_detach(const struct r5conf *conf)
{
	struct r5d_array *array;

	mutex_lock(&registry_mutex);
	array = r5d_array_find(conf);
	if (array) {
		r5d_array_close(array);
		/* md deletes the array's disk when it has the last reference. */
		if (cancel_work(&array->work))
			r5d_array_put(array);
		r5d_array_remove(array);
	}
	mutex_unlock(&registry_mutex);
}

/* What is raised cannot be taken back by the kernel: no more than a part of its memory, MiB. */
static unsigned int spare_memory_mb(void)
{
	unsigned long pages = min_t(unsigned long, totalram_pages() / RAM_PART,
				    max(si_mem_available(), 0L) / FREE_PART);

	return pages >> (20 - PAGE_SHIFT);
}

static int r5d_cache_wanted(const struct r5d_array *array)
{
	return r5d_cache_stripes(r456_conf_chunk_sectors(array->conf), r456_conf_raid_disks(array->conf),
				 min(r5d_cache_mb(), spare_memory_mb()));
}

static ktime_t md_lock_deadline(void)
{
	return ktime_add_ms(ktime_get(), LOCK_WAIT_MS);
}

/*
 * md's lock for changes, which is held while superblocks are written: for ever, if a disk does not
 * answer. Who disables the module must not wait so long.
 */
static int __must_check r5d_lock_for_change(struct r5d_array *array, ktime_t end)
{
	int err;

	for (;;) {
		err = r456_mddev_trylock(array->mddev);
		if (err != -EAGAIN || ktime_after(ktime_get(), end))
			return err;
		usleep_range(LOCK_POLL_US, 2 * LOCK_POLL_US);
	}
}

/*
 * Step by step, as other arrays may be met at the same time, or something else may take the memory;
 * should this array be closed meanwhile, what was raised is put back after this work item.
 */
static int r5d_cache_raise_steps(struct r5d_array *array)
{
	while (!READ_ONCE(array->closed)) {
		int want = r5d_cache_wanted(array);
		/* With what the kernel has added by itself: a smaller size would take it away. */
		int have = r456_conf_max_stripes(array->conf);
		int err;

		if (want <= r456_conf_min_stripes(array->conf))
			break;
		if (want <= have) {
			/* Nothing to allocate; it is only not to be freed again. */
			r456_conf_set_min_stripes(array->conf, want);
			break;
		}
		err = raid5_set_cache_size(array->mddev, min(want, have + RAISE_STEP));
		if (err)
			return err;
	}
	return 0;
}

/* Raise the stripe cache to what the geometry asks for, within the bound. */
static void r5d_cache_raise(struct r5d_array *array)
{
	int err = r5d_lock_for_change(array, md_lock_deadline());
	int before;

	if (err == -EAGAIN)
		pr_warn("%s: stripe cache not raised: md is busy, with a disk that does not answer perhaps\n",
			array->name);
	if (err)
		return;
	if (array->gone || r456_conf_journalled(array->conf) || r456_conf_reshaping(array->conf))
		goto unlock;
	before = r456_conf_min_stripes(array->conf);
	err = r5d_cache_raise_steps(array);
	if (err)
		pr_info("%s: no memory for a stripe cache of %d, it has %d\n", array->name,
			r5d_cache_wanted(array), r456_conf_min_stripes(array->conf));
	if (r456_conf_min_stripes(array->conf) <= before)
		goto unlock;
	WRITE_ONCE(array->cache_before, before);
	WRITE_ONCE(array->cache_set, r456_conf_min_stripes(array->conf));
	pr_info("%s: stripe cache raised from %d to %d\n", array->name, before, array->cache_set);
unlock:
	mddev_unlock(array->mddev);
}

/*
 * Put the size back, unless the user or mdadm has changed it since. A reshape needs
 * stripes for four chunks: mdadm found enough when it began, and they must stay.
 *
 * No stripe is dropped here: raid5_set_cache_size() would write the superblocks of an array that
 * is clean.
 */
static void r5d_cache_restore(struct r5d_array *array, ktime_t end)
{
	int err;

	if (!array->cache_before)
		return;
	err = r5d_lock_for_change(array, end);
	/* What it is now is not looked at: raid456 may have freed that. */
	if (err == -EAGAIN)
		pr_warn("%s: stripe cache left at %d, it was %d: md is busy, with a disk that does not answer perhaps\n",
			array->name, array->cache_set, array->cache_before);
	if (err)
		return;
	if (!array->gone && r456_conf_min_stripes(array->conf) == array->cache_set) {
		if (r456_conf_reshaping(array->conf))
			pr_info("%s: stripe cache left at %d: the array is being reshaped\n",
				array->name, array->cache_set);
		else
			r456_conf_set_min_stripes(array->conf, array->cache_before);
	}
	WRITE_ONCE(array->cache_before, 0);
	mddev_unlock(array->mddev);
}

static void r5d_array_make_ready(struct r5d_array *array)
{
	int stripes = max(r456_conf_max_stripes(array->conf), r5d_cache_wanted(array));
	int nr = clamp(2 * stripes, TABLE_MIN, TABLE_MAX);

	lockdep_assert_held(&registry_mutex);
	if (r5d_stripes_create(&array->stripes, nr)) {
		pr_warn("%s: left alone: no memory for %d stripes (%d); free some, disable and enable\n",
			array->name, nr, -ENOMEM);
		return;
	}
	r5d_files_create(array);
	spin_lock_irq(r456_device_lock(array->conf));
	array->ready = true;
	spin_unlock_irq(r456_device_lock(array->conf));
}

static void r5d_array_work(struct work_struct *work)
{
	struct r5d_array *array = container_of(work, struct r5d_array, work);
	/*
	 * As md does where it has the array suspended: memory that is got by writing to this
	 * array would not come while md, suspended, waits for one of the locks taken here.
	 */
	unsigned int noio = memalloc_noio_save();

	mutex_lock(&registry_mutex);
	if (!array->closed)
		r5d_array_make_ready(array);
	mutex_unlock(&registry_mutex);
	if (array->ready)
		r5d_cache_raise(array);
	memalloc_noio_restore(noio);
	r5d_array_put(array);
}

/*
 * The way from raid456's data to md's and to the disk, which leads back to md's. Were an offset
 * wrong, it could lead anywhere, so no step of it may fault. Returns whether it leads back.
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
	struct r5d_layout_sample facts = {
		.stripe_of_array = r456_sh_conf(sh) == conf,
		.private_is_array = r456_mddev_private(mddev) == conf,
		/* By r5d_find_disk(). */
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

	return r5d_broken_invariant(&facts);
}

/* Whether a stripe, of an array that has passed the above, has something to be written. */
static bool has_writes(struct stripe_head *sh)
{
	int i;

	for (i = r456_sh_disks(sh); i-- > 0;)
		if (!r456_sh_is_parity(sh, i) && r456_dev_towrite(r456_sh_dev(sh, i)))
			return true;
	return false;
}

/**
 * r5d_array_attach - an array that is not known yet has released a stripe
 * @conf: raid456's data of it
 * @sh: the stripe, without references and on no list
 *
 * Context: under the array's device_lock. What cannot be had here is tried
 * again at its next stripe.
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
	 * In the midst of a reshape, or while raid456 sets it up, which ends before the
	 * first stripe with work to do: not now. Nor while arrays are being forgotten.
	 */
	if (READ_ONCE(closing) || r456_conf_reshaping(conf) ||
	    !test_bit(RAID456_STRIPE_HANDLE, r456_sh_state(sh)))
		return;
	found = r5d_find_disk(conf, &mddev, &disk);
	/* Under dm-raid, which has no disk of md's. */
	if (found && !disk) {
		stats_add(&r5d_stats, R5D_C_LEFT_DM, 1);
		return;
	}
	/* A reshape ends in raid456 first, and in md when its thread is reaped. */
	if (found && (r456_conf_chunk_sectors(conf) != r456_mddev_chunk_sectors(mddev) ||
		      r456_conf_raid_disks(conf) != r456_mddev_raid_disks(mddev))) {
		pr_info_once("%s is left alone until md and raid456 agree on its geometry\n",
			     disk->disk_name);
		return;
	}
	broken = found ? r5d_check_layout(conf, mddev, sh) : r5d_broken_invariant(&broken_link);
	/* What is only read, checked or rebuilt is left as it is. */
	if (!broken && !has_writes(sh))
		return;
	array = kzalloc(sizeof(*array), GFP_ATOMIC | __GFP_NOWARN);
	if (!array)
		return;
	array->conf = conf;
	array->mddev = broken ? NULL : mddev;
	array->setting = R5D_DEFAULT;
	strscpy(array->name, found ? disk->disk_name : "?", sizeof(array->name));
	kref_init(&array->ref);
	INIT_WORK(&array->work, r5d_array_work);
	INIT_LIST_HEAD(&array->held_lru);
	INIT_LIST_HEAD(&array->stripes.held);
	compat_hrtimer_setup(&array->timer, r5d_timer_expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	r5d_predict_init(&array->predictor);

	spin_lock(&table_lock);
	if (closing) {
		spin_unlock(&table_lock);
		kfree(array);
		return;
	}
	hash_add_rcu(arrays, &array->node, (unsigned long)conf);
	if (!broken) {
		kobject_get(r456_mddev_kobj(mddev));
		kref_get(&array->ref);
		queue_work(workqueue, &array->work);
	}
	spin_unlock(&table_lock);
	if (broken)
		pr_err("array %s is left alone: %s; please report this with the output of uname -a\n",
		       array->name, broken);
}

/**
 * r5d_arrays_start - begin to meet arrays
 *
 * Context: may sleep; no hook is in place yet.
 * Return: 0 or -ENOMEM.
 */
int r5d_arrays_start(void)
{
	/*
	 * A thread of its own: writing back through an array must not wait for others' work. Nor
	 * does one array wait for the lock of another.
	 */
	workqueue = alloc_workqueue(KBUILD_MODNAME, WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!workqueue)
		return -ENOMEM;
	WRITE_ONCE(closing, false);
	return 0;
}

static struct r5d_array *first_array(void)
{
	struct r5d_array *array;
	int bucket;

	hash_for_each(arrays, bucket, array, node) {
		kref_get(&array->ref);
		return array;
	}
	return NULL;
}

/**
 * r5d_arrays_stop - let all stripes go, put the caches back and forget the arrays
 *
 * Context: may sleep. The hooks are still in place: without the one on raid5_free()
 * an array's data could go away meanwhile.
 */
void r5d_arrays_stop(void)
{
	ktime_t end = md_lock_deadline();
	struct r5d_array *array;
	int bucket;

	spin_lock_irq(&table_lock);
	WRITE_ONCE(closing, true);
	spin_unlock_irq(&table_lock);

	mutex_lock(&registry_mutex);
	hash_for_each(arrays, bucket, array, node)
		r5d_array_close(array);
	mutex_unlock(&registry_mutex);
	/* A cache that is being raised is not raised further. */
	destroy_workqueue(workqueue);

	for (;;) {
		mutex_lock(&registry_mutex);
		array = first_array();
		mutex_unlock(&registry_mutex);
		if (!array)
			break;
		r5d_cache_restore(array, end);
		mutex_lock(&registry_mutex);
		if (!array->gone)
			r5d_array_remove(array);
		mutex_unlock(&registry_mutex);
		r5d_array_put(array);
	}
	/* What kfree_rcu() frees is no code of ours; readers of the table are under locks. */
}
