/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RAID5_DEADLINE_IDENTITY_H
#define RAID5_DEADLINE_IDENTITY_H

int r5d_identity_check(void);

#endif
