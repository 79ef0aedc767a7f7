/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace events, their filters and switches. */
#ifndef RA_TRACE_TRACING_H
#define RA_TRACE_TRACING_H

#include <linux/types.h>

struct file;
struct dentry;
struct ra_call;

void ra_trace_call(const struct ra_call *call);
void ra_trace_read(const char *function, const struct file *file, loff_t pos, size_t count);
void ra_tracing_files(struct dentry *dir);
int ra_tracing_start(void);
void ra_tracing_stop(void);

#endif
