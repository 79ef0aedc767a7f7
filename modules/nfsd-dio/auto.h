/* SPDX-License-Identifier: GPL-2.0-only */
/* The mode auto: aligned stable writes are direct on devices where that is faster. */
#ifndef NFSD_DIO_AUTO_H
#define NFSD_DIO_AUTO_H

#include "choose.h"

struct file;
struct kiocb;
struct nd_auto_device;
struct nd_write;
struct seq_file;

/**
 * struct nd_auto - a write in the mode auto
 * @device: what is known of its device; NULL: the mode has nothing to do with the write
 * @size: the index of its size
 * @pos: where it begins, bytes
 * @len: its length, bytes
 * @free: it may go either way
 * @run: of nd_choose()
 * @failed: the direct write failed
 * @gave_up: the direct write was not made, because the pool was used up
 * @way: how it is made
 * @begin: when it began, ns, if @device
 */
struct nd_auto {
	struct nd_auto_device *device;
	unsigned int size;
	loff_t pos;
	size_t len;
	bool free;
	u64 run;
	bool failed;
	bool gave_up;
	enum nd_way way;
	u64 begin;
};

void nd_auto_begin(const struct kiocb *iocb, size_t len, struct nd_auto *call);
enum nd_way nd_auto_choose(struct file *file, const struct nd_write *write, bool may_be_direct,
			   struct nd_auto *call);
void nd_auto_end(const struct file *file, const struct nd_auto *call, ssize_t result);
int nd_auto_show(struct seq_file *m, void *unused);

#endif
