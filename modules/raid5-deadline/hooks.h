/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RAID5_DEADLINE_HOOKS_H
#define RAID5_DEADLINE_HOOKS_H

int r5d_hooks_open(void);
void r5d_hooks_close(void);

#endif
