/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SEQKEEP_COMPAT_BLK_CGROUP_H
#define SEQKEEP_COMPAT_BLK_CGROUP_H

#include <linux/types.h>

bool compat_blk_cgroup_congested(void);
void compat_blk_cgroup_init(void);

#endif
