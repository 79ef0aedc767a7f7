// SPDX-License-Identifier: GPL-2.0-only
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "memory.h"

/*
 * A window may take this part of the memory: some dozen files are read at a time, two windows
 * each.
 */
#define PART	64

#ifdef CONFIG_MEMCG
static unsigned long nra_cgroup_pages(unsigned long pages)
{
	struct mem_cgroup *memcg;

	for (memcg = mem_cgroup_from_task(current); memcg; memcg = parent_mem_cgroup(memcg))
		pages = min3(pages, READ_ONCE(memcg->memory.max), READ_ONCE(memcg->memory.high));
	return pages;
}
#else
static unsigned long nra_cgroup_pages(unsigned long pages)
{
	return pages;
}
#endif

/**
 * nra_memory_window - the largest window for the memory that the current task may use
 *
 * The kernel charges the pages that it reads ahead to the cgroup of the reader.
 *
 * Context: any but interrupts, under RCU.
 * Return: pages.
 */
unsigned long nra_memory_window(void)
{
	return nra_cgroup_pages(totalram_pages()) / PART;
}
