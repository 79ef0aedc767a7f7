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
 * @measured: its latency is to be learned
 * @failed: the direct write failed
 * @way: how it is made, if @measured
 * @begin: when it began, ns, if @measured
 */
struct nd_auto {
	struct nd_auto_device *device;
	unsigned int size;
	loff_t pos;
	bool measured;
	bool failed;
	enum nd_way way;
	u64 begin;
};

void nd_auto_begin(const struct kiocb *iocb, size_t len, struct nd_auto *call);
enum nd_way nd_auto_choose(struct file *file, const struct nd_write *write, bool may_be_direct,
			   struct nd_auto *call);
void nd_auto_end(const struct file *file, const struct nd_auto *call);
void nd_auto_show(struct seq_file *m);

#endif
