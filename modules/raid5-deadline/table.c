// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "table.h"

/* By address of raid456's data. Read under RCU, changed under table_lock. */
DEFINE_HASHTABLE(r5d_arrays, 6);
/* Protects changes to r5d_arrays, and closed. Nests in device_lock. */
static DEFINE_SPINLOCK(table_lock);
/*
 * Held while an array is prepared and while it ends, so that raid456 does not free an array that
 * is being prepared. Nests in md's reconfig_mutex.
 */
DEFINE_MUTEX(r5d_registry_mutex);
/* Runs the arrays' work. Exists while the module is enabled. */
static struct workqueue_struct *workqueue;
/* No array is added: the module is disabled, or is being disabled. */
static bool closed = true;

/**
 * r5d_table_open - accept arrays from now on
 *
 * Context: may sleep; no hook is registered yet.
 * Return: 0 or -ENOMEM.
 */
int r5d_table_open(void)
{
	/*
	 * A workqueue of our own, because write-back through an array must not wait for the work
	 * of others. Unbound, because an array must not wait for the lock of another.
	 */
	workqueue = alloc_workqueue(KBUILD_MODNAME, WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!workqueue)
		return -ENOMEM;
	WRITE_ONCE(closed, false);
	return 0;
}

bool r5d_table_is_closed(void)
{
	return READ_ONCE(closed);
}

/* Accepts no more arrays; those in the table stay. */
void r5d_table_close(void)
{
	spin_lock_irq(&table_lock);
	WRITE_ONCE(closed, true);
	spin_unlock_irq(&table_lock);
}

/* Waits for the work of all arrays. The table and the arrays are closed. */
void r5d_table_stop_work(void)
{
	destroy_workqueue(workqueue);
}

/* Select arrays anew, by their names. Context: may sleep. */
void r5d_table_select(bool (*is_selected)(const char *name))
{
	struct r5d_array *array;
	int bucket;

	mutex_lock(&r5d_registry_mutex);
	hash_for_each(r5d_arrays, bucket, array, node)
		WRITE_ONCE(array->selected, is_selected(array->name));
	mutex_unlock(&r5d_registry_mutex);
}

/**
 * r5d_array_queue - queue the work of an array
 * @array: the array, with a reference for the work
 * @ms: when to run it
 *
 * Context: the array's device_lock is held, and the array is not closed.
 */
void r5d_array_queue(struct r5d_array *array, unsigned int ms)
{
	queue_delayed_work(workqueue, &array->work, msecs_to_jiffies(ms));
}

/**
 * r5d_array_queue_raise - have the work of an array raise its cache, unless it was just asked for
 * @array: the array, whose cache is too small for what is to be held
 * @now: time in ns
 *
 * The work is not queued: it has made the array ready, or has ended. If it still runs, it runs
 * again, with a reference of its own.
 *
 * Context: the array's device_lock is held, and the array is ready.
 */
void r5d_array_queue_raise(struct r5d_array *array, u64 now)
{
	if (array->raise || now < array->raise_after)
		return;
	array->raise = true;
	kref_get(&array->ref);
	r5d_array_queue(array, 0);
}

/**
 * r5d_array_add - add an array to the table, and queue its work unless it is unusable
 * @array: the array; the table takes over its reference
 *
 * Context: the array's device_lock is held.
 * Return: false if the table is closed; the array is still the caller's then.
 */
bool r5d_array_add(struct r5d_array *array)
{
	bool added;

	spin_lock(&table_lock);
	added = !closed;
	if (added) {
		hash_add_rcu(r5d_arrays, &array->node, (unsigned long)array->conf);
		if (array->mddev) {
			kref_get(&array->ref);
			r5d_array_queue(array, 0);
		}
	}
	spin_unlock(&table_lock);
	return added;
}

/* Drops the table's reference as well. */
void r5d_array_remove(struct r5d_array *array)
{
	lockdep_assert_held(&r5d_registry_mutex);
	spin_lock_irq(&table_lock);
	hash_del_rcu(&array->node);
	spin_unlock_irq(&table_lock);
	r5d_array_put(array);
}

/**
 * r5d_array_find - find the array of a struct r5conf
 * @conf: its address, which is not followed
 *
 * Context: an RCU read section, to the end of which the array stays valid; or
 * r5d_registry_mutex is held.
 * Return: the array or NULL.
 */
struct r5d_array *r5d_array_find(const struct r5conf *conf)
{
	struct r5d_array *array;

	hash_for_each_possible_rcu(r5d_arrays, array, node, (unsigned long)conf,
				   lockdep_is_held(&r5d_registry_mutex))
		if (array->conf == conf)
			return array;
	return NULL;
}

/* Any array of the table, with a reference, or NULL. */
struct r5d_array *r5d_array_get_any(void)
{
	struct r5d_array *array;
	int bucket;

	lockdep_assert_held(&r5d_registry_mutex);
	hash_for_each(r5d_arrays, bucket, array, node) {
		kref_get(&array->ref);
		return array;
	}
	return NULL;
}

static void r5d_array_destroy(struct kref *ref)
{
	struct r5d_array *array = container_of(ref, struct r5d_array, ref);

	r5d_stripes_destroy(&array->stripes);
	/* kfree_rcu() runs no code of ours, so unload need not wait for it. */
	kfree_rcu(array, rcu);
}

void r5d_array_put(struct r5d_array *array)
{
	struct kref *ref = &array->ref;

	if (kref_put(ref, r5d_array_destroy))
		return;
	/*
	 * Let the waiter see the count, or this see the waiter. The address is all that is used of
	 * an array that is freed meanwhile.
	 */
	smp_mb__after_atomic();
	wake_up_var(ref);
}

/**
 * r5d_array_wait - wait until nobody but the caller has a reference
 * @array: the array, which is %R5D_GONE, so that no new reference is taken
 *
 * Context: may sleep; r5d_registry_mutex is not held.
 */
void r5d_array_wait(struct r5d_array *array)
{
	wait_var_event(&array->ref, kref_read(&array->ref) == 1);
}
