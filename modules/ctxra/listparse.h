/* SPDX-License-Identifier: GPL-2.0-only */
/* Comma-separated lists, as module parameters have them. Pure. */
#ifndef CTXRA_LISTPARSE_H
#define CTXRA_LISTPARSE_H

#include <linux/types.h>

/* Longest list that is accepted, bytes. */
#define CTXRA_LIST_MAX	1024

int ctxra_list_next(const char **cursor, char *item, size_t size);
int ctxra_list_to_mask(const char *list, const char *const *names, unsigned int nr,
		       unsigned long *mask);
int ctxra_mask_to_list(unsigned long mask, const char *const *names, unsigned int nr, char *buf,
		       size_t size);

#endif
