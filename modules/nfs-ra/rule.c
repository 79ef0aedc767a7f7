// SPDX-License-Identifier: GPL-2.0-only
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "rule.h"

/**
 * nra_rule_pages - how much to read ahead
 * @rule: the parameters
 * @rsize: what one READ asks for at most, bytes
 * @default_pages: what the kernel gives a new mount, pages
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
	/* 0 would mean none at all, and nobody asked for that. */
	return max_t(u64, pages, 1);
}

/**
 * nra_rule_max_window - how far a file's windows may grow
 * @rule: the parameters
 * @rsize: what one READ asks for at most, bytes
 * @page_size: bytes, a power of two
 *
 * Return: pages; 0 if they are not to grow.
 */
unsigned long nra_rule_max_window(const struct nra_rule *rule, unsigned int rsize,
				  unsigned long page_size)
{
	struct nra_rule limit = {
		.multiple = NRA_AUTO_MULTIPLE,
		.min_kb = max_t(unsigned int, rule->min_kb, NRA_AUTO_KB),
		.max_kb = rule->max_kb,
	};

	return rule->multiple == NRA_AUTO ? nra_rule_pages(&limit, rsize, 0, page_size) : 0;
}

/**
 * nra_readahead_owner - whose value the readahead of a mount is
 * @before: what it was before the rule, pages
 * @set: what the rule set, pages
 * @now: what it is, pages
 * @written: somebody wrote to read_ahead_kb, before the rule or since, be it the same value
 */
enum nra_owner nra_readahead_owner(unsigned long before, unsigned long set, unsigned long now,
				   bool written)
{
	if (written || now != set)
		return NRA_OTHERS;
	return set == before ? NRA_KERNEL : NRA_OURS;
}

/**
 * nra_is_nfs - whether a file system is the kernel's NFS client
 * @type: its name; the kernel lets no two have the same
 * @module: the module it is in, NULL if it is built in
 *
 * There are others whose names begin so, and none of them is meant.
 */
bool nra_is_nfs(const char *type, const char *module)
{
	return (!strcmp(type, "nfs") || !strcmp(type, "nfs4")) &&
	       (!module || !strcmp(module, "nfs"));
}
