/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers, and 0 or 1, as parameters. A bad value is refused with -EINVAL and a line in the log
 * that names the parameter and its range, and the old value stays.
 */
#ifndef SEQKEEP_PARAM_H
#define SEQKEEP_PARAM_H

#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/types.h>

/* How much of a written value a line of the log shows, by "%.*s". Not its newline. */
static inline int param_shown(const char *val)
{
	return min_t(size_t, strcspn(val, "\n"), 64);
}

/**
 * struct param_range - a number with bounds, or one word
 * @value: users read it with READ_ONCE()
 * @min: least number
 * @max: greatest number
 * @base: of the number; 0: decimal, hexadecimal by 0x or octal by 0
 * @unit: follows the range in the log: " KiB", or ""
 * @word: also accepted, such as "auto"; NULL: none
 * @word_value: &value for @word, outside @min to @max
 */
struct param_range {
	unsigned int value;
	unsigned int min;
	unsigned int max;
	unsigned int base;
	const char *unit;
	const char *word;
	unsigned int word_value;
};

extern const struct kernel_param_ops param_range_ops;

int param_parse_bool(const char *val, const struct kernel_param *kp, bool *on);
int param_range_parse(const struct param_range *range, const char *text, unsigned int *value);
int param_range_print(const struct param_range *range, unsigned int value, char *buf);

#endif
