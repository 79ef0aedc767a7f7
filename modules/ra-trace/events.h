/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace events ra_trace:readahead and ra_trace:read. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ra_trace

#if !defined(RA_TRACE_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define RA_TRACE_EVENTS_H

#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include "calls.h"

#ifndef RAT_NAME_MAX
#define RAT_NAME_MAX 40

/*
 * %pd reads the name without a lock, so a rename may change it meanwhile. The open file keeps the
 * dentry alive.
 */
static inline void rat_copy_name(char *to, const struct file *file)
{
	if (file)
		snprintf(to, RAT_NAME_MAX, "%pd", file->f_path.dentry);
	else
		strscpy(to, "-", RAT_NAME_MAX);
}
#endif

TRACE_EVENT(readahead,
	TP_PROTO(const struct rat_call *call, dev_t dev, u64 ino),
	TP_ARGS(call, dev, ino),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__array(char, comm, TASK_COMM_LEN)
		__field(dev_t, dev)
		__field(u64, ino)
		__array(char, name, RAT_NAME_MAX)
		__array(char, pattern, 12)
		__field(unsigned long, req_start)
		__field(unsigned long, req_size)
		__field(unsigned long, ra_start)
		__field(unsigned long, ra_size)
		__field(unsigned long, ra_async_size)
		__field(int, async)
		__field(unsigned long, actual)
	),
	TP_fast_assign(
		__entry->pid = current->pid;
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
		__entry->dev = dev;
		__entry->ino = ino;
		rat_copy_name(__entry->name, call->file);
		strscpy(__entry->pattern, rat_pattern_names[call->pattern],
			sizeof(__entry->pattern));
		__entry->req_start = call->obs.index;
		__entry->req_size = call->obs.nr;
		__entry->ra_start = call->obs.has_window ? call->obs.after.start : call->obs.index;
		__entry->ra_size = rat_readahead_size(&call->obs);
		__entry->ra_async_size = call->obs.has_window ? call->obs.after.async_size : 0;
		__entry->async = call->obs.entry_point == RAT_ENTRY_ASYNC;
		__entry->actual = call->obs.actual;
	),
	TP_printk("readahead-%s(pid=%d(%s), dev=%u:%u, ino=%llu(%s), req=%lu+%lu, ra=%lu+%lu-%lu, async=%d) = %lu",
		  __entry->pattern, __entry->pid, __entry->comm,
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino, __entry->name,
		  __entry->req_start, __entry->req_size, __entry->ra_start, __entry->ra_size,
		  __entry->ra_async_size, __entry->async, __entry->actual)
);

TRACE_EVENT(read,
	TP_PROTO(const char *function, const struct file *file, dev_t dev, u64 ino, loff_t pos,
		 size_t count),
	TP_ARGS(function, file, dev, ino, pos, count),
	TP_STRUCT__entry(
		__array(char, function, 8)
		__field(pid_t, pid)
		__array(char, comm, TASK_COMM_LEN)
		__field(dev_t, dev)
		__field(u64, ino)
		__array(char, name, RAT_NAME_MAX)
		__field(loff_t, pos)
		__field(size_t, count)
	),
	TP_fast_assign(
		strscpy(__entry->function, function, sizeof(__entry->function));
		__entry->pid = current->pid;
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
		__entry->dev = dev;
		__entry->ino = ino;
		rat_copy_name(__entry->name, file);
		__entry->pos = pos;
		__entry->count = count;
	),
	TP_printk("%s(pid=%d(%s), dev=%u:%u, ino=%llu(%s), pos=%lld, count=%zu)",
		  __entry->function, __entry->pid, __entry->comm, MAJOR(__entry->dev),
		  MINOR(__entry->dev), __entry->ino, __entry->name, __entry->pos,
		  __entry->count)
);

#endif

/* Outside the guard on purpose, because define_trace.h includes this file again. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
