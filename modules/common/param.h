/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters that every module has. Each value is checked before it takes
 * effect: a bad one is refused with -EINVAL and a line in the log that names the
 * parameter and what it takes, and the old value stays.
 */
#ifndef SEQKEEP_PARAM_H
#define SEQKEEP_PARAM_H

#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/types.h>

/* Of a value that was written: what one line of the log shows, by "%.*s". Not its newline. */
static inline int param_shown(const char *val)
{
	return min_t(size_t, strcspn(val, "\n"), 64);
}

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

/**
 * struct param_range - a number with bounds
 * @value: read by users with READ_ONCE()
 * @min: least value
 * @max: greatest value
 * @unit: ends the refusal after the range: " KiB", or ""
 */
struct param_range {
	unsigned int value;
	unsigned int min;
	unsigned int max;
	const char *unit;
};

extern const struct kernel_param_ops param_range_ops;

#endif
