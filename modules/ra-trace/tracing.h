/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace events and their filters. */
#ifndef RA_TRACE_TRACING_H
#define RA_TRACE_TRACING_H

#include <linux/types.h>

struct file;
struct dentry;
struct rat_call;

void rat_tracing_emit_readahead(const struct rat_call *call);
void rat_tracing_emit_read(const char *function, const struct file *file, loff_t pos, size_t count);
void rat_tracing_create_files(struct dentry *dir);

#endif
