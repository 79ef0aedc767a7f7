// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/trace_events.h>

#include "reads.h"
#include "switches.h"

/* The switches. switch_mutex protects them; it nests in the kernel's parameter lock. */
static bool trace_on;	/* the event readahead is enabled */
static bool reads_on;	/* the event read is enabled, and wants hooks */
static bool live;	/* the module is enabled, so that hooks may be registered */
static bool hooked;	/* the hooks for the event read are registered */
static DEFINE_MUTEX(switch_mutex);

/* Register or unregister the hooks on reads, as the switches say. */
static int rat_apply_read_hooks(void)
{
	bool wanted = live && reads_on;
	int err = 0;

	lockdep_assert_held(&switch_mutex);
	if (wanted == hooked)
		return 0;
	if (wanted)
		err = rat_reads_register();
	else
		rat_reads_unregister();
	if (!err)
		hooked = wanted;
	return err;
}

/**
 * rat_switches_start - register the hooks on reads, now if the switch is on, or when it is set
 *
 * Return: 0, or a negative errno with a line in the log.
 */
int rat_switches_start(void)
{
	int err;

	mutex_lock(&switch_mutex);
	live = true;
	err = rat_apply_read_hooks();
	live = !err;
	mutex_unlock(&switch_mutex);
	return err;
}

/* Unregister the hooks on reads, whatever the switch. */
void rat_switches_stop(void)
{
	mutex_lock(&switch_mutex);
	live = false;
	rat_apply_read_hooks();
	mutex_unlock(&switch_mutex);
}

static int rat_set_event(const char *event, bool on)
{
	int err = trace_set_clr_event("ra_trace", event, on);

	if (err)
		pr_warn("cannot switch the trace event %s (%d); see /sys/kernel/security/lockdown\n",
			event, err);
	return err;
}

static int rat_trace_enable_get(void *unused, u64 *val)
{
	*val = READ_ONCE(trace_on);
	return 0;
}

static int rat_trace_enable_set(void *unused, u64 val)
{
	int err;

	if (val > 1)
		return -EINVAL;
	mutex_lock(&switch_mutex);
	err = rat_set_event("readahead", val);
	if (!err)
		WRITE_ONCE(trace_on, val);
	mutex_unlock(&switch_mutex);
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(rat_trace_enable_fops, rat_trace_enable_get, rat_trace_enable_set,
			 "%llu\n");

static int rat_read_trace_get(void *unused, u64 *val)
{
	*val = READ_ONCE(reads_on);
	return 0;
}

static int rat_read_trace_set(void *unused, u64 val)
{
	int err;

	if (val > 1)
		return -EINVAL;
	mutex_lock(&switch_mutex);
	err = rat_set_event("read", val);
	if (!err) {
		WRITE_ONCE(reads_on, val);
		err = rat_apply_read_hooks();
		if (err) {
			WRITE_ONCE(reads_on, false);
			rat_set_event("read", false);
		}
	}
	mutex_unlock(&switch_mutex);
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(rat_read_trace_fops, rat_read_trace_get, rat_read_trace_set, "%llu\n");

/**
 * rat_switches_create_files - create the files of the switches
 * @dir: directory in debugfs
 */
void rat_switches_create_files(struct dentry *dir)
{
	debugfs_create_file("trace_enable", 0600, dir, NULL, &rat_trace_enable_fops);
	debugfs_create_file("read_trace", 0600, dir, NULL, &rat_read_trace_fops);
}
