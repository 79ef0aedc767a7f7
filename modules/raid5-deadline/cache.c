// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/stringify.h>

#include "cache.h"
#include "params.h"
#include "r5d.h"
#include "raid456.h"
#include "table.h"
#include "verdict.h"

/* The stripe cache of one array may have 1/32 of all memory, and 1/4 of the available memory. */
#define RAM_PART	32
#define FREE_PART	4
/*
 * The module may add 1/16 of all memory to the caches of all arrays: the kernel cannot have it back
 * while the module is enabled, and begins to write back dirty pages, which it can, at 1/10. So two
 * arrays have what one may have, and many have no more than that.
 */
#define ALL_PART	16
/* Stripes that the cache is raised by at a time, and those of an array that is clean. */
#define RAISE_STEP	64
#define CLEAN_STEP	1024
/* How long to leave md's lock to others between two steps. */
#define STEP_PAUSE_US	500
/* How long to wait for md's lock, and how often to try it. */
#define LOCK_WAIT_MS	5000
#define LOCK_POLL_US	250

/* The kernel cannot shrink a raised cache below its new size: so it gets a part of memory only. */
static unsigned int r5d_spare_memory_mb(void)
{
	unsigned long pages = min_t(unsigned long, totalram_pages() / RAM_PART,
				    max(si_mem_available(), 0L) / FREE_PART);

	return pages >> (20 - PAGE_SHIFT);
}

/**
 * r5d_cache_wanted - how many stripes an array's cache should have
 * @array: the array
 *
 * Return: stripes, within cache_mb and the memory that is available now.
 */
int r5d_cache_wanted(const struct r5d_array *array)
{
	return r5d_cache_stripes(r456_conf_chunk_sectors(array->conf),
				 r456_conf_raid_disks(array->conf),
				 min(READ_ONCE(r5d_cache_mb.value), r5d_spare_memory_mb()));
}

/* Until when to wait for md's lock, of one array or of several. */
ktime_t r5d_cache_lock_deadline(void)
{
	return ktime_add_ms(ktime_get(), LOCK_WAIT_MS);
}

/*
 * md holds its reconfig_mutex while it writes superblocks: for ever, if a disk does not answer.
 * Disabling the module must not wait that long. md also holds it while it stops the array, and
 * waits for us then: r5d_array_detach().
 */
static int __must_check r5d_lock_for_change(struct r5d_array *array, ktime_t end)
{
	int err;

	for (;;) {
		if (r5d_state(array) == R5D_GONE)
			return -ENODEV;
		err = r456_mddev_trylock(array->mddev);
		if (err != -EAGAIN || ktime_after(ktime_get(), end))
			return err;
		usleep_range(LOCK_POLL_US, 2 * LOCK_POLL_US);
	}
}

/* May the cache be raised now? md's lock is held, so that the answer stays the same. */
static bool r5d_may_raise(const struct r5d_array *array)
{
	/*
	 * Frozen: md is stopping the array, or mdadm is about to reshape it. Clean for good: the
	 * machine is being rebooted. raid5_set_cache_size() would write superblocks that call the
	 * array active, and nobody might be there to call it clean again. Nor is an array made
	 * active long after its last write: a disk that does not answer then would hold up disable.
	 */
	if (r456_mddev_frozen(array->mddev) || r456_mddev_stays_clean(array->mddev) ||
	    r456_conf_reshaping(array->conf))
		return false;
	return array->work_delay < R5D_WORK_DELAY_MAX_MS || !r456_mddev_in_sync(array->mddev);
}

/* Stripes to add in a step. In a clean array each step has superblocks written, twice. */
static int r5d_step_stripes(const struct r5d_array *array)
{
	return r456_mddev_in_sync(array->mddev) ? CLEAN_STEP : RAISE_STEP;
}

/*
 * How many stripes the next step is to make: odd at each step, because the one after it may fail,
 * see r5d_cache_stripes(). What raid456 added by itself counts, because a smaller size would free
 * it. The shrinker may have left fewer than the minimum.
 */
static int r5d_cache_next(const struct r5d_array *array)
{
	int before = r456_conf_min_stripes(array->conf);
	int have = max(r456_conf_max_stripes(array->conf), before);
	int next = min(r5d_cache_wanted(array), have + r5d_step_stripes(array));

	return max((next - 1) | 1, before);
}

/*
 * What the cache of an array of the table takes. Once somebody else has set its size, that is not
 * ours any more. An unusable array has none, and its conf may not be read.
 */
static u64 r5d_cache_share(const struct r5d_array *array)
{
	lockdep_assert_held(&r5d_registry_mutex);
	if (!array->mddev || (!array->cache_grows &&
			      r456_conf_min_stripes(array->conf) != READ_ONCE(array->cache_set)))
		return 0;
	return array->cache_bytes;
}

/*
 * Take memory for the next step. Arrays that have left the table have none. Nobody takes memory
 * between another's look at what is taken, and its taking some. md's lock is not held: the holder
 * of the registry's lock may wait for memory, and a write that frees memory may wait for md to
 * write superblocks under its lock. Returns how many stripes there is memory for.
 */
static int r5d_cache_take(struct r5d_array *array)
{
	u64 all = (u64)(totalram_pages() / ALL_PART) << PAGE_SHIFT, taken = 0;
	int disks = r456_conf_raid_disks(array->conf);
	struct r5d_array *other;
	int bucket, before, want;

	mutex_lock(&r5d_registry_mutex);
	before = array->cache_before ?: r456_conf_min_stripes(array->conf);
	want = r5d_cache_next(array);
	hash_for_each(r5d_arrays, bucket, other, node)
		if (other != array)
			taken += r5d_cache_share(other);
	want = r5d_cache_within(before, want, disks, all, taken);
	/* A user may lower the size at any time. */
	array->cache_bytes = (u64)max(want - before, 0) * r5d_stripe_bytes(disks);
	array->cache_grows = true;
	mutex_unlock(&r5d_registry_mutex);
	return want;
}

/* Give back what was taken and not used. */
static void r5d_cache_took(struct r5d_array *array)
{
	mutex_lock(&r5d_registry_mutex);
	array->cache_bytes = (u64)(array->cache_set - array->cache_before) *
			     r5d_stripe_bytes(r456_conf_raid_disks(array->conf));
	array->cache_grows = false;
	mutex_unlock(&r5d_registry_mutex);
}

/* Somebody else has set the size since the array was made ready, or since the last step. */
static bool r5d_cache_is_users(const struct r5d_array *array)
{
	return array->cache_seen != r456_conf_min_stripes(array->conf);
}

/* Is there nothing to raise? Needs no lock of md. */
static bool r5d_cache_done(const struct r5d_array *array)
{
	return r5d_cache_wanted(array) <= r456_conf_min_stripes(array->conf) ||
	       r456_conf_journalled(array->conf) || r5d_cache_is_users(array);
}

static void r5d_cache_log_raised(struct r5d_array *array)
{
	int logged = array->cache_logged ?: array->cache_before;

	if (array->cache_set <= logged || r5d_cache_is_users(array))
		return;
	array->cache_logged = array->cache_set;
	pr_info("%s: stripe cache raised from %d to %d\n", array->name, logged, array->cache_set);
}

/* Logs each reason once, until there is another. */
static void r5d_cache_short(struct r5d_array *array, int want, const char *why)
{
	if (array->cache_short == why)
		return;
	array->cache_short = why;
	pr_info("%s: stripe cache not raised to %d: %s; it has %d; trying again when it is too small\n",
		array->name, want, why, r456_conf_min_stripes(array->conf));
}

/*
 * Raise the cache to @taken stripes, for which memory was taken, or fewer. md's lock is held.
 * Returns 0 if that was the last step, 1 if there are more, or a negative errno.
 */
static int r5d_cache_step(struct r5d_array *array, int taken)
{
	int want = r5d_cache_wanted(array);
	int before = r456_conf_min_stripes(array->conf);
	/* A step may be smaller now: memory is shorter, or the array is active. */
	int next = min(taken, r5d_cache_next(array));
	int err = 0;

	if (r5d_cache_done(array))
		return 0;
	/* Those that it has are allocated: only keep the shrinker from freeing them. */
	if (next > before && next <= r456_conf_max_stripes(array->conf))
		r456_conf_set_min_stripes(array->conf, next);
	else if (next > before)
		err = raid5_set_cache_size(array->mddev, next);
	if (!array->cache_before && r456_conf_min_stripes(array->conf) > before)
		WRITE_ONCE(array->cache_before, before);
	if (array->cache_before)
		WRITE_ONCE(array->cache_set, r456_conf_min_stripes(array->conf));
	array->cache_seen = r456_conf_min_stripes(array->conf);
	/* Other arrays have the rest of the memory. */
	if (taken <= before) {
		r5d_cache_short(array, want, "those of all arrays have 1/" __stringify(ALL_PART)
				" of the memory");
		return 0;
	}
	if (err)
		r5d_cache_short(array, want, "md cannot allocate the stripes, lower cache_mb");
	return err ?: want > r456_conf_min_stripes(array->conf);
}

/*
 * As r5d_cache_step(), with md's lock, if it is free: -EAGAIN if it is not, or if the array may not
 * be raised now, -ENODEV if the array is being stopped or closed.
 */
static int r5d_cache_locked_step(struct r5d_array *array, int taken)
{
	int more = r456_mddev_trylock(array->mddev);

	if (more)
		return more;
	if (r5d_state(array) >= R5D_CLOSED)
		more = -ENODEV;
	else if (!r5d_may_raise(array))
		more = -EAGAIN;
	else
		more = r5d_cache_step(array, taken);
	mddev_unlock(array->mddev);
	return more;
}

/**
 * r5d_cache_raise - raise the stripe cache to r5d_cache_wanted(), as far as md allows it now
 * @array: the array, which is ready
 *
 * In steps, because another array or user may take the memory meanwhile, and because mdadm waits
 * for md's lock when it stops the array. At a reboot md does not even wait: an array whose lock it
 * does not get at once stays active, and is resynced after the boot. So the lock is held for a
 * step, and left to others for longer than that.
 *
 * If the array is closed meanwhile, r5d_cache_restore() follows. If it is raised in part, the next
 * need asks again: r5d_array_queue_raise().
 *
 * Context: may sleep; no lock is held. md's is not waited for.
 * Return: true if it has to be called again later.
 */
bool r5d_cache_raise(struct r5d_array *array)
{
	int more = !r5d_cache_done(array);

	while (more > 0) {
		more = r5d_cache_locked_step(array, r5d_cache_take(array));
		r5d_cache_took(array);
		if (more == -EAGAIN || more == -ENODEV)
			return more == -EAGAIN;
		array->work_delay = 0;
		if (more > 0)
			usleep_range(STEP_PAUSE_US, 2 * STEP_PAUSE_US);
	}
	r5d_cache_log_raised(array);
	return false;
}

/**
 * r5d_cache_restore - undo r5d_cache_raise(), unless the size has been changed since
 * @array: the array, which is closed
 * @end: how long to wait for md's lock
 *
 * During a reshape the size stays: a reshape needs stripes for four chunks, and mdadm found enough
 * when it began. It has frozen the array before that.
 *
 * This frees no stripe: raid5_set_cache_size() would write the superblocks of a clean array. The
 * shrinker frees the stripes above the size when memory is short.
 *
 * Context: may sleep.
 */
void r5d_cache_restore(struct r5d_array *array, ktime_t end)
{
	int err;

	if (!array->cache_before)
		return;
	err = r5d_lock_for_change(array, end);
	/* Not the size now: without the lock raid456 may have freed it. */
	if (err == -EAGAIN)
		pr_warn("failed to restore the stripe cache of %s: it stays at %d, was %d: md is busy (%d); does each disk answer?\n",
			array->name, array->cache_set, array->cache_before, err);
	if (err)
		return;
	if (r5d_state(array) != R5D_GONE &&
	    r456_conf_min_stripes(array->conf) == array->cache_set) {
		if (r456_conf_reshaping(array->conf) || r456_mddev_frozen(array->mddev))
			pr_info("%s: stripe cache stays at %d: the array is being reshaped, or is frozen\n",
				array->name, array->cache_set);
		else
			r456_conf_set_min_stripes(array->conf, array->cache_before);
	}
	WRITE_ONCE(array->cache_before, 0);
	mddev_unlock(array->mddev);
}
