// SPDX-License-Identifier: GPL-2.0-only
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include "account.h"
#include "calls.h"
#include "tracing.h"

#define CREATE_TRACE_POINTS
#include "events.h"

/* The filters pass only events of these; 0: of all. Read by READ_ONCE(). */
static u32 filter_pid;
static u64 filter_ino;
static dev_t filter_dev;

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
 * rat_tracing_create_files - create the files of the filters
 * @dir: directory in debugfs
 */
void rat_tracing_create_files(struct dentry *dir)
{
	debugfs_create_u32("trace_pid", 0600, dir, &filter_pid);
	debugfs_create_u64("trace_ino", 0600, dir, &filter_ino);
	debugfs_create_file("trace_dev", 0600, dir, NULL, &rat_trace_dev_fops);
}
