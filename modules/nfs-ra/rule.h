/* SPDX-License-Identifier: GPL-2.0-only */
/* How much an NFS mount reads ahead, and whose value it is. Pure. */
#ifndef NFS_RA_RULE_H
#define NFS_RA_RULE_H

#include <linux/types.h>

/* The most that one READ asks for is 4 MiB, and of these 64: no rule ever wants more. */
#define NRA_MULTIPLE_MAX	64
#define NRA_KB_MAX		(256 * 1024)

/* For the multiple: each file's windows grow, from what the mount has without the module. */
#define NRA_AUTO		0

/*
 * What they grow to. Over a delay bytes count, not the multiple: from 8 MiB on nothing is
 * gained at any rsize (docs/nfs-ra.md).
 */
#define NRA_AUTO_MULTIPLE	8
#define NRA_AUTO_KB		8192

/**
 * struct nra_rule - the parameters `multiple`, `min_kb` and `max_kb`
 * @multiple: how many READs are to be under way, 1 to %NRA_MULTIPLE_MAX, or %NRA_AUTO
 * @min_kb: least readahead, KiB; 0: the system's default
 * @max_kb: greatest, KiB; 0: none. It wins over @min_kb, and over the default.
 */
struct nra_rule {
	unsigned int multiple;
	unsigned int min_kb;
	unsigned int max_kb;
};

/**
 * enum nra_owner - whose value a readahead is
 * @NRA_KERNEL: the kernel's: the rule had nothing to change
 * @NRA_OURS: the rule's
 * @NRA_OTHERS: it was set since, by an administrator or in his name
 */
enum nra_owner {
	NRA_KERNEL,
	NRA_OURS,
	NRA_OTHERS,
};

unsigned long nra_rule_pages(const struct nra_rule *rule, unsigned int rsize,
			     unsigned long default_pages, unsigned long page_size);
unsigned long nra_rule_max_window(const struct nra_rule *rule, unsigned int rsize,
				  unsigned long page_size);
enum nra_owner nra_readahead_owner(unsigned long before, unsigned long set, unsigned long now,
				   bool written);
bool nra_is_nfs(const char *type, const char *module);

#endif
