/* SPDX-License-Identifier: GPL-2.0-only */
/* A reader of the files of an NFS mount, in a simulated page cache, with nfs-ra or without. */
#ifndef SEQKEEP_KUNIT_SIMMOUNT_H
#define SEQKEEP_KUNIT_SIMMOUNT_H

#include "nfs-ra/habit.h"
#include "sim/simcache.h"

#define MOUNT_PAGES	32UL	/* the mount's readahead, 128 KiB */
#define MAX_WINDOW	2048UL	/* 8 MiB */
#define RSIZE		256UL	/* bdi->io_pages of a mount with rsize 1 MiB */
#define FILE_PAGES	32768UL
#define BLOCK		16UL	/* a read of 64 KiB */

/**
 * struct simmount - one open file of a mount, and what is known of the files before
 * @cache: the file's cache
 * @ra: its readahead state
 * @mount_pages: the mount's readahead, pages
 * @grows: nfs-ra is there, and windows grow with use
 * @limited: nfs-ra is there, and the mount has a constant: windows are only bounded
 * @memory: see &nra_limits.memory
 * @largest: the largest window that was opened at a marker, pages
 * @missed: calls to page_cache_sync_ra()
 * @begin: where the read() at hand began, pages
 * @pread: nobody knows where that is
 * @habit: of the mount
 */
struct simmount {
	struct simcache cache;
	struct stock_ra ra;
	unsigned long mount_pages;
	bool grows;
	bool limited;
	unsigned long memory;
	unsigned int largest;
	unsigned long missed;
	unsigned long begin;
	bool pread;
	struct nra_habit habit;
};

/* The parameter of a case: how the kernel reads. */
static inline const struct sim_way *way_of(struct kunit *test)
{
	return test->param_value;
}

void sim_way_desc(const struct sim_way *way, char *desc);
struct simmount *simmount_alloc(struct kunit *test);
void sim_open_next(struct simmount *r, const struct sim_way *way, bool grows,
		   unsigned long pages);
void sim_reopen(struct simmount *r, const struct sim_way *way, bool grows);
void sim_read_file(struct simmount *r, unsigned long index, unsigned long nr);
void sim_read_piece(struct simmount *r, unsigned long index, unsigned long nr,
		    unsigned long block);

#endif
