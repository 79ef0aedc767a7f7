// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "common/list_parse.h"
#include "exports.h"

/**
 * nd_exports_parse - check a list of exports
 * @text: absolute paths, with commas between them
 * @list: set to the list without white space around items, LIST_TEXT_MAX + 1 bytes
 *
 * Return: NULL, or what is wrong with the list.
 */
const char *nd_exports_parse(const char *text, char *list)
{
	size_t len = 0;
	int ret;

	list[0] = '\0';
	if (strnlen(text, LIST_TEXT_MAX + 1) > LIST_TEXT_MAX)
		return "longer than 1024 characters";
	if (!*skip_spaces(text))
		return NULL;
	while ((ret = list_next_item(&text, list + len, LIST_TEXT_MAX + 1 - len)) > 0) {
		char *item = list + len;
		size_t item_len = strlen(item);

		if (*item != '/')
			return "an item does not begin with /";
		while (item_len > 1 && item[item_len - 1] == '/')
			item_len--;
		len += item_len;
		list[len++] = ',';
	}
	if (ret < 0)
		return "an item is empty";
	list[len - 1] = '\0';
	return NULL;
}

static bool is_below(const char *path, const char *item, size_t len)
{
	if (len == 1)
		return true;
	return !strncmp(path, item, len) && (path[len] == '/' || !path[len]);
}

/**
 * nd_exports_have - whether a file is in one of the exports
 * @list: by nd_exports_parse(), not empty
 * @path: the absolute path of the file
 */
bool nd_exports_have(const char *list, const char *path)
{
	while (*list) {
		const char *end = strchrnul(list, ',');

		if (is_below(path, list, end - list))
			return true;
		list = *end ? end + 1 : end;
	}
	return false;
}
