// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

#include "account.h"
#include "calls.h"
#include "reads.h"
#include "tracing.h"

#define CREATE_TRACE_POINTS
#include "events.h"

/* The filters pass only events of these; 0: of all. Read by READ_ONCE(). */
static u32 filter_pid;
static u64 filter_ino;
static dev_t filter_dev;

/* The switches. switch_mutex protects them; it nests in the kernel's parameter lock. */
static bool trace_on;	/* the event readahead is enabled */
static bool reads_on;	/* the event read is enabled, and wants hooks */
static bool live;	/* the module is enabled, so that hooks may be registered */
static bool hooked;	/* the hooks for the event read are registered */
static DEFINE_MUTEX(switch_mutex);

static bool rat_filter_passes(dev_t dev, u64 ino)
{
	u32 pid = READ_ONCE(filter_pid);
	u64 only_ino = READ_ONCE(filter_ino);
	dev_t only_dev = READ_ONCE(filter_dev);
	bool pass = (!pid || pid == current->pid) && (!only_ino || only_ino == ino) &&
		    (!only_dev || only_dev == dev);

	if (pass)
		rat_count(misc[RAT_MISC_TRACED], 1);
	else
		rat_count(misc[RAT_MISC_FILTERED], 1);
	return pass;
}

/**
 * rat_tracing_emit_readahead - emit the event of a readahead, if it is enabled and not filtered
 * @call: the call, after it returned
 *
 * Context: preemption disabled.
 */
void rat_tracing_emit_readahead(const struct rat_call *call)
{
	const struct inode *inode = call->ractl->mapping->host;

	if (trace_readahead_enabled() && rat_filter_passes(rat_dev_of(inode), inode->i_ino))
		trace_readahead(call, rat_dev_of(inode), inode->i_ino);
}

/**
 * rat_tracing_emit_read - emit the event of a read, if it is enabled and not filtered
 * @function: "read", "splice" or "fault"
 * @file: the open file
 * @pos: start of the read, bytes
 * @count: its length, bytes
 *
 * Context: preemption disabled.
 */
void rat_tracing_emit_read(const char *function, const struct file *file, loff_t pos, size_t count)
{
	const struct inode *inode = file->f_mapping->host;

	if (trace_read_enabled() && rat_filter_passes(rat_dev_of(inode), inode->i_ino))
		trace_read(function, file, rat_dev_of(inode), inode->i_ino, pos, count);
}

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
 * rat_tracing_start - register the hooks on reads, now if the switch is on, or when it is set
 *
 * Return: 0, or a negative errno with a line in the log.
 */
int rat_tracing_start(void)
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
void rat_tracing_stop(void)
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

static ssize_t rat_trace_dev_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	dev_t dev = READ_ONCE(filter_dev);
	char text[32];
	int n;

	n = scnprintf(text, sizeof(text), dev ? "%u:%u\n" : "0\n", MAJOR(dev), MINOR(dev));
	return simple_read_from_buffer(to, len, pos, text, n);
}

/* Takes "8:1", or "0" for all devices. */
static ssize_t rat_trace_dev_write(struct file *file, const char __user *from, size_t len,
				   loff_t *pos)
{
	unsigned int major, minor;
	char buf[32], end;
	const char *text;

	if (len >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, from, len))
		return -EFAULT;
	buf[len] = '\0';
	text = strim(buf);
	if (!strcmp(text, "0")) {
		WRITE_ONCE(filter_dev, 0);
		return len;
	}
	if (sscanf(text, "%u:%u%c", &major, &minor, &end) != 2 || major >> (32 - MINORBITS) ||
	    minor >> MINORBITS)
		return -EINVAL;
	WRITE_ONCE(filter_dev, MKDEV(major, minor));
	return len;
}

static const struct file_operations rat_trace_dev_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = rat_trace_dev_read,
	.write = rat_trace_dev_write,
	.llseek = default_llseek,
};

/**
 * rat_tracing_create_files - create the files of the switches and filters
 * @dir: directory in debugfs
 */
void rat_tracing_create_files(struct dentry *dir)
{
	debugfs_create_file("trace_enable", 0600, dir, NULL, &rat_trace_enable_fops);
	debugfs_create_file("read_trace", 0600, dir, NULL, &rat_read_trace_fops);
	debugfs_create_u32("trace_pid", 0600, dir, &filter_pid);
	debugfs_create_u64("trace_ino", 0600, dir, &filter_ino);
	debugfs_create_file("trace_dev", 0600, dir, NULL, &rat_trace_dev_fops);
}
