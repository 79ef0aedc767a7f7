// SPDX-License-Identifier: GPL-2.0-only
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "pool.h"

/*
 * Pages are not allocated during a write: if client and server are one machine, the allocation
 * could wait for the very write that it is for.
 *
 * Protects the pool; no other lock is taken under it.
 */
static DEFINE_SPINLOCK(pool_lock);
static LIST_HEAD(pool);
static unsigned int nd_pool_free, nd_pool_pages;

/**
 * nd_pool_create - fill the pool
 * @kb: its size, KiB
 *
 * Context: may sleep; the caller serialises this with nd_pool_destroy().
 * Return: 0 or -ENOMEM.
 */
int nd_pool_create(unsigned int kb)
{
	unsigned int pages = DIV_ROUND_UP((u64)kb << 10, PAGE_SIZE);

	while (nd_pool_free < pages) {
		struct page *page = alloc_page(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);

		if (!page) {
			nd_pool_destroy();
			return -ENOMEM;
		}
		list_add(&page->lru, &pool);
		nd_pool_free++;
	}
	nd_pool_pages = pages;
	return 0;
}

/* All buffers have been put. */
void nd_pool_destroy(void)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, &pool, lru)
		__free_page(page);
	INIT_LIST_HEAD(&pool);
	nd_pool_free = 0;
}

static struct page *nd_pool_get_page(void)
{
	struct page *page = list_first_entry(&pool, struct page, lru);

	lockdep_assert_held(&pool_lock);
	list_del(&page->lru);
	nd_pool_free--;
	return page;
}

static void nd_pool_put_page(struct page *page)
{
	lockdep_assert_held(&pool_lock);
	list_add(&page->lru, &pool);
	nd_pool_free++;
}

/**
 * nd_bounce_get - take a bounce buffer from the pool
 * @bounce: set
 * @len: its length, bytes, 1 to %ND_BOUNCE_MAX
 * @leave_half: only if half of the pool stays free
 *
 * Context: any but interrupts.
 * Return: false if the pool has too few pages; then none was taken.
 */
bool nd_bounce_get(struct nd_bounce *bounce, size_t len, bool leave_half)
{
	unsigned int i, nr = DIV_ROUND_UP(len, PAGE_SIZE);

	spin_lock(&pool_lock);
	if (nd_pool_free < nr + 1 + (leave_half ? nd_pool_pages / 2 : 0)) {
		spin_unlock(&pool_lock);
		return false;
	}
	bounce->vec = page_address(nd_pool_get_page());
	bounce->nr = nr;
	for (i = 0; i < nr; i++) {
		bounce->vec[i].bv_page = nd_pool_get_page();
		bounce->vec[i].bv_offset = 0;
		bounce->vec[i].bv_len = min_t(size_t, len - i * PAGE_SIZE, PAGE_SIZE);
	}
	spin_unlock(&pool_lock);
	return true;
}

void nd_bounce_put(struct nd_bounce *bounce)
{
	unsigned int i;

	spin_lock(&pool_lock);
	for (i = 0; i < bounce->nr; i++)
		nd_pool_put_page(bounce->vec[i].bv_page);
	nd_pool_put_page(virt_to_page(bounce->vec));
	spin_unlock(&pool_lock);
}
