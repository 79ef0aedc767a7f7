/* SPDX-License-Identifier: GPL-2.0-only */
/* The size of a stripe, for the pure files too. */
#ifndef RAID5_DEADLINE_STRIPE_H
#define RAID5_DEADLINE_STRIPE_H

/* Sectors of a stripe on each disk: one page, because raid456.h refuses pages of another size. */
#define R5D_STRIPE_SECTORS	8

#endif
