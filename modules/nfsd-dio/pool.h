/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that writes are bounced through: a fixed number of pages. */
#ifndef NFSD_DIO_POOL_H
#define NFSD_DIO_POOL_H

#include <linux/build_bug.h>
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/sizes.h>

/* The longest write that is bounced, bytes. Longer ones are not slowed down by the ends. */
#define ND_BOUNCE_MAX	SZ_1M

/* The table of a bounce buffer is a page of the pool itself. */
static_assert(PAGE_SIZE / sizeof(struct bio_vec) >= ND_BOUNCE_MAX / PAGE_SIZE);

/**
 * struct nd_bounce - a bounce buffer
 * @vec: its pages, all whole but the last
 * @nr: entries in @vec
 */
struct nd_bounce {
	struct bio_vec *vec;
	unsigned int nr;
};

int nd_pool_create(unsigned int kb);
void nd_pool_destroy(void);
bool nd_bounce_get(struct nd_bounce *bounce, size_t len);
void nd_bounce_put(struct nd_bounce *bounce);

#endif
