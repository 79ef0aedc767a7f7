/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_AUTO_H
#define NFS_RA_AUTO_H

int nra_auto_open(void);
void nra_auto_close(void);

#endif
