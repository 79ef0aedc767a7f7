/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a call comes from nfsd. */
#ifndef NFSD_DIO_CALLER_H
#define NFSD_DIO_CALLER_H

#include <linux/types.h>

int nd_caller_watch(void);
void nd_caller_unwatch(void);
bool nd_caller_is_nfsd(unsigned long address);

#endif
