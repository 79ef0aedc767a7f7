/* SPDX-License-Identifier: GPL-2.0-only */
/* Comma-separated lists, as module parameters have them. Pure. */
#ifndef SEQKEEP_LIST_PARSE_H
#define SEQKEEP_LIST_PARSE_H

#include <linux/types.h>

/* Longest list that is accepted, bytes. */
#define LIST_TEXT_MAX	1024

int list_next_item(const char **cursor, char *item, size_t size);
int list_to_mask(const char *list, const char *const *names, unsigned int nr,
		 unsigned long *mask);
int mask_to_list(unsigned long mask, const char *const *names, unsigned int nr, char *buf,
		 size_t size);

#endif
