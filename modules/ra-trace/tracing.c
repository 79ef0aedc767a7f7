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

/* What passes the filters; 0: all. Read by READ_ONCE(). */
static u32 filter_pid;
static u64 filter_ino;
static dev_t filter_dev;

/* Switches, protected by switch_mutex, which nests in the kernel's parameter lock. */
static bool trace_on;	/* the event readahead goes to the ring buffer */
static bool reads_on;	/* and the event read; its hooks are wanted */
static bool live;	/* enabled: hooks can be had */
static bool hooked;	/* the hooks for the event read are in */
static DEFINE_MUTEX(switch_mutex);

static bool passes(dev_t dev, u64 ino)
{
	u32 pid = READ_ONCE(filter_pid);
	u64 only_ino = READ_ONCE(filter_ino);
	dev_t only_dev = READ_ONCE(filter_dev);
	bool pass = (!pid || pid == current->pid) && (!only_ino || only_ino == ino) &&
		    (!only_dev || only_dev == dev);

	if (pass)
		ra_count(misc[RA_TRACED], 1);
	else
		ra_count(misc[RA_FILTERED], 1);
	return pass;
}

/**
 * ra_trace_call - have a readahead traced, if anybody listens
 * @call: the call, after it returned
 *
 * Context: preemption disabled.
 */
void ra_trace_call(const struct ra_call *call)
{
	const struct inode *inode = call->ractl->mapping->host;

	if (trace_readahead_enabled() && passes(ra_dev_of(inode), inode->i_ino))
		trace_readahead(call, ra_dev_of(inode), inode->i_ino);
}

/**
 * ra_trace_read - have a read traced, if anybody listens
 * @function: "read", "splice" or "fault"
 * @file: what is read
 * @pos: where, bytes
 * @count: how much, bytes
 *
 * Context: preemption disabled.
 */
void ra_trace_read(const char *function, const struct file *file, loff_t pos, size_t count)
{
	const struct inode *inode = file->f_mapping->host;

	if (trace_read_enabled() && passes(ra_dev_of(inode), inode->i_ino))
		trace_read(function, file, ra_dev_of(inode), inode->i_ino, pos, count);
}

/* Put the hooks for reads in or take them out, as the switches say. */
static int apply_reads(void)
{
	bool wanted = live && reads_on;
	int err = 0;

	lockdep_assert_held(&switch_mutex);
	if (wanted == hooked)
		return 0;
	if (wanted)
		err = ra_reads_open();
	else
		ra_reads_close();
	if (!err)
		hooked = wanted;
	return err;
}

/**
 * ra_tracing_start - hooks can be had from now on
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with a line in the log.
 */
int ra_tracing_start(void)
{
	int err;

	mutex_lock(&switch_mutex);
	live = true;
	err = apply_reads();
	live = !err;
	mutex_unlock(&switch_mutex);
	return err;
}

/**
 * ra_tracing_stop - take out the hooks that the switches put in
 *
 * Context: may sleep.
 */
void ra_tracing_stop(void)
{
	mutex_lock(&switch_mutex);
	live = false;
	apply_reads();
	mutex_unlock(&switch_mutex);
}

static int event_switch(const char *event, bool on)
{
	int err = trace_set_clr_event("ra_trace", event, on);

	if (err)
		pr_warn("cannot switch the trace event %s (%d); see /sys/kernel/security/lockdown\n",
			event, err);
	return err;
}

static int trace_enable_get(void *unused, u64 *val)
{
	*val = READ_ONCE(trace_on);
	return 0;
}

static int trace_enable_set(void *unused, u64 val)
{
	int err;

	if (val > 1)
		return -EINVAL;
	mutex_lock(&switch_mutex);
	err = event_switch("readahead", val);
	if (!err)
		WRITE_ONCE(trace_on, val);
	mutex_unlock(&switch_mutex);
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(trace_enable_fops, trace_enable_get, trace_enable_set, "%llu\n");

static int read_trace_get(void *unused, u64 *val)
{
	*val = READ_ONCE(reads_on);
	return 0;
}

static int read_trace_set(void *unused, u64 val)
{
	int err;

	if (val > 1)
		return -EINVAL;
	mutex_lock(&switch_mutex);
	err = event_switch("read", val);
	if (!err) {
		WRITE_ONCE(reads_on, val);
		err = apply_reads();
		if (err) {
			WRITE_ONCE(reads_on, false);
			event_switch("read", false);
		}
	}
	mutex_unlock(&switch_mutex);
	return err;
}
DEFINE_DEBUGFS_ATTRIBUTE(read_trace_fops, read_trace_get, read_trace_set, "%llu\n");

static ssize_t trace_dev_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	dev_t dev = READ_ONCE(filter_dev);
	char text[32];
	int n;

	n = scnprintf(text, sizeof(text), dev ? "%u:%u\n" : "0\n", MAJOR(dev), MINOR(dev));
	return simple_read_from_buffer(to, len, pos, text, n);
}

/* "8:1", or "0" for all. */
static ssize_t trace_dev_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
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

static const struct file_operations trace_dev_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = trace_dev_read,
	.write = trace_dev_write,
	.llseek = default_llseek,
};

/**
 * ra_tracing_files - make the switches and filters
 * @dir: in debugfs
 *
 * Context: may sleep.
 */
void ra_tracing_files(struct dentry *dir)
{
	debugfs_create_file("trace_enable", 0600, dir, NULL, &trace_enable_fops);
	debugfs_create_file("read_trace", 0600, dir, NULL, &read_trace_fops);
	debugfs_create_u32("trace_pid", 0600, dir, &filter_pid);
	debugfs_create_u64("trace_ino", 0600, dir, &filter_ino);
	debugfs_create_file("trace_dev", 0600, dir, NULL, &trace_dev_fops);
}
