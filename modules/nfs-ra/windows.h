/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_WINDOWS_H
#define NFS_RA_WINDOWS_H

int nra_window_hooks_register(void);
void nra_window_hooks_unregister(void);

#endif
