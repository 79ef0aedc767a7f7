// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoints.h"

struct search {
	struct tracepoint_probe *probes;
	unsigned int nr;
};

static void compare(struct tracepoint *tp, void *data)
{
	struct search *search = data;
	unsigned int i;

	for (i = 0; i < search->nr; i++)
		if (!strcmp(tp->name, search->probes[i].name))
			WRITE_ONCE(search->probes[i].tp, tp);
}

/**
 * tracepoints_attach - attach all functions of a table whose tracepoints there are
 * @probes: the table; its functions may be called before this returns
 * @nr: entries in it
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with nothing attached and a line in the log.
 */
int tracepoints_attach(struct tracepoint_probe *probes, unsigned int nr)
{
	struct search search = { .probes = probes, .nr = nr };
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++)
		WRITE_ONCE(probes[i].tp, NULL);
	/* Few tracepoints are exported to modules; all that are built in can be found. */
	for_each_kernel_tracepoint(compare, &search);
	for (i = 0; i < nr; i++) {
		if (!probes[i].tp)
			continue;
		err = tracepoint_probe_register(probes[i].tp, probes[i].probe, NULL);
		if (err) {
			pr_err("cannot attach to tracepoint %s (%d); free memory and try again\n",
			       probes[i].name, err);
			tracepoints_detach(probes, i);
			/* The others were found, and no more. */
			for (; i < nr; i++)
				WRITE_ONCE(probes[i].tp, NULL);
			return err;
		}
	}
	return 0;
}

/**
 * tracepoints_detach - detach all functions of a table
 * @probes: the table
 * @nr: entries in it
 *
 * When it returns none of them runs or will.
 *
 * Context: may sleep.
 */
void tracepoints_detach(struct tracepoint_probe *probes, unsigned int nr)
{
	unsigned int i;

	for (i = nr; i-- > 0;) {
		if (probes[i].tp)
			tracepoint_probe_unregister(probes[i].tp, probes[i].probe, NULL);
		WRITE_ONCE(probes[i].tp, NULL);
	}
	tracepoint_synchronize_unregister();
}
