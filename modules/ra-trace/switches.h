/* SPDX-License-Identifier: GPL-2.0-only */
/* The switches of the trace events. That of the event read also registers hooks. */
#ifndef RA_TRACE_SWITCHES_H
#define RA_TRACE_SWITCHES_H

struct dentry;

int rat_switches_start(void);
void rat_switches_stop(void);
void rat_switches_create_files(struct dentry *dir);

#endif
