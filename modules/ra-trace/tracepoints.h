/* SPDX-License-Identifier: GPL-2.0-only */
/* Attach functions to tracepoints of the kernel, by table. What a kernel lacks is left out. */
#ifndef SEQKEEP_TRACEPOINTS_H
#define SEQKEEP_TRACEPOINTS_H

#include <linux/types.h>

struct tracepoint;

/**
 * struct tracepoint_probe - a function and its tracepoint
 * @name: of the tracepoint, without "trace_"
 * @probe: void probe(void *unused, ARGS OF THE TRACEPOINT...); may not sleep
 */
struct tracepoint_probe {
	const char *name;
	void *probe;

	/* private: */
	struct tracepoint *tp;
};

int tracepoints_attach(struct tracepoint_probe *probes, unsigned int nr);
void tracepoints_detach(struct tracepoint_probe *probes, unsigned int nr);

/**
 * tracepoint_is_attached - whether a function is called
 * @probe: its entry in the table
 *
 * Return: false before tracepoints_attach(), and if the kernel has no such tracepoint.
 */
static inline bool tracepoint_is_attached(const struct tracepoint_probe *probe)
{
	return READ_ONCE(probe->tp);
}

#endif
