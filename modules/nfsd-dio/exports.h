/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameter exports: a list of paths. Pure. */
#ifndef NFSD_DIO_EXPORTS_H
#define NFSD_DIO_EXPORTS_H

#include <linux/types.h>

const char *nd_exports_parse(const char *text, char *list);
bool nd_exports_have(const char *list, const char *path);

#endif
