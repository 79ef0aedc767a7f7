// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks at the two entry points of the stock readahead code:
 *
 *   page_cache_sync_ra(ractl, req)		a reader missed a page
 *   page_cache_async_ra(ractl, folio, req)	a reader met the readahead marker
 *
 * A call that belongs to a shared stream gets a file_ra_state of its own, with values that
 * make the unchanged stock function read the window that the policy chose. The state lives
 * as long as the call: see HOOK_ENTRY in common/hook.h.
 */
#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/sched.h>

#include "common/compat/blk-cgroup.h"
#include "common/compat/readahead.h"
#include "common/compat/regs.h"
#include "common/hook.h"
#include "common/module.h"
#include "common/read_racy.h"
#include "common/ra_mark.h"
#include "counters.h"
#include "ctxra.h"
#include "disks.h"
#include "hooks.h"
#include "pagecache.h"
#include "params.h"
#include "steer.h"
#include "table.h"

/* Concurrent calls that can be steered. The stock code gets the others; they are counted. */
#define MAX_CALLS	512

/**
 * struct ctxra_call - a call to the stock code that has a state of ours
 * @ra: that state
 * @ractl: the caller's control, valid until the call returns
 * @file_ra: the file's own state; @ractl points to it again after the call
 * @slot: the window's slot in the table, -1 for none
 * @resized: only the size of the window is ours, the stock code decides the rest
 * @before: if @resized, the file's own state at the start of the call
 * @base: if the window may be larger than the device's, pages of that; else 0
 */
struct ctxra_call {
	struct file_ra_state ra;
	struct readahead_control *ractl;
	struct file_ra_state *file_ra;
	int slot;
	bool resized;
	struct file_ra_state before;
	unsigned long base;
};

static void count(enum ctxra_counter counter, u64 n)
{
	stats_add(&ctxra_stats, counter, n);
}

static bool count_bypass(enum ctxra_counter reason)
{
	count(reason, 1);
	return false;
}

/*
 * A page fault at a marker gives the file's window, though it needs a page. So may a read, but not
 * one of a kernel thread, which takes no fault.
 */
static bool is_fault(const struct readahead_control *ractl, const struct folio *folio,
		     unsigned long nr)
{
	return folio && current->mm && nr == READ_RACY(ractl->ra->ra_pages) &&
	       mapping_mapped(ractl->mapping);
}

/* Fill in the call's plain values. False if it is not for us. @folio: with the marker, or NULL */
static bool ctxra_args_init(const struct readahead_control *ractl, struct folio *folio,
			    unsigned long nr, struct ctxra_args *args)
{
	const struct file_ra_state *ra = ractl->ra;
	struct inode *inode = ractl->mapping->host;
	unsigned long part = ctxra_submission_pages();
	struct ctxra_settings settings;
	bool is_file = S_ISREG(inode->i_mode) || S_ISBLK(inode->i_mode);

	/*
	 * The blocks of an open directory belong to another mapping. A state that is not the
	 * file's own belongs to a file system that reads for itself. fs-verity on 6.1 uses the
	 * control again after the call, when our state is freed if the hooks were unregistered.
	 */
	if (!ractl->file || ractl->file->f_mapping != ractl->mapping ||
	    ra != &ractl->file->f_ra || !is_file || IS_DAX(inode))
		return count_bypass(CTXRA_C_LEFT_NOT_A_FILE);
	if (READ_RACY(ractl->file->f_mode) & FMODE_RANDOM)
		return count_bypass(CTXRA_C_LEFT_RANDOM_HINT);
	settings = ctxra_device_settings(inode, inode_to_bdi(inode));
	if (!settings.win_pages || !READ_RACY(ra->ra_pages))
		return count_bypass(CTXRA_C_LEFT_READAHEAD_OFF);
	if (is_fault(ractl, folio, nr))
		nr = 1;
	if (nr > settings.win_pages)
		return count_bypass(CTXRA_C_LEFT_OVERSIZE);
	if (!settings.chosen)
		return count_bypass(CTXRA_C_LEFT_DEVICE);
	if (compat_blk_cgroup_congested())
		return count_bypass(CTXRA_C_LEFT_CONGESTED);
	nr = max(nr, 1UL);
	*args = (struct ctxra_args){
		.index = ractl->_index,
		.nr = nr,
		.win = part ? clamp(part, nr, settings.win_pages) : settings.win_pages,
		.ahead = settings.win_pages,
		.eof = DIV_ROUND_UP_ULL(i_size_read(inode), PAGE_SIZE),
		.patterns = ctxra_patterns(),
		.ra_start = READ_RACY(ra->start),
		.ra_size = READ_RACY(ra->size),
		.ra_async_size = READ_RACY(ra->async_size),
		.prev_index = (u64)READ_RACY(ra->prev_pos) >> PAGE_SHIFT,
		.now_ms = jiffies_to_msecs(jiffies),
	};
	if (settings.auto_window && !part)
		args->grown = ctxra_disks_window(inode, settings.win_pages);
	if (folio) {
		/* A page fault may meet the marker at any page of its folio. */
		args->folio_nr = folio_nr_pages(folio);
		args->index = round_down(args->index, args->folio_nr);
	}
	return true;
}

static enum ctxra_verdict ctxra_follow(const struct readahead_control *ractl,
				       const struct ctxra_args *args, struct ctxra_window *win,
				       int *slot)
{
	struct inode *inode = ractl->mapping->host;
	struct ctxra_file file = {
		.mapping = ractl->mapping,
		.ino = inode->i_ino,
		.generation = inode->i_generation,
	};
	enum ctxra_verdict verdict = ctxra_table_follow(ractl->mapping, &file, args, win, slot);

	if (verdict == CTXRA_STOCK)
		count(ctxra_args_in_order(args) ? CTXRA_C_LEFT_IN_ORDER : CTXRA_C_LEFT_UNSURE, 1);
	else if (verdict == CTXRA_FILLED)
		count(CTXRA_C_LEFT_CACHED, 1);
	return verdict;
}

/* Let the stock function see a copy of the file's state instead of the state itself. */
static void ctxra_replace_state(struct ctxra_call *call, struct readahead_control *ractl,
				int slot)
{
	call->slot = slot;
	call->resized = false;
	call->base = 0;
	call->ractl = ractl;
	call->file_ra = ractl->ra;
	/* Calls on the same open file may change it: the stock code has no lock either. */
	call->ra = data_race(*ractl->ra);
	ractl->ra = &call->ra;
}

/* What is counted for a window of each pattern, and the pattern's mark for ra-trace. */
static const struct {
	enum ctxra_counter windows;
	enum ctxra_counter pages;
	enum ra_mark mark;
} pattern_info[CTXRA_NR_PATTERNS] = {
	[CTXRA_TRAIL] = { CTXRA_C_TRAIL_WINDOWS, CTXRA_C_TRAIL_PAGES, RA_MARK_TRAIL },
	[CTXRA_REORDER] = { CTXRA_C_REORDER_WINDOWS, CTXRA_C_REORDER_PAGES, RA_MARK_TRAIL },
	[CTXRA_REVERSE] = { CTXRA_C_REVERSE_WINDOWS, CTXRA_C_REVERSE_PAGES, RA_MARK_REVERSE },
	[CTXRA_STRIDE] = { CTXRA_C_STRIDE_WINDOWS, CTXRA_C_STRIDE_PAGES, RA_MARK_STRIDE },
	[CTXRA_THRASH] = { CTXRA_C_THRASH_WINDOWS, CTXRA_C_THRASH_PAGES, RA_MARK_THRASH },
};

/* Make the stock function read a window. */
static void ctxra_open_window(struct ctxra_call *call, struct readahead_control *ractl, int slot,
			      const struct ctxra_window *win, const struct ctxra_steering *st)
{
	count(pattern_info[win->pattern].windows, 1);
	count(pattern_info[win->pattern].pages, win->nr);
	ctxra_replace_state(call, ractl, slot);
	call->ra.start = st->start;
	call->ra.size = st->size;
	call->ra.async_size = st->async_size;
	call->ra.ra_pages = st->ra_pages;
	call->ra.prev_pos = st->prev_pos;
	ractl->_index = st->index;
	ra_mark_set(&call->ra, pattern_info[win->pattern].mark);
}

/*
 * Without us the stock code uses the window that the device had when the file was opened.
 * Make it use the device's current one, or max_kb, doubled if POSIX_FADV_SEQUENTIAL doubled
 * the file's. Write the size to a copy, because other calls on the same open file would take
 * it for the file's own.
 */
static bool ctxra_resize_window(struct ctxra_call *call, struct readahead_control *ractl,
				const struct ctxra_args *args)
{
	struct inode *inode = ractl->mapping->host;
	unsigned long pages = args->ahead, grown = ctxra_disks_note_stock(inode, args);
	const struct backing_dev_info *bdi = inode_to_bdi(inode);
	unsigned int file_pages = READ_RACY(ractl->ra->ra_pages);

	if (file_pages == 2 * READ_RACY(bdi->ra_pages))
		pages *= 2;
	/* nfs-ra has raised it for this call (nfs-ra/windows.c), or the mount's was larger. */
	if (file_pages > 2 * READ_RACY(bdi->ra_pages) &&
	    inode->i_sb->s_magic == NFS_SUPER_MAGIC)
		return false;
	pages = max(pages, grown);
	if (file_pages == pages)
		return false;
	count(CTXRA_C_RESIZED, 1);
	ctxra_replace_state(call, ractl, -1);
	if (grown)
		call->base = args->ahead;
	call->resized = true;
	call->before = call->ra;
	call->ra.ra_pages = pages;
	ra_mark_set(&call->ra, RA_MARK_RESIZED);
	return true;
}

/* Copy the window that the stock code opened to the file, unless another call changed it. */
static void ctxra_copy_back_state(const struct ctxra_call *call)
{
	const struct file_ra_state *before = &call->before, *after = &call->ra;
	struct file_ra_state *file_ra = call->file_ra;

	if (READ_RACY(file_ra->start) != before->start ||
	    READ_RACY(file_ra->size) != before->size ||
	    READ_RACY(file_ra->async_size) != before->async_size)
		return;
	if (call->base && after->start != before->start)
		ctxra_disks_count_grown(after->size, call->base);
	WRITE_ONCE(file_ra->start, after->start);
	WRITE_ONCE(file_ra->size, after->size);
	WRITE_ONCE(file_ra->async_size, after->async_size);
	compat_ra_copy_order(file_ra, after);
}

/*
 * Count what the module would do, and leave the call to the stock code. The policy goes on as if
 * its window had been opened.
 */
static bool ctxra_observe(const struct readahead_control *ractl, enum ctxra_verdict verdict,
			  int slot)
{
	if (verdict == CTXRA_OPEN) {
		count(CTXRA_C_WOULD_OPEN_WINDOWS, 1);
		ctxra_table_window_done(ractl->mapping, slot);
	} else if (verdict == CTXRA_SKIP_MARKER) {
		count(CTXRA_C_WOULD_SKIP_MARKERS, 1);
	}
	return false;
}

static bool ctxra_sync_ra_entry(struct pt_regs *regs, void *data)
{
	struct readahead_control *ractl = (void *)regs_get_kernel_argument(regs, 0);
	struct ctxra_steering st;
	struct ctxra_window win;
	struct ctxra_args args;
	enum ctxra_verdict verdict;
	int slot;

	if (!ctxra_args_init(ractl, NULL, regs_get_kernel_argument(regs, 1), &args))
		return false;
	verdict = ctxra_follow(ractl, &args, &win, &slot);
	if (seqkeep_is_observing())
		return ctxra_observe(ractl, verdict, slot);
	if (verdict != CTXRA_OPEN)
		return ctxra_resize_window(data, ractl, &args);
	ctxra_disks_note_opened(ractl->mapping->host, &args, &win);
	ctxra_steer_miss(&win, PAGE_SHIFT, &st);
	regs_set_kernel_argument(regs, 1, st.req);
	ctxra_open_window(data, ractl, slot, &win, &st);
	return true;
}
NOKPROBE_SYMBOL(ctxra_sync_ra_entry);

/*
 * Clear the marker and read nothing. If ra_pages is 0, page_cache_async_ra() of 6.1 to 7.3 returns
 * before it clears the marker. With any other value, even 1, it reads if the next page is missing.
 */
static bool ctxra_skip_marker(struct ctxra_call *call, struct readahead_control *ractl,
			      struct folio *folio)
{
	count(CTXRA_C_MARKERS_SKIPPED, 1);
	folio_clear_readahead(folio);
	ctxra_replace_state(call, ractl, -1);
	call->ra.ra_pages = 0;
	return true;
}

static bool ctxra_async_ra_entry(struct pt_regs *regs, void *data)
{
	struct readahead_control *ractl = (void *)regs_get_kernel_argument(regs, 0);
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 1);
	struct ctxra_call *call = data;
	struct ctxra_steering st;
	struct ctxra_window win;
	struct ctxra_args args;
	enum ctxra_verdict verdict;
	int slot;

	/* The stock code returns at once, because the bit is PG_reclaim during writeback. */
	if (folio_test_writeback(folio))
		return false;
	if (!ctxra_args_init(ractl, folio, regs_get_kernel_argument(regs, 2), &args))
		return false;
	verdict = ctxra_follow(ractl, &args, &win, &slot);
	if (seqkeep_is_observing())
		return ctxra_observe(ractl, verdict, slot);
	if (verdict == CTXRA_STOCK && ctxra_stock_reads_all(&args))
		verdict = CTXRA_SKIP_MARKER;
	if (verdict == CTXRA_STOCK)
		return ctxra_resize_window(call, ractl, &args);
	if (verdict == CTXRA_SKIP_MARKER)
		return ctxra_skip_marker(call, ractl, folio);
	ctxra_disks_note_opened(ractl->mapping->host, &args, &win);
	ctxra_steer_marker(&win, args.index, folio_order(folio), COMPAT_RA_ROUNDS_END, &st);
	regs_set_kernel_argument(regs, 2, st.req);
	ctxra_open_window(call, ractl, slot, &win, &st);
	compat_ra_set_order(&call->ra, st.order);
	return true;
}
NOKPROBE_SYMBOL(ctxra_async_ra_entry);

static void ctxra_ra_returned(struct pt_regs *regs, void *data)
{
	struct ctxra_call *call = data;

	call->ractl->ra = call->file_ra;
	if (call->resized)
		ctxra_copy_back_state(call);
	ctxra_table_window_done(call->ractl->mapping, call->slot);
}
NOKPROBE_SYMBOL(ctxra_ra_returned);

static struct hook ctxra_hooks[] = {
	{
		.spec = { .symbol = "page_cache_sync_ra", .kind = HOOK_ENTRY },
		.entry = ctxra_sync_ra_entry,
		.returned = ctxra_ra_returned,
		.data_size = sizeof(struct ctxra_call),
		.max_calls = MAX_CALLS,
	}, {
		.spec = { .symbol = "page_cache_async_ra", .kind = HOOK_ENTRY },
		.entry = ctxra_async_ra_entry,
		.returned = ctxra_ra_returned,
		.data_size = sizeof(struct ctxra_call),
		.max_calls = MAX_CALLS,
	},
};

static struct hook_set ctxra_hook_set = {
	.hooks = ctxra_hooks,
	.nr = ARRAY_SIZE(ctxra_hooks),
};

/**
 * ctxra_hooks_register - hook the readahead code
 *
 * Context: the table exists.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int ctxra_hooks_register(void)
{
	compat_blk_cgroup_init();
	return hooks_register(&ctxra_hook_set);
}

/* No callback runs when this returns. */
void ctxra_hooks_unregister(void)
{
	hooks_unregister(&ctxra_hook_set);
}

/* Calls that the hooks did not see since they were registered. */
unsigned long ctxra_hooks_missed(void)
{
	return hooks_missed(&ctxra_hook_set);
}
