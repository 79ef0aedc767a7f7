// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/block/mdX/md/stripe_deadline, and a file of counters for each array in debugfs.
 *
 * md holds reconfig_mutex while raid5_free(), which is hooked, removes the first: so its functions
 * take no lock of md.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>

#include "attr.h"
#include "common/read_racy.h"
#include "inspect.h"
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

static void r5d_show_counters(struct seq_file *m, const struct r5d_array *array)
{
	/* The race is harmless, as those of READ_RACY(): any value of the moment will do. */
	u64 deadline = data_race(r5d_deadline_ns(array, false));
	const struct r5d_times *times = &array->predictor.times;
	int i;

	for (i = 0; i < R5D_C_NR; i++)
		seq_printf(m, "%s %llu\n", r5d_counter_names[i], READ_RACY(array->count[i]));
	seq_printf(m, "deadline_us %llu\n", deadline / NSEC_PER_USEC);
	seq_printf(m, "learned_us %llu\n", READ_RACY(times->fill_ns) / NSEC_PER_USEC);
	seq_printf(m, "service_us %llu\n", READ_RACY(times->service_ns) / NSEC_PER_USEC);
	seq_printf(m, "trust_percent %u\n", r5d_trust_percent(READ_RACY(array->predictor.trust)));
	seq_printf(m, "waiting %u\n", READ_RACY(array->stripes.nr_held));
	seq_printf(m, "cache_before %d\n", READ_ONCE(array->cache_before));
	seq_printf(m, "cache_set %d\n", READ_ONCE(array->cache_set));
	for (i = 0; i < R5D_BUCKETS; i++) {
		u64 filled = READ_RACY(array->fills[i]);

		if (filled)
			seq_printf(m, "filled_below_us_%llu %llu\n", r5d_bucket_end_us(i), filled);
	}
}

static int r5d_counters_show(struct seq_file *m, void *unused)
{
	const struct r5d_array *array;

	rcu_read_lock();
	array = r5d_array_find(m->private);
	if (array)
		r5d_show_counters(m, array);
	rcu_read_unlock();
	return array ? 0 : -ENODEV;
}

static int r5d_counters_open(struct inode *inode, struct file *file)
{
	unsigned int noio = memalloc_noio_save();
	int err = single_open(file, r5d_counters_show, inode->i_private);

	memalloc_noio_restore(noio);
	return err;
}

/*
 * For debugfs_create_file_unsafe(). Removal does not wait for readers: it may run with md
 * suspended, while a reader waits for memory that only this array can free. So a reader has no
 * pointer to the array, only the key to find it. Removal does wait for open(), which starts no I/O.
 */
static const struct file_operations counters_fops = {
	.owner = THIS_MODULE,
	.open = r5d_counters_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * r5d_files_create - create the sysfs and debugfs files of an array
 * @array: the array
 *
 * Context: may sleep; r5d_registry_mutex is held, so that raid456 cannot free the array: it is in
 * sysfs.
 */
void r5d_files_create(struct r5d_array *array)
{
	int err = sysfs_create_file(r456_mddev_kobj(array->mddev), &deadline_entry.attr);

	array->listed = !err;
	if (err)
		pr_warn("failed to create stripe_deadline of %s (%d): the parameter deadline applies\n",
			array->name, err);
	array->file = debugfs_create_file_unsafe(array->name, 0400, r5d_stats.dir, array->conf,
						 &counters_fops);
}

/* Waits for users of the sysfs file. May be called twice. */
void r5d_files_remove(struct r5d_array *array)
{
	if (array->listed)
		sysfs_remove_file(r456_mddev_kobj(array->mddev), &deadline_entry.attr);
	array->listed = false;
	debugfs_remove(array->file);
	array->file = NULL;
}
