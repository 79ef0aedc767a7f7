/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_HOOKS_H
#define NFS_RA_HOOKS_H

int nra_hooks_register(void);
void nra_hooks_unregister_mount(void);
void nra_hooks_unregister_store(void);
unsigned long nra_hooks_missed(void);

#endif
