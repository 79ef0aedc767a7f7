/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_APPLY_H
#define NFS_RA_APPLY_H

void nra_apply_start(void);
void nra_apply_stop(void);
void nra_apply_wait(void);

#endif
