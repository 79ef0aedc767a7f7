// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "common/list_parse.h"
#include "servers.h"

static const struct nra_server *nra_servers_find(const struct nra_servers *list, const char *name)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		if (!strcasecmp(list->servers[i].name, name))
			return &list->servers[i];
	return NULL;
}

/* Add an item, SERVER:MULTIPLE. Return what is wrong with it, or NULL. */
static const char *nra_servers_add(struct nra_servers *list, char *item)
{
	struct nra_server *server = &list->servers[list->nr];
	char *colon = strrchr(item, ':'), *end = colon;
	const char *other = ":[]";
	unsigned int multiple = NRA_AUTO;

	if (list->nr == NRA_SERVERS_MAX)
		return "more than 16 servers";
	if (!colon || colon == item)
		return "an item is not SERVER:MULTIPLE";
	if (strcmp(colon + 1, "auto") &&
	    (kstrtouint(colon + 1, 0, &multiple) || !multiple || multiple > NRA_MULTIPLE_MAX))
		return "a multiple is not in 1..64, nor auto";
	if (*item == '[' && end[-1] == ']') {
		item++;
		end--;
		other = "[]";
		if (item == end)
			return "an item is not SERVER:MULTIPLE";
	}
	*end = '\0';
	if (strpbrk(item, other))
		return "an address of IPv6 is not in brackets";
	if (nra_servers_find(list, item))
		return "a server is there twice";
	if (strscpy(server->name, item, sizeof(server->name)) < 0)
		return "a name of a server is longer than 255 characters";
	server->multiple = multiple;
	list->nr++;
	return NULL;
}

/**
 * nra_servers_parse - parse a list of servers
 * @text: SERVER:MULTIPLE items, with commas between them; an address of IPv6 is in brackets
 * @list: set
 *
 * Return: NULL, or what is wrong with the list.
 */
const char *nra_servers_parse(const char *text, struct nra_servers *list)
{
	char item[NRA_SERVER_LEN + 8];
	const char *wrong;
	int ret;

	list->nr = 0;
	if (strnlen(text, LIST_TEXT_MAX + 1) > LIST_TEXT_MAX)
		return "longer than 1024 characters";
	if (!*skip_spaces(text))
		return NULL;
	while ((ret = list_next_item(&text, item, sizeof(item))) > 0) {
		wrong = nra_servers_add(list, item);
		if (wrong)
			return wrong;
	}
	return ret ? "an item is empty or too long" : NULL;
}

/* Print a list as nra_servers_parse() reads it, with a newline. Returns the length. */
int nra_servers_print(const struct nra_servers *list, char *buf, int size)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < list->nr; i++) {
		const struct nra_server *server = &list->servers[i];
		bool brackets = strchr(server->name, ':');

		len += scnprintf(buf + len, size - len, "%s%s%s%s:", i ? "," : "",
				 brackets ? "[" : "", server->name, brackets ? "]" : "");
		if (server->multiple == NRA_AUTO)
			len += scnprintf(buf + len, size - len, "auto");
		else
			len += scnprintf(buf + len, size - len, "%u", server->multiple);
	}
	return len + scnprintf(buf + len, size - len, "\n");
}

/**
 * nra_servers_multiple - the multiple for a server
 * @list: the list
 * @name: the server
 * @other: the multiple for servers that are not in the list
 */
unsigned int nra_servers_multiple(const struct nra_servers *list, const char *name,
				  unsigned int other)
{
	const struct nra_server *server = nra_servers_find(list, name);

	return server ? server->multiple : other;
}
