/* SPDX-License-Identifier: GPL-2.0-only */
/* Register probes on the kernel's tracepoints, by table. Skips tracepoints that a kernel lacks. */
#ifndef RA_TRACE_TRACEPOINTS_H
#define RA_TRACE_TRACEPOINTS_H

#include <linux/types.h>

struct tracepoint;

/**
 * struct rat_tracepoint_probe - a probe and its tracepoint
 * @name: name of the tracepoint, without "trace_"
 * @probe: void probe(void *unused, ARGS OF THE TRACEPOINT...); may not sleep
 */
struct rat_tracepoint_probe {
	const char *name;
	void *probe;

	/* private: */
	struct tracepoint *tp;
};

int rat_tracepoints_register(struct rat_tracepoint_probe *probes, unsigned int nr);
void rat_tracepoints_unregister(struct rat_tracepoint_probe *probes, unsigned int nr);

/* Whether a probe is registered. Not if this kernel has no such tracepoint. */
static inline bool rat_tracepoint_is_registered(const struct rat_tracepoint_probe *probe)
{
	return READ_ONCE(probe->tp);
}

#endif
