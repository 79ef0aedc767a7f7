// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>

#include "param.h"

/**
 * param_parse_bool - read 0 or 1, or a word for it, and warn of another value
 * @val: the value
 * @kp: the parameter, for its name
 * @on: set if @val is valid
 *
 * Return: 0 or -EINVAL.
 */
int param_parse_bool(const char *val, const struct kernel_param *kp, bool *on)
{
	/* kstrtobool() reads one letter or two: it takes 10 for 1, and 01 for 0. */
	bool is_number = isdigit(val[0]) && val[1] && val[1] != '\n';

	if (!is_number && !kstrtobool(val, on))
		return 0;
	pr_warn("%s: \"%.*s\" is not 0 or 1 (-EINVAL)\n", kp->name, param_shown(val), val);
	return -EINVAL;
}

/**
 * param_range_parse - read a value as users write it
 * @range: which values there are; its own value is not used
 * @text: a number, or the word; perhaps with a newline
 * @value: set if @text is valid
 *
 * Return: 0 or -EINVAL.
 */
int param_range_parse(const struct param_range *range, const char *text, unsigned int *value)
{
	unsigned int n;

	if (range->word && sysfs_streq(text, range->word))
		n = range->word_value;
	else if (kstrtouint(text, range->base, &n) || n < range->min || n > range->max)
		return -EINVAL;
	*value = n;
	return 0;
}

/* Print a value as param_range_parse() reads it, into a page as sysfs gives. Returns the length. */
int param_range_print(const struct param_range *range, unsigned int value, char *buf)
{
	return range->word && value == range->word_value ? sysfs_emit(buf, "%s\n", range->word) :
	       sysfs_emit(buf, "%u\n", value);
}

static int param_range_set(const char *val, const struct kernel_param *kp)
{
	struct param_range *range = kp->arg;
	unsigned int n;

	if (param_range_parse(range, val, &n)) {
		pr_warn("%s: \"%.*s\" is not in %u..%u%s%s%s (-EINVAL)\n", kp->name,
			param_shown(val), val, range->min, range->max, range->unit,
			range->word ? ", nor " : "", range->word ?: "");
		return -EINVAL;
	}
	WRITE_ONCE(range->value, n);
	return 0;
}

static int param_range_get(char *buf, const struct kernel_param *kp)
{
	const struct param_range *range = kp->arg;

	return param_range_print(range, range->value, buf);
}

/* For module_param_cb() with a struct param_range. */
const struct kernel_param_ops param_range_ops = {
	.set = param_range_set,
	.get = param_range_get,
};
