/* SPDX-License-Identifier: GPL-2.0-only */
/* A fixed pool of pages, which writes are copied to: bounce buffers. */
#ifndef NFSD_DIO_POOL_H
#define NFSD_DIO_POOL_H

#include <linux/build_bug.h>
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/sizes.h>

/* Bytes. The partial blocks of a longer write hardly slow it down. */
#define ND_BOUNCE_MAX	SZ_1M

/* nd_bounce.vec is a page of the pool, too. */
static_assert(PAGE_SIZE / sizeof(struct bio_vec) >= ND_BOUNCE_MAX / PAGE_SIZE);

/**
 * struct nd_bounce - a bounce buffer
 * @vec: the pages, filled entirely but for the last
 * @nr: entries in @vec
 */
struct nd_bounce {
	struct bio_vec *vec;
	unsigned int nr;
};

int nd_pool_create(unsigned int kb);
void nd_pool_destroy(void);
bool nd_bounce_get(struct nd_bounce *bounce, size_t len, bool leave_half);
void nd_bounce_put(struct nd_bounce *bounce);

#endif
