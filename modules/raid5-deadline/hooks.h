/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RAID5_DEADLINE_HOOKS_H
#define RAID5_DEADLINE_HOOKS_H

int r5d_hooks_register(void);
void r5d_hooks_unregister(void);

#endif
