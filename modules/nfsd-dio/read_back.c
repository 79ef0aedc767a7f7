// SPDX-License-Identifier: GPL-2.0-only
#include "read_back.h"

/**
 * nd_read_back_add - remember a direct write, unless one was remembered a moment ago
 * @device: of its device
 * @written: the write
 */
void nd_read_back_add(struct nd_read_back *device, const struct nd_written *written)
{
	unsigned int last = (device->next + ND_READ_BACK_NR - 1) % ND_READ_BACK_NR;

	if (written->when < device->written[last].when + ND_READ_BACK_INTERVAL_NS)
		return;
	device->written[device->next] = *written;
	device->next = (device->next + 1) % ND_READ_BACK_NR;
}

/**
 * nd_read_back_take - forget a direct write to a file that is old enough to inspect its block
 * @device: of its device
 * @inode: the file; another one that has its address now is no worse than a wrong guess
 * @now: ns
 * @taken: set to the write
 *
 * Return: whether there was one.
 */
bool nd_read_back_take(struct nd_read_back *device, const struct inode *inode, u64 now,
		       struct nd_written *taken)
{
	struct nd_written *written;

	for (written = device->written; written < device->written + ND_READ_BACK_NR; written++) {
		if (written->inode != inode || now < written->when + ND_READ_BACK_AGE_NS)
			continue;
		*taken = *written;
		written->inode = NULL;
		return true;
	}
	return false;
}
