// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "rule.h"

/**
 * nra_rule_pages - how much a mount reads ahead
 * @rule: the parameters
 * @rsize: the most that one READ asks for, bytes
 * @default_pages: the kernel's default for a new mount
 * @page_size: bytes, a power of two
 *
 * Return: pages, at least 1.
 */
unsigned long nra_rule_pages(const struct nra_rule *rule, unsigned int rsize,
			     unsigned long default_pages, unsigned long page_size)
{
	u64 want = (u64)rule->multiple * rsize + page_size - 1;
	u64 floor = ((u64)rule->min_kb << 10) + page_size - 1;
	u64 ceiling = (u64)rule->max_kb << 10;
	unsigned int shift = ilog2(page_size);
	u64 pages;

	pages = max_t(u64, want >> shift, rule->min_kb ? floor >> shift : default_pages);
	if (rule->max_kb)
		pages = min_t(u64, pages, ceiling >> shift);
	/* 0 would switch readahead off. */
	return max_t(u64, pages, 1);
}

/**
 * nra_rule_max_window - limit of the windows of a mount's files
 * @rule: the parameters
 * @rsize: the most that one READ asks for, bytes
 * @page_size: bytes, a power of two
 *
 * Return: pages; 0 if windows do not grow.
 */
unsigned long nra_rule_max_window(const struct nra_rule *rule, unsigned int rsize,
				  unsigned long page_size)
{
	struct nra_rule limit = {
		.multiple = rule->auto_max_kb ? 0 : NRA_AUTO_MULTIPLE,
		.min_kb = max(rule->min_kb, rule->auto_max_kb ?: NRA_AUTO_KB),
		.max_kb = rule->max_kb,
	};

	return rule->multiple == NRA_AUTO ? nra_rule_pages(&limit, rsize, 0, page_size) : 0;
}

/**
 * nra_readahead_owner - who set the readahead of a mount
 * @before: readahead before the rule, pages
 * @set: readahead by the rule, pages
 * @now: readahead now, pages
 * @written: somebody wrote to read_ahead_kb, before the rule or since, even the same value
 */
enum nra_owner nra_readahead_owner(unsigned long before, unsigned long set, unsigned long now,
				   bool written)
{
	if (written || now != set)
		return NRA_OTHERS;
	return set == before ? NRA_KERNEL : NRA_OURS;
}

/**
 * nra_server_name - find the server in what is mounted
 * @source: SERVER:/PATH; the address of a server with IPv6 is in brackets
 * @name: set to the server, without brackets; to "" if there is none or it does not fit
 * @size: bytes in @name
 */
void nra_server_name(const char *source, char *name, size_t size)
{
	bool brackets = *source == '[';
	const char *end = strchr(source, brackets ? ']' : ':');
	const char *begin = source + brackets;

	if (!end || end - begin >= size)
		end = begin;
	memcpy(name, begin, end - begin);
	name[end - begin] = '\0';
}

/**
 * nra_is_nfs - whether a file system is the kernel's NFS client
 * @type: its name, which is unique in the kernel
 * @module: its module, NULL if it is built in
 */
bool nra_is_nfs(const char *type, const char *module)
{
	return (!strcmp(type, "nfs") || !strcmp(type, "nfs4")) &&
	       (!module || !strcmp(module, "nfs"));
}
