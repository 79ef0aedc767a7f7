/* SPDX-License-Identifier: GPL-2.0-only */
/* raid456's own functions, past our redirects. */
#ifndef RAID5_DEADLINE_STOCK_H
#define RAID5_DEADLINE_STOCK_H

struct list_head;
struct mddev;
struct r5conf;
struct stripe_head;

void r5d_stock_set_release(unsigned long address);
void r5d_stock_set_free(unsigned long address);
void r5d_stock_release(struct r5conf *conf, struct stripe_head *sh, struct list_head *inactive);
void r5d_stock_release_to_handle(struct r5conf *conf, struct stripe_head *sh);
void r5d_stock_free(struct mddev *mddev, void *priv);

#endif
