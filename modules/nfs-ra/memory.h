/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_MEMORY_H
#define NFS_RA_MEMORY_H

unsigned long nra_memory_window(void);

#endif
