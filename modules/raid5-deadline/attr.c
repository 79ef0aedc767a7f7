// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/block/mdX/md/stripe_deadline, and a file of counters of all arrays in debugfs.
 *
 * md holds reconfig_mutex while raid5_free(), which is hooked, removes the first: so its functions
 * take no lock of md.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "attr.h"
#include "common/read_racy.h"
#include "inspect.h"
#include "learn.h"
#include "params.h"
#include "raid456.h"
#include "table.h"

/* struct md_sysfs_entry: md casts its attributes to this. */
struct md_entry {
	struct attribute attr;
	ssize_t (*show)(struct mddev *mddev, char *page);
	ssize_t (*store)(struct mddev *mddev, const char *page, size_t len);
};

static_assert(offsetof(struct md_entry, attr) == RAID456_md_sysfs_entry__attr);
static_assert(offsetof(struct md_entry, show) == RAID456_md_sysfs_entry__show);
static_assert(offsetof(struct md_entry, store) == RAID456_md_sysfs_entry__store);

static ssize_t r5d_deadline_show(struct mddev *mddev, char *page)
{
	const struct r5d_array *array;
	unsigned int setting;

	rcu_read_lock();
	array = r5d_array_find(r456_mddev_private(mddev));
	setting = array ? READ_ONCE(array->setting) : R5D_DEFAULT;
	rcu_read_unlock();
	if (setting == R5D_DEFAULT)
		setting = READ_ONCE(r5d_deadline.value);
	return param_range_print(&r5d_deadline, setting, page);
}

static ssize_t r5d_deadline_store(struct mddev *mddev, const char *page, size_t len)
{
	struct r5d_array *array;
	unsigned int setting;

	if (param_range_parse(&r5d_deadline, page, &setting)) {
		pr_warn("stripe_deadline: \"%.*s\" is not in 0..%u ms, nor auto (-EINVAL)\n",
			param_shown(page), page, r5d_deadline.max);
		return -EINVAL;
	}
	rcu_read_lock();
	array = r5d_array_find(r456_mddev_private(mddev));
	if (array)
		WRITE_ONCE(array->setting, setting);
	rcu_read_unlock();
	return array ? len : -ENODEV;
}

static const struct md_entry deadline_entry = {
	.attr = { .name = "stripe_deadline", .mode = 0644 },
	.show = r5d_deadline_show,
	.store = r5d_deadline_store,
};

/* A line for each: "md0 NAME VALUE". */
static void r5d_show_counters(struct seq_file *m, const struct r5d_array *array)
{
	/* The race is harmless, as those of READ_RACY(): any value of the moment will do. */
	u64 deadline = data_race(r5d_deadline_ns(array, false));
	const struct r5d_times *times = &array->predictor.times;
	const char *name = array->name;
	int i;

	for (i = 0; i < R5D_C_NR; i++)
		seq_printf(m, "%s %s %llu\n", name, r5d_counter_names[i],
			   READ_RACY(array->count[i]));
	seq_printf(m, "%s deadline_us %llu\n", name, deadline / NSEC_PER_USEC);
	seq_printf(m, "%s learned_us %llu\n", name, READ_RACY(times->fill_ns) / NSEC_PER_USEC);
	seq_printf(m, "%s service_us %llu\n", name, READ_RACY(times->service_ns) / NSEC_PER_USEC);
	seq_printf(m, "%s trust_percent %u\n", name,
		   r5d_trust_percent(READ_RACY(array->predictor.trust)));
	seq_printf(m, "%s waiting %u\n", name, READ_RACY(array->stripes.nr_held));
	seq_printf(m, "%s cache_before %d\n", name, READ_ONCE(array->cache_before));
	seq_printf(m, "%s cache_set %d\n", name, READ_ONCE(array->cache_set));
	for (i = 0; i < R5D_BUCKETS; i++) {
		u64 filled = READ_RACY(array->fills[i]);

		if (filled)
			seq_printf(m, "%s filled_below_us_%llu %llu\n", name,
				   r5d_bucket_end_us(i), filled);
	}
}

/*
 * One file for all arrays, which is there as long as the module. A file for each would be removed
 * while md has the array suspended, and would wait for readers of the directory: they hold its lock
 * while they wait for memory, which perhaps only this array can free.
 */
static int r5d_arrays_show(struct seq_file *m, void *unused)
{
	const struct r5d_array *array;
	int bucket;

	rcu_read_lock();
	hash_for_each_rcu(r5d_arrays, bucket, array, node)
		if (array->mddev && r5d_state(array) < R5D_CLOSED)
			r5d_show_counters(m, array);
	rcu_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(r5d_arrays);

/**
 * r5d_counters_create - create the file of all arrays' counters
 *
 * Context: may sleep; the directory of the module's own counters exists, and is removed with it.
 */
void r5d_counters_create(void)
{
	debugfs_create_file("arrays", 0400, r5d_stats.dir, NULL, &r5d_arrays_fops);
}

/**
 * r5d_file_create - create the sysfs file of an array
 * @array: the array
 *
 * Context: may sleep; r5d_registry_mutex is held, so that raid456 cannot free the array: it is in
 * sysfs.
 */
void r5d_file_create(struct r5d_array *array)
{
	int err = sysfs_create_file(r456_mddev_kobj(array->mddev), &deadline_entry.attr);

	array->listed = !err;
	if (err)
		pr_warn("failed to create stripe_deadline of %s (%d): the parameter deadline applies\n",
			array->name, err);
}

/* Waits for users of the file. May be called twice. */
void r5d_file_remove(struct r5d_array *array)
{
	if (array->listed)
		sysfs_remove_file(r456_mddev_kobj(array->mddev), &deadline_entry.attr);
	array->listed = false;
}
