// SPDX-License-Identifier: GPL-2.0-only
/*
 * The size of the windows of files. With multiple=auto they grow with use. With any rule they are
 * bounded where memory is short, because pages that are evicted before they are read are fetched
 * twice.
 *
 * page_cache_async_ra() computes the next window of a file from the last one, and makes it no
 * smaller. So before it runs, the hook makes the last window in file_ra_state one after which the
 * wanted one follows, and afterwards counts which one did.
 *
 * The module stores nothing per file. The page cache shows how far a file was read in sequence,
 * and the file's own file_ra_state how large its windows have become. The stock code resets that
 * state whenever a read does not continue. So there is nothing to restore, a seek ends the growth,
 * and other users of ra_pages (faults, ctxra, POSIX_FADV_SEQUENTIAL) see the mount's value. Of a
 * mount it stores how far the last files were read from their start (habit.c).
 *
 * Kernels differ in whether a window may be larger than ra_pages, the limit of a file: some lack
 * the max() (docs/design/nfs-ra.md lists them). Where it turns out to be missing, ra_pages is
 * larger during the call.
 *
 * Readers that share an open file race for its state, as they do in the stock code. At worst a
 * window gets another size, or is not opened.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>

#include "common/folio_use.h"
#include "common/hook.h"
#include "common/module.h"
#include "common/read_racy.h"
#include "counters.h"
#include "decide.h"
#include "memory.h"
#include "mounts.h"
#include "windows.h"

/* Calls in flight whose window is steered. Each waits for memory at most. */
#define MAX_CALLS	256

/*
 * So many times in a row page_cache_async_ra() opened no window beyond ra_pages. Once may be
 * another thread, which missed a page of the window at the same time.
 */
#define NO_MAX_SEEN	2
static unsigned int nra_no_max;

/**
 * struct nra_call - a call whose window is steered
 * @ra: the state of the open file, which the caller keeps open
 * @end: of the last window; the next one begins there
 * @next: the wanted one, pages
 * @max_window: see &nra_limits.max_window
 * @limited: @next is smaller than the stock code's
 * @ra_pages: the file's limit, to be restored; 0: it was not changed
 */
struct nra_call {
	struct file_ra_state *ra;
	unsigned long end;
	unsigned int next;
	unsigned long max_window;
	bool limited;
	unsigned int ra_pages;
};

/* The caller holds rcu_read_lock(). */
static enum nra_page nra_look_up(void *mapping, unsigned long index)
{
	const struct folio *folio = xa_load(&((struct address_space *)mapping)->i_pages, index);

	if (xa_is_value(folio))
		return NRA_PAGE_EVICTED;
	if (!folio)
		return NRA_PAGE_ABSENT;
	return folio_flags_say_read(compat_folio_flags(folio)) ? NRA_PAGE_READ : NRA_PAGE_UNREAD;
}

/*
 * Whether page_cache_async_ra() may read on for an open file of an NFS mount, at a marker of a
 * sequential reader. Another module, such as ctxra, calls it with a state of its own.
 */
static bool nra_may_steer(const struct readahead_control *ractl, struct folio *folio)
{
	const struct file *file = ractl->file;

	if (ractl->mapping->host->i_sb->s_magic != NFS_SUPER_MAGIC)
		return false;
	if (!file || ractl->ra != &file->f_ra)
		return false;
	if (READ_RACY(file->f_mode) & FMODE_RANDOM || mapping_mapped(ractl->mapping))
		return false;
	/* The stock code will read nothing, because the bit means PG_reclaim. */
	return !folio_test_writeback(folio);
}

/* All but what the mount and the memory allow. */
static void nra_inspect(const struct readahead_control *ractl, struct folio *folio,
			unsigned long req, struct nra_marker *marker)
{
	const struct file_ra_state *ra = ractl->ra;
	const struct backing_dev_info *bdi = inode_to_bdi(ractl->mapping->host);
	/* -1: no read. */
	loff_t prev_pos = READ_ONCE(ra->prev_pos);

	*marker = (struct nra_marker) {
		.last = {
			.start = READ_ONCE(ra->start),
			.size = READ_ONCE(ra->size),
			.async_size = READ_ONCE(ra->async_size),
		},
		.read = {
			.index = ractl->_index,
			.folio_pages = folio_nr_pages(folio),
			/* read() moves it when it ends. pread() and others do not use it. */
			.begin = (u64)READ_RACY(ractl->file->f_pos) >> PAGE_SHIFT,
			.req = req,
			.first = prev_pos < 0,
		},
		.prev = (u64)prev_pos >> PAGE_SHIFT,
		.eof = DIV_ROUND_UP_ULL(i_size_read(ractl->mapping->host), PAGE_SIZE),
		.file_pages = READ_ONCE(ra->ra_pages),
		.mount_pages = READ_ONCE(bdi->ra_pages),
		.usual = VM_READAHEAD_PAGES,
		.io_pages = READ_ONCE(bdi->io_pages),
		.page = nra_look_up,
		.data = ractl->mapping,
	};
}

/* Set call->next and what it depends on. Returns false if the windows of the mount are not ours. */
static bool nra_decide_for(const struct backing_dev_info *bdi, struct nra_marker *marker,
			   struct nra_call *call)
{
	bool ours;

	rcu_read_lock();
	ours = nra_mounts_limits(bdi, &marker->max_window, &marker->habit);
	if (ours) {
		marker->memory = nra_memory_window();
		call->next = nra_decide(marker);
	}
	rcu_read_unlock();
	if (!ours)
		return false;
	/* A kernel without the max() would go back to the file's limit. */
	if (!call->next && READ_ONCE(nra_no_max) >= NO_MAX_SEEN &&
	    marker->last.size > marker->file_pages)
		call->next = marker->last.size;
	call->max_window = marker->max_window;
	call->limited = call->next < nra_stock_window(marker->last.size, marker->file_pages);
	if (!call->next && marker->last.size < marker->max_window)
		nra_count(NRA_C_AUTO_UNPROVEN);
	return true;
}

static void nra_steer(const struct nra_marker *marker, struct nra_call *call)
{
	struct file_ra_state *ra = call->ra;
	struct nra_window last = marker->last;
	/* Read anew: posix_fadvise() or another call may have set it since. */
	unsigned long ra_pages = READ_ONCE(ra->ra_pages);

	call->end = last.start + last.size;
	call->ra_pages = 0;
	/*
	 * Make it larger than posix_fadvise() does, which is twice the mount's: then another call
	 * for the same open file sees that this one has made it so, and will restore it.
	 */
	if (READ_ONCE(nra_no_max) >= NO_MAX_SEEN && call->next > ra_pages &&
	    ra_pages <= 2 * marker->mount_pages) {
		call->ra_pages = ra_pages;
		call->next = max_t(unsigned long, call->next, 2 * marker->mount_pages + 1);
		ra_pages = call->next;
		WRITE_ONCE(ra->ra_pages, ra_pages);
	}
	nra_steer_window(&last, call->next, ra_pages);
	WRITE_ONCE(ra->start, last.start);
	WRITE_ONCE(ra->size, last.size);
}

/* At a marker that is not the expected one. The stock code opens the window, and sizes it. */
static void nra_go_on(const struct backing_dev_info *bdi, struct file_ra_state *ra,
		      struct nra_marker *marker)
{
	struct nra_window window;
	bool grown;

	rcu_read_lock();
	grown = nra_mounts_limits(bdi, &marker->max_window, &marker->habit) &&
		nra_take_over(marker, &window);
	rcu_read_unlock();
	if (!grown || seqkeep_is_observing())
		return;
	nra_count(NRA_C_AUTO_TAKEN_OVER);
	WRITE_ONCE(ra->start, window.start);
	WRITE_ONCE(ra->size, window.size);
	WRITE_ONCE(ra->async_size, window.async_size);
}

static bool nra_async_ra_entry(struct pt_regs *regs, void *data)
{
	struct backing_dev_info *bdi;
	struct readahead_control *ractl = (void *)regs_get_kernel_argument(regs, 0);
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 1);
	struct nra_call *call = data;
	struct nra_marker marker;

	if (!nra_may_steer(ractl, folio))
		return false;
	nra_inspect(ractl, folio, regs_get_kernel_argument(regs, 2), &marker);
	/* With a limit of 0, readahead is off. */
	if (!marker.file_pages)
		return false;
	bdi = inode_to_bdi(ractl->mapping->host);
	if (!nra_is_expected_marker(&marker.last, marker.read.index, marker.read.folio_pages)) {
		nra_go_on(bdi, ractl->ra, &marker);
		return false;
	}
	if (!nra_decide_for(bdi, &marker, call))
		return false;
	if (seqkeep_is_observing()) {
		if (call->next)
			nra_count(call->limited ? NRA_C_WOULD_LIMIT : NRA_C_WOULD_GROW);
		return false;
	}
	/*
	 * No larger than in the stock code's windows. Later writes to a file wait for each other
	 * within a folio (nfs_wb_folio()), and of a large one that cannot be allocated the kernel
	 * makes single pages.
	 */
	if (nra_limits_folios(&marker, call->next))
		compat_ra_limit_order(ractl->ra, ilog2(max(marker.mount_pages, 1UL)));
	if (!call->next)
		return false;
	call->ra = ractl->ra;
	nra_steer(&marker, call);
	return true;
}
NOKPROBE_SYMBOL(nra_async_ra_entry);

/* The newest kernels cut a window to whole folios: by a quarter at most. */
static bool nra_is_about(unsigned int size, unsigned int wanted)
{
	return size >= wanted - wanted / 4;
}

/* A window beyond ra_pages was wanted, and one of @size was opened. */
static void nra_note_max(const struct nra_call *call, unsigned int ra_pages, unsigned int size)
{
	unsigned int seen = READ_ONCE(nra_no_max);

	if (call->ra_pages || call->next <= ra_pages || seen >= NO_MAX_SEEN)
		return;
	if (size > ra_pages)
		seen = 0;
	else if (!nra_is_about(size, call->next))
		seen++;
	WRITE_ONCE(nra_no_max, seen);
	if (seen == NO_MAX_SEEN)
		pr_info("this kernel opens no window beyond a file's readahead: raising the latter for each large window\n");
}

static void nra_async_ra_return(struct pt_regs *regs, void *data)
{
	struct nra_call *call = data;
	struct file_ra_state *ra = call->ra;
	unsigned int size = READ_ONCE(ra->size), ra_pages = READ_ONCE(ra->ra_pages);

	/* Unless somebody, such as posix_fadvise(), has set it meanwhile. */
	if (call->ra_pages)
		cmpxchg(&ra->ra_pages, call->next, call->ra_pages);
	/* Not opened, because the cgroup is congested, or another reader was faster. */
	if (READ_ONCE(ra->start) != call->end)
		return;
	nra_note_max(call, ra_pages, size);
	if (call->limited)
		nra_count(NRA_C_LIMITED);
	else if (nra_is_about(size, call->next))
		nra_count(call->next == call->max_window ? NRA_C_AUTO_FULL : NRA_C_AUTO_GROWN);
	else
		nra_count(NRA_C_AUTO_IGNORED);
}
NOKPROBE_SYMBOL(nra_async_ra_return);

static struct hook hooks[] = {
	{
		.spec = { .symbol = "page_cache_async_ra", .kind = HOOK_ENTRY },
		.entry = nra_async_ra_entry,
		.returned = nra_async_ra_return,
		.data_size = sizeof(struct nra_call),
		.max_calls = MAX_CALLS,
	},
};

static struct hook_set set = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

/**
 * nra_window_hooks_register - hook page_cache_async_ra()
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int nra_window_hooks_register(void)
{
	WRITE_ONCE(nra_no_max, 0);
	return hooks_register(&set);
}

void nra_window_hooks_unregister(void)
{
	hooks_unregister(&set);
}
