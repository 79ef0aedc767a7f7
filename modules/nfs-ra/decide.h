/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides on the next window of a file at a marker. Pure, but for the habit of the mount. */
#ifndef NFS_RA_DECIDE_H
#define NFS_RA_DECIDE_H

#include "grow.h"
#include "habit.h"

/**
 * struct nra_marker - a read() that hits a marker of a file, and what bounds its windows
 * @last: the file's last window
 * @read: the read()
 * @prev: the page after the last one that the read() before it copied; if there was none, beyond
 *	any file
 * @eof: pages of the file
 * @file_pages: see &nra_limits.file_pages
 * @mount_pages: see &nra_limits.mount_pages
 * @usual: see &nra_limits.usual
 * @io_pages: the largest READ of the mount, pages
 * @max_window: see &nra_limits.max_window
 * @memory: see &nra_limits.memory
 * @habit: of the mount; the window is noted in it, if windows grow
 * @page: looks up a page of the file
 * @data: for @page
 */
struct nra_marker {
	struct nra_window last;
	struct nra_read read;
	unsigned long prev;
	unsigned long eof;
	unsigned long file_pages;
	unsigned long mount_pages;
	unsigned long usual;
	unsigned long io_pages;
	unsigned long max_window;
	unsigned long memory;
	struct nra_habit *habit;
	nra_page_fn page;
	void *data;
};

unsigned int nra_decide(const struct nra_marker *marker);
bool nra_take_over(const struct nra_marker *marker, struct nra_window *window);
bool nra_limits_folios(const struct nra_marker *marker, unsigned int next);

#endif
