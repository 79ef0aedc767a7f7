/* SPDX-License-Identifier: GPL-2.0-only */
/* How much an NFS mount reads ahead, and who set it. Pure. */
#ifndef NFS_RA_RULE_H
#define NFS_RA_RULE_H

#include <linux/types.h>

/* A READ has at most 4 MiB, so no rule wants more than 64 times that. */
#define NRA_MULTIPLE_MAX	64
#define NRA_KB_MAX		(256 * 1024)

/* A multiple: windows grow while a file is read, from the readahead without the module. */
#define NRA_AUTO		0

/*
 * Their limit, unless `auto_max_kb` says otherwise. Over a network with a delay the readahead in
 * bytes counts, not the multiple: more than 8 MiB gains nothing at any rsize (docs/nfs-ra.md).
 */
#define NRA_AUTO_MULTIPLE	8
#define NRA_AUTO_KB		8192

/* Longest name of a server that is kept, bytes. */
#define NRA_SERVER_LEN	256

/**
 * struct nra_rule - the parameters of the same names
 * @multiple: READs of rsize in flight, 1 to %NRA_MULTIPLE_MAX, or %NRA_AUTO
 * @min_kb: least readahead, KiB; 0: the kernel's default
 * @max_kb: greatest readahead, KiB; 0: no limit. It wins over @min_kb and over the default.
 * @auto_max_kb: limit of windows that grow, KiB; 0: %NRA_AUTO_KB or %NRA_AUTO_MULTIPLE of rsize
 * @override: also set a readahead that is not the kernel's default
 */
struct nra_rule {
	unsigned int multiple;
	unsigned int min_kb;
	unsigned int max_kb;
	unsigned int auto_max_kb;
	bool override;
};

/**
 * enum nra_owner - who set a readahead
 * @NRA_KERNEL: the kernel; the rule had nothing to change
 * @NRA_OURS: this module, by the rule
 * @NRA_OTHERS: somebody else, by a write to read_ahead_kb
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
void nra_server_name(const char *source, char *name, size_t size);
bool nra_is_nfs(const char *type, const char *module);

#endif
