/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFSD_DIO_HOOKS_H
#define NFSD_DIO_HOOKS_H

int nd_hooks_register(void);
void nd_hooks_unregister(void);

#endif
