/* SPDX-License-Identifier: GPL-2.0-only */
/* The user's settings. */
#ifndef RAID5_DEADLINE_PARAMS_H
#define RAID5_DEADLINE_PARAMS_H

#include <linux/types.h>

/* Deadlines that are no number of ms: learned, and that of the parameter. */
#define R5D_AUTO	(-1)
#define R5D_DEFAULT	(-2)
#define R5D_MAX_MS	10000

int r5d_default_deadline(void);
unsigned int r5d_cache_mb(void);
int r5d_parse_deadline(const char *text, int *setting);
int r5d_print_deadline(int setting, char *buf);
int r5d_params_start(void);
void r5d_params_stop(void);

/* Of raid5_deadline_main.c. Serialised by the caller. */
int r5d_enable(void);
void r5d_disable(void);

#endif
