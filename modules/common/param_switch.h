/* SPDX-License-Identifier: GPL-2.0-only */
/* What common/module.c takes the place of. Goes when every module has it. */
#ifndef SEQKEEP_PARAM_SWITCH_H
#define SEQKEEP_PARAM_SWITCH_H

#include <linux/moduleparam.h>

/**
 * struct param_switch - the parameter `enable`
 * @on: put the module's hooks in place; returns 0 or a negative errno with
 *	nothing changed and a line in the log
 * @off: take them out
 *
 * Parameters can be written from before init until after exit. @on and @off
 * may sleep, and are serialised by the kernel's parameter lock, which protects
 * the rest too.
 */
struct param_switch {
	int (*on)(void);
	void (*off)(void);

	/* private: */
	bool wanted;	/* and when live also in effect */
	bool live;	/* between param_start() and param_stop(): wanted takes effect at once */
	bool closed;	/* after param_stop(): nothing is accepted */
};

extern const struct kernel_param_ops param_switch_ops;

int param_start(struct param_switch *sw);
void param_stop(struct param_switch *sw);

#endif
