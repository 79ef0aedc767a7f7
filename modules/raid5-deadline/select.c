// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "common/param.h"
#include "select.h"
#include "table.h"

#define LIST_MAX	256

/* Protects list. */
static DEFINE_SPINLOCK(list_lock);
/* Names with a comma between two; empty: all arrays. */
static char list[LIST_MAX];

static bool is_in_list(const char *names, const char *name)
{
	size_t len = strlen(name);

	while (*names) {
		size_t item = strcspn(names, ",");

		if (item == len && !strncmp(names, name, len))
			return true;
		names += item + (names[item] == ',');
	}
	return false;
}

/**
 * r5d_is_selected - whether the module works on an array
 * @name: of its disk, as md0
 *
 * Context: any.
 */
bool r5d_is_selected(const char *name)
{
	unsigned long flags;
	bool selected;

	spin_lock_irqsave(&list_lock, flags);
	selected = !*list || is_in_list(list, name);
	spin_unlock_irqrestore(&list_lock, flags);
	return selected;
}

/* Names of disks with one comma between two. */
static bool is_valid(const char *names)
{
	const char *c;

	for (c = names; *c; c++)
		if (*c == ',' ? c == names || c[1] == ',' || !c[1] :
				!isalnum(*c) && !strchr("_-.", *c))
			return false;
	return true;
}

static int arrays_set(const char *val, const struct kernel_param *kp)
{
	/* With a newline. */
	char names[LIST_MAX + 1];
	bool fits = strscpy(names, val, sizeof(names)) >= 0;
	const char *trimmed = strim(names);

	if (!fits || strlen(trimmed) >= LIST_MAX || !is_valid(trimmed)) {
		pr_warn("%s: \"%.*s\" is no list of arrays, as md0,md127, of up to %d bytes (-EINVAL)\n",
			kp->name, param_shown(val), val, LIST_MAX - 1);
		return -EINVAL;
	}
	spin_lock_irq(&list_lock);
	strscpy(list, trimmed, sizeof(list));
	spin_unlock_irq(&list_lock);
	r5d_table_select(r5d_is_selected);
	return 0;
}

static int arrays_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", list);
}

static const struct kernel_param_ops arrays_ops = {
	.set = arrays_set,
	.get = arrays_get,
};
module_param_cb(arrays, &arrays_ops, NULL, 0644);
MODULE_PARM_DESC(arrays, "arrays to work on, as md0,md127; empty: all (default empty)");
