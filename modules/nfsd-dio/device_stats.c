// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first write to a device claims a row. Rows are never freed: a server exports only a handful
 * of devices. Devices that find no free row share the last one.
 */
#include <linux/atomic.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>

#include "device_stats.h"

#define DEVICES	64

static struct nd_device {
	dev_t dev;	/* 0: free, or the last row */
	atomic64_t count[ND_D_NR];
} devices[DEVICES + 1];

static struct nd_device *nd_device_row(dev_t dev)
{
	unsigned int i;

	for (i = 0; i < DEVICES; i++) {
		dev_t there = READ_ONCE(devices[i].dev);

		if (!there)
			there = cmpxchg(&devices[i].dev, 0, dev);
		if (!there || there == dev)
			return &devices[i];
	}
	return &devices[DEVICES];
}

void nd_device_stats_add(dev_t dev, enum nd_device_counter counter, u64 n)
{
	atomic64_add(n, &nd_device_row(dev)->count[counter]);
}

static bool is_used(const struct nd_device *row)
{
	unsigned int i;

	for (i = 0; i < ND_D_NR; i++)
		if (atomic64_read(&row->count[i]))
			return true;
	return false;
}

void nd_device_stats_show(struct seq_file *m)
{
	const struct nd_device *row;
	unsigned int i;
	dev_t dev;

	seq_puts(m, "device direct bytes left fallback\n");
	for (row = devices; row < devices + ARRAY_SIZE(devices); row++) {
		if (!is_used(row))
			continue;
		dev = READ_ONCE(row->dev);
		if (dev)
			seq_printf(m, "%u:%u", MAJOR(dev), MINOR(dev));
		else
			seq_puts(m, "others");
		for (i = 0; i < ND_D_NR; i++)
			seq_printf(m, " %lld", atomic64_read(&row->count[i]));
		seq_putc(m, '\n');
	}
}
