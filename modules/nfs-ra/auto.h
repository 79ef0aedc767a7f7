/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_AUTO_H
#define NFS_RA_AUTO_H

int nra_auto_hooks_register(void);
void nra_auto_hooks_unregister(void);

#endif
