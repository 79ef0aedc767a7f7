/* SPDX-License-Identifier: GPL-2.0-only */
/* How large the windows of a file that is read in sequence become. Pure. */
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
 * enum nra_page - what the page cache says of a page of a file
 * @NRA_PAGE_ABSENT: it is not there
 * @NRA_PAGE_UNREAD: it is there, and was not read yet
 * @NRA_PAGE_READ: it was read, and is still there
 * @NRA_PAGE_EVICTED: the kernel has evicted it
 */
enum nra_page {
	NRA_PAGE_ABSENT,
	NRA_PAGE_UNREAD,
	NRA_PAGE_READ,
	NRA_PAGE_EVICTED,
};

/**
 * struct nra_run - the pages that were read in sequence up to now
 * @pages: their number, or less
 * @from_start: the run began at the start of the file; also if @pages is 0 because the reader did
 *	not come there in order
 * @evicted: the kernel has evicted pages before them
 * @dropped: the pages before @end of nra_run_measure() are not cached: their reader drops what it
 *	has read
 * @unsure: pages of it may have been left out; set by the caller, from nra_may_skip()
 */
struct nra_run {
	unsigned long pages;
	bool from_start;
	bool evicted;
	bool dropped;
	bool unsure;
};

/**
 * struct nra_limits - what bounds the next window
 * @file_pages: the file's own limit, to which the stock code lets a window grow
 * @mount_pages: the mount's readahead, pages
 * @usual: the kernel's default readahead, pages
 * @max_window: the largest window that grows with use, pages; 0: windows do not grow
 * @memory: the largest window for the memory that the reader may use, pages
 * @smallest: of nra_smallest_window(): no window is made smaller than this, pages
 * @read: the length of the read() that hits the marker, if that is known, up to a READ; otherwise
 *	@smallest; pages
 * @from_start: of nra_habit_window(): the largest window of a run from the start of the file, if
 *	windows grow, pages
 */
struct nra_limits {
	unsigned long file_pages;
	unsigned long mount_pages;
	unsigned long usual;
	unsigned long max_window;
	unsigned long memory;
	unsigned long smallest;
	unsigned long read;
	unsigned long from_start;
};

/**
 * struct nra_read - a read() that hits a marker
 * @index: the first page of the folio with the marker
 * @folio_pages: pages in it
 * @begin: the page with its first byte, if it is a read(); otherwise any
 * @req: what it still wants, from @index on, pages
 * @first: no read() of the open file has ended before
 */
struct nra_read {
	unsigned long index;
	unsigned long folio_pages;
	unsigned long begin;
	unsigned long req;
	bool first;
};

/**
 * typedef nra_page_fn - look up a page of a file
 * @data: the file
 * @index: the page
 */
typedef enum nra_page (*nra_page_fn)(void *data, unsigned long index);

bool nra_is_expected_marker(const struct nra_window *last, unsigned long index,
			    unsigned long folio_pages);
bool nra_begin_is_known(unsigned long prev, const struct nra_read *read);
bool nra_may_skip(unsigned long end, const struct nra_read *read);
unsigned long nra_run_end(unsigned long end, const struct nra_read *read, nra_page_fn page,
			  void *data);
struct nra_run nra_run_measure(unsigned long end, unsigned long unit, unsigned long max,
			       nra_page_fn page, void *data);
unsigned long nra_stock_window(unsigned int size, unsigned long file_pages);
unsigned long nra_read_length(unsigned long prev, unsigned long end, const struct nra_read *read);
unsigned long nra_smallest_window(unsigned int size, unsigned long mount_pages,
				  unsigned long usual, unsigned long read, unsigned long io_pages);
unsigned long nra_run_grows(unsigned int size);
unsigned long nra_run_enough(unsigned int size, const struct nra_limits *limits);
unsigned int nra_next_window(unsigned int size, const struct nra_limits *limits,
			     const struct nra_run *run);
void nra_steer_window(struct nra_window *last, unsigned int next, unsigned long file_pages);

#endif
