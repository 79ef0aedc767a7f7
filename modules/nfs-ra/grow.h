/* SPDX-License-Identifier: GPL-2.0-only */
/* How the windows of a file that is read in sequence grow, with multiple=auto. Pure. */
#ifndef NFS_RA_GROW_H
#define NFS_RA_GROW_H

#include <linux/types.h>

/**
 * struct nra_window - where a file's readahead stands
 * @start: first page of the last window
 * @size: pages in it
 * @async_size: how many of them the marker and what follows it are
 */
struct nra_window {
	unsigned long start;
	unsigned int size;
	unsigned int async_size;
};

/**
 * struct nra_run - what was read without a gap up to now
 * @pages: that many, at least
 * @from_start: it began at the start of the file
 */
struct nra_run {
	unsigned long pages;
	bool from_start;
};

/**
 * typedef nra_is_read_fn - whether a page of a file was read, and is cached still
 * @data: which file
 * @index: the page
 */
typedef bool (*nra_is_read_fn)(void *data, unsigned long index);

bool nra_is_expected_marker(const struct nra_window *last, unsigned long index,
			    unsigned long folio_pages);
struct nra_run nra_run_length(unsigned long end, unsigned long unit, unsigned long max,
			      nra_is_read_fn is_read, void *data);
unsigned int nra_next_window(unsigned int size, unsigned long mount_pages,
			     unsigned long max_window, const struct nra_run *run);
void nra_enlarge_window(struct nra_window *last, unsigned int size);

#endif
