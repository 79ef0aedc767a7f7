/* SPDX-License-Identifier: GPL-2.0-only */
/* How the windows of a file that is read in sequence grow with multiple=auto. Pure. */
#ifndef NFS_RA_GROW_H
#define NFS_RA_GROW_H

#include <linux/types.h>

/**
 * struct nra_window - the last readahead window of a file, as in file_ra_state
 * @start: its first page
 * @size: pages
 * @async_size: pages from the marker to the end
 */
struct nra_window {
	unsigned long start;
	unsigned int size;
	unsigned int async_size;
};

/**
 * struct nra_run - the pages that were read in sequence up to now
 * @pages: their number, or less
 * @from_start: the run began at the start of the file
 */
struct nra_run {
	unsigned long pages;
	bool from_start;
};

/**
 * typedef nra_is_read_fn - whether a page of a file was read and is still cached
 * @data: the file
 * @index: the page
 */
typedef bool (*nra_is_read_fn)(void *data, unsigned long index);

bool nra_is_expected_marker(const struct nra_window *last, unsigned long index,
			    unsigned long folio_pages);
struct nra_run nra_run_measure(unsigned long end, unsigned long unit, unsigned long max,
			       nra_is_read_fn is_read, void *data);
unsigned int nra_next_window(unsigned int size, unsigned long mount_pages,
			     unsigned long max_window, const struct nra_run *run);
void nra_enlarge_window(struct nra_window *last, unsigned int size);

#endif
