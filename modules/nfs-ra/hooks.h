/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_HOOKS_H
#define NFS_RA_HOOKS_H

int nra_hooks_open(void);
void nra_hooks_close_mounts(void);
void nra_hooks_close_writes(void);
unsigned long nra_hooks_missed(void);

#endif
