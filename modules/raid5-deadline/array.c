// SPDX-License-Identifier: GPL-2.0-only
/*
 * attach.c adds an array to the table under the array's own spinlock. A work item then prepares
 * the array, because that sleeps. The array ends when raid456 frees its data, which is hooked, or
 * when the module is disabled.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched/mm.h>

#include "array.h"
#include "attr.h"
#include "cache.h"
#include "hold.h"
#include "raid456.h"
#include "select.h"
#include "table.h"

/* Bounds of the number of stripes that an array's table has room for. */
#define TABLE_MIN	4096
#define TABLE_MAX	32768
/* How long to wait before the cache is raised further; doubled up to R5D_WORK_DELAY_MAX_MS. */
#define WORK_DELAY_MIN_MS	10U

/* Stop holding, and release all held stripes. May be called twice. */
static void r5d_array_close(struct r5d_array *array)
{
	unsigned int noio;
	bool done;

	lockdep_assert_held(&r5d_registry_mutex);
	/* An unusable array was never prepared, and its device_lock may be no lock. */
	if (!array->mddev)
		return;
	do {
		spin_lock_irq(r456_device_lock(array->conf));
		if (r5d_state(array) == R5D_READY)
			r5d_set_state(array, R5D_CLOSING);
		done = r5d_state(array) != R5D_CLOSING || r5d_release_some(array);
		if (done)
			r5d_set_state(array, R5D_CLOSED);
		spin_unlock_irq(r456_device_lock(array->conf));
		cond_resched();
	} while (!done);
	hrtimer_cancel(&array->timer);
	/* Work that runs now is not queued again: r5d_array_work_later(). */
	if (cancel_delayed_work(&array->work))
		r5d_array_put(array);
	/* As in r5d_array_work(): notifying the watchers of the file allocates memory. */
	noio = memalloc_noio_save();
	r5d_file_remove(array);
	memalloc_noio_restore(noio);
}

static void r5d_array_set_gone(struct r5d_array *array)
{
	lockdep_assert_held(&r5d_registry_mutex);
	r5d_set_state(array, R5D_GONE);
	r5d_array_remove(array);
}

/**
 * r5d_array_detach - end an array, because raid456 is about to free its data
 * @conf: the data
 *
 * Waits until nobody uses the array any more. An array that md has stopped must be gone when
 * mdadm(8) returns: the work of md that deletes its disk is what the next assembly waits for, and
 * a reference of ours would let the disk outlive that.
 *
 * Those who use it wait for no lock that is held here: they try the reconfig_mutex, and end when
 * the array is %R5D_GONE.
 *
 * Context: may sleep; the array's reconfig_mutex is held.
 */
void r5d_array_detach(const struct r5conf *conf)
{
	struct r5d_array *array;

	mutex_lock(&r5d_registry_mutex);
	array = r5d_array_find(conf);
	if (array) {
		kref_get(&array->ref);
		r5d_array_close(array);
		r5d_array_set_gone(array);
	}
	mutex_unlock(&r5d_registry_mutex);
	if (array) {
		r5d_array_wait(array);
		r5d_array_put(array);
	}
}

/* Stripes may be held from now on, unless memory is short. */
static void r5d_array_make_ready(struct r5d_array *array)
{
	int stripes = max(r456_conf_max_stripes(array->conf), r5d_cache_wanted(array));
	int nr = clamp(2 * stripes, TABLE_MIN, TABLE_MAX);

	lockdep_assert_held(&r5d_registry_mutex);
	if (r5d_stripes_create(&array->stripes, nr)) {
		pr_warn("failed to allocate a table of %d stripes for %s (%d): it is not used; free memory, disable and enable\n",
			nr, array->name, -ENOMEM);
		return;
	}
	WRITE_ONCE(array->selected, r5d_is_selected(array->name));
	/* What is set from now on is the user's, also if the module never had to raise it. */
	array->cache_seen = r456_conf_min_stripes(array->conf);
	r5d_file_create(array);
	spin_lock_irq(r456_device_lock(array->conf));
	r5d_set_state(array, R5D_READY);
	spin_unlock_irq(r456_device_lock(array->conf));
}

/* Run the work again later, with its reference. Returns false if the array is being closed. */
static bool r5d_array_work_later(struct r5d_array *array)
{
	unsigned int delay = clamp(2 * array->work_delay, WORK_DELAY_MIN_MS, R5D_WORK_DELAY_MAX_MS);
	bool later;

	if (delay == R5D_WORK_DELAY_MAX_MS && array->work_delay < delay)
		pr_info("%s: stripe cache not raised yet: md is busy, stopping or reshaping it, or it is idle; trying again\n",
			array->name);
	array->work_delay = delay;
	spin_lock_irq(r456_device_lock(array->conf));
	later = r5d_state(array) == R5D_READY;
	if (later)
		r5d_array_queue(array, array->work_delay);
	spin_unlock_irq(r456_device_lock(array->conf));
	return later;
}

/* Is the cache to be raised? If the array was deselected meanwhile, the next need asks again. */
static bool r5d_array_may_raise(struct r5d_array *array)
{
	bool raise;

	spin_lock_irq(r456_device_lock(array->conf));
	array->raise = array->raise && READ_ONCE(array->selected);
	raise = array->raise;
	spin_unlock_irq(r456_device_lock(array->conf));
	return raise;
}

/* The cache is raised, as far as there is memory. A later need may ask again. */
static void r5d_array_raise_done(struct r5d_array *array)
{
	array->work_delay = 0;
	spin_lock_irq(r456_device_lock(array->conf));
	array->raise = false;
	array->raise_after = ktime_get_ns() + (u64)R5D_WORK_DELAY_MAX_MS * NSEC_PER_MSEC;
	spin_unlock_irq(r456_device_lock(array->conf));
}

/*
 * Prepare an array; when it runs again, raise its stripe cache, because it was too small for what
 * is to be held. An array whose own cache is enough keeps it.
 */
void r5d_array_work(struct work_struct *work)
{
	struct r5d_array *array = container_of(to_delayed_work(work), struct r5d_array, work);
	/*
	 * As md does while an array is suspended: reclaim that writes to this array would wait for
	 * md, and md, with the array suspended, for a lock that is taken here.
	 */
	unsigned int noio = memalloc_noio_save();
	bool raise, later;

	mutex_lock(&r5d_registry_mutex);
	raise = r5d_state(array) == R5D_READY && r5d_array_may_raise(array);
	if (r5d_state(array) == R5D_ATTACHED)
		r5d_array_make_ready(array);
	mutex_unlock(&r5d_registry_mutex);
	later = raise && r5d_cache_raise(array);
	memalloc_noio_restore(noio);
	/* Only then: before, the array may have asked for it while this made it ready. */
	if (raise && !later)
		r5d_array_raise_done(array);
	if (!later || !r5d_array_work_later(array))
		r5d_array_put(array);
}

/**
 * r5d_arrays_stop - end all arrays: release their stripes, restore the size of their caches
 *
 * Context: may sleep. The hooks are still registered: without the one of raid5_free() an array's
 * data could be freed meanwhile.
 */
void r5d_arrays_stop(void)
{
	ktime_t end = r5d_cache_lock_deadline();
	struct r5d_array *array;
	int bucket;

	r5d_table_close();
	mutex_lock(&r5d_registry_mutex);
	hash_for_each(r5d_arrays, bucket, array, node)
		r5d_array_close(array);
	mutex_unlock(&r5d_registry_mutex);
	/* A cache that is being raised is not raised further once its array is closed. */
	r5d_table_stop_work();

	for (;;) {
		mutex_lock(&r5d_registry_mutex);
		array = r5d_array_get_any();
		mutex_unlock(&r5d_registry_mutex);
		if (!array)
			break;
		r5d_cache_restore(array, end);
		mutex_lock(&r5d_registry_mutex);
		if (r5d_state(array) != R5D_GONE)
			r5d_array_set_gone(array);
		mutex_unlock(&r5d_registry_mutex);
		r5d_array_put(array);
	}
}
