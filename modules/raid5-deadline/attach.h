/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RAID5_DEADLINE_ATTACH_H
#define RAID5_DEADLINE_ATTACH_H

struct r5conf;
struct stripe_head;

void r5d_array_attach(struct r5conf *conf, struct stripe_head *sh);

#endif
