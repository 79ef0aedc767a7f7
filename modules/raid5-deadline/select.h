/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameter arrays: which arrays the module works on. */
#ifndef RAID5_DEADLINE_SELECT_H
#define RAID5_DEADLINE_SELECT_H

#include <linux/types.h>

bool r5d_is_selected(const char *name);

#endif
