// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "list_parse.h"

/**
 * list_next_item - read the next item of a list
 * @cursor: the rest of the list; NULL after the last item
 * @item: the item, without the white space around it
 * @size: bytes in @item
 *
 * The newline that echo writes to sysfs counts as white space.
 *
 * Return: 1 for an item, 0 at the end, -EINVAL for an item that is empty or does not fit.
 *	The empty list has one empty item.
 */
int list_next_item(const char **cursor, char *item, size_t size)
{
	const char *from = *cursor, *to;
	size_t len;

	if (!from)
		return 0;
	to = strchrnul(from, ',');
	*cursor = *to ? to + 1 : NULL;
	while (from < to && isspace(*from))
		from++;
	while (to > from && isspace(to[-1]))
		to--;
	len = to - from;
	if (!len || len >= size)
		return -EINVAL;
	memcpy(item, from, len);
	item[len] = '\0';
	return 1;
}

/**
 * list_to_mask - parse a list of known names
 * @list: the list
 * @names: the names, one per bit
 * @nr: number of @names
 * @mask: set on success
 *
 * Return: 0, or -EINVAL for an unknown or repeated name, an empty list or
 *	item, or a list longer than LIST_TEXT_MAX.
 */
int list_to_mask(const char *list, const char *const *names, unsigned int nr,
		 unsigned long *mask)
{
	unsigned long found = 0;
	char item[32];
	int ret;

	if (strnlen(list, LIST_TEXT_MAX + 1) > LIST_TEXT_MAX)
		return -EINVAL;
	while ((ret = list_next_item(&list, item, sizeof(item))) > 0) {
		unsigned int i = 0;

		while (i < nr && strcmp(names[i], item))
			i++;
		if (i == nr || found & BIT(i))
			return -EINVAL;
		found |= BIT(i);
	}
	if (ret < 0)
		return ret;
	*mask = found;
	return 0;
}

/* The reverse of list_to_mask(). Returns the length written, without the final NUL. */
int mask_to_list(unsigned long mask, const char *const *names, unsigned int nr, char *buf,
		 size_t size)
{
	unsigned int i;
	int len = 0;

	buf[0] = '\0';
	for (i = 0; i < nr; i++)
		if (mask & BIT(i))
			len += scnprintf(buf + len, size - len, "%s%s", len ? "," : "", names[i]);
	return len;
}
