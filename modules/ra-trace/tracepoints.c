// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoints.h"

struct rat_tracepoint_search {
	struct rat_tracepoint_probe *probes;
	unsigned int nr;
};

static void rat_match_tracepoint(struct tracepoint *tp, void *data)
{
	struct rat_tracepoint_search *rat_tracepoint_search = data;
	unsigned int i;

	for (i = 0; i < rat_tracepoint_search->nr; i++)
		if (!strcmp(tp->name, rat_tracepoint_search->probes[i].name))
			WRITE_ONCE(rat_tracepoint_search->probes[i].tp, tp);
}

/**
 * rat_tracepoints_register - register all probes of a table whose tracepoints exist
 * @probes: the table; probes may be called before this returns
 * @nr: number of entries
 *
 * Return: 0, or a negative errno with no probe registered and a line in the log.
 */
int rat_tracepoints_register(struct rat_tracepoint_probe *probes, unsigned int nr)
{
	struct rat_tracepoint_search rat_tracepoint_search = { .probes = probes, .nr = nr };
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++)
		WRITE_ONCE(probes[i].tp, NULL);
	/* Few tracepoints are exported, but modules can find all that are built in by name. */
	for_each_kernel_tracepoint(rat_match_tracepoint, &rat_tracepoint_search);
	for (i = 0; i < nr; i++) {
		if (!probes[i].tp)
			continue;
		err = tracepoint_probe_register(probes[i].tp, probes[i].probe, NULL);
		if (err) {
			pr_err("failed to register a probe on tracepoint %s (%d); free memory and try again\n",
			       probes[i].name, err);
			rat_tracepoints_unregister(probes, i);
			/* The others were found, but not registered. */
			for (; i < nr; i++)
				WRITE_ONCE(probes[i].tp, NULL);
			return err;
		}
	}
	return 0;
}

/* No probe of the table runs when it returns. */
void rat_tracepoints_unregister(struct rat_tracepoint_probe *probes, unsigned int nr)
{
	unsigned int i;

	for (i = nr; i-- > 0;) {
		if (probes[i].tp)
			tracepoint_probe_unregister(probes[i].tp, probes[i].probe, NULL);
		WRITE_ONCE(probes[i].tp, NULL);
	}
	tracepoint_synchronize_unregister();
}
