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

static struct nd_device {
	dev_t dev;	/* 0: free, or the last row */
	atomic64_t count[ND_D_NR];
} devices[ND_DEVICES + 1];

/**
 * nd_device_index - find the row of a device
 * @dev: the device
 *
 * Context: any.
 * Return: 0 to %ND_DEVICES - 1, the same each time, or %ND_DEVICES if no row is free.
 */
unsigned int nd_device_index(dev_t dev)
{
	unsigned int i;

	for (i = 0; i < ND_DEVICES; i++) {
		dev_t there = READ_ONCE(devices[i].dev);

		if (!there)
			there = cmpxchg(&devices[i].dev, 0, dev);
		if (!there || there == dev)
			return i;
	}
	return ND_DEVICES;
}

/* 0 if no write to a device of this index was seen yet. */
dev_t nd_device_at(unsigned int index)
{
	return READ_ONCE(devices[index].dev);
}

void nd_device_stats_add(dev_t dev, enum nd_device_counter counter, u64 n)
{
	atomic64_add(n, &devices[nd_device_index(dev)].count[counter]);
}

static bool is_used(const struct nd_device *row)
{
	unsigned int i;

	for (i = 0; i < ND_D_NR; i++)
		if (atomic64_read(&row->count[i]))
			return true;
	return false;
}

int nd_device_stats_show(struct seq_file *m, void *unused)
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
	return 0;
}
