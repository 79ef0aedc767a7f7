// SPDX-License-Identifier: GPL-2.0-only
/*
 * The readahead code, hooked where it is entered and where it begins to read:
 *
 *   page_cache_sync_ra(ractl, req)           a page that is asked for is missing
 *   page_cache_async_ra(ractl, folio, req)   a reader met the readahead marker
 *   page_cache_ra_order(ractl, ra)           a window was placed; faults call it
 *   force_page_cache_ra(ractl, nr)           read just that; fadvise calls it
 *   page_cache_ra_unbounded(ractl, nr)       pages are read; file systems call it
 *
 * The last three run inside the first two, or on their own. Inside, they tell
 * what the stock code decided, at a moment when nobody has put anything back
 * yet: ctxra hooks the first two as well, and whichever of us is called first
 * there, the window that is being read is seen here.
 */
#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/pagemap.h>

#include "account.h"
#include "calls.h"
#include "common/compat/blk-cgroup.h"
#include "common/hook.h"
#include "common/read_racy.h"
#include "common/ra_mark.h"
#include "doors.h"
#include "pages.h"
#include "top.h"
#include "tracing.h"

/* Calls at a time that each hook can follow; more are counted as missed. */
#define MAX_CALLS	1024

static const enum ra_pattern pattern_of_mark[RA_NR_MARKS] = {
	[RA_MARK_NONE] = RA_NONE,
	[RA_MARK_TRAIL] = RA_TRAIL,
	[RA_MARK_REVERSE] = RA_REVERSE,
	[RA_MARK_STRIDE] = RA_STRIDE,
	[RA_MARK_THRASH] = RA_THRASH,
	[RA_MARK_RESIZED] = RA_NONE,
};

/*
 * Whether new calls are looked at: while the hooks and the tracepoints are put in place or taken
 * out one after the other, only a part of each would be seen.
 */
static bool are_open;

static struct readahead_control *ractl_of(struct pt_regs *regs)
{
	return (struct readahead_control *)regs_get_kernel_argument(regs, 0);
}
NOKPROBE_SYMBOL(ractl_of);

/* The running call that this one is part of. */
static struct ra_call *outer_call(const struct readahead_control *ractl)
{
	struct ra_place *place = ra_calls_find(ractl->mapping);

	return place ? &place->call : NULL;
}
NOKPROBE_SYMBOL(outer_call);

/**
 * struct door_call - what a hook remembers of a call until it returns
 * @call: in its place in the table, or @spare
 * @spare: if the table had no place
 */
struct door_call {
	struct ra_call *call;
	struct ra_call spare;
};

/* The open file's own: another module may have given the call a state of its own already. */
static const struct file_ra_state *own_state(const struct ra_call *call)
{
	return call->file ? &call->file->f_ra : call->ra;
}
NOKPROBE_SYMBOL(own_state);

static struct ra_window window_of(const struct file_ra_state *ra)
{
	return (struct ra_window) { READ_RACY(ra->start), READ_RACY(ra->size), READ_RACY(ra->async_size) };
}
NOKPROBE_SYMBOL(window_of);

/*
 * Whether reads pass the block layer under the file system's number. One with a bdi of its own
 * does not read its disk itself: for fuseblk a process does.
 */
static bool reads_own_disk(const struct super_block *sb)
{
	return sb->s_bdev && !(READ_RACY(sb->s_iflags) & SB_I_PERSB_BDI);
}
NOKPROBE_SYMBOL(reads_own_disk);

/* Look at a call that is part of no other. NULL: not now. */
static struct ra_call *call_begin(struct door_call *door_call, enum ra_door door,
				  struct readahead_control *ractl, unsigned long nr)
{
	struct ra_call *call = &door_call->spare;
	struct ra_place *place;
	struct inode *inode = ractl->mapping->host;
	dev_t dev = ra_dev_of(inode);
	const struct file_ra_state *ra = ractl->ra;
	loff_t size = i_size_read(inode);
	bool own_disk = S_ISBLK(inode->i_mode) || reads_own_disk(inode->i_sb);

	if (!READ_ONCE(are_open))
		return NULL;
	*call = (struct ra_call) {
		.ractl = ractl,
		.file = ractl->file,
		.ra = ractl->ra,
		.own_file = ractl->file && ractl->file->f_mapping == ractl->mapping,
		.dev = ra_account_dev(dev, own_disk),
		.own_disk = own_disk,
		.seen = {
			.door = door,
			.index = ractl->_index,
			.nr = nr,
			.marker_pages = 1,
			.hint = ractl->file && (READ_RACY(ractl->file->f_mode) & FMODE_RANDOM),
			.last_index = size ? (size - 1) >> PAGE_SHIFT : -1UL,
		},
	};
	if (ra) {
		call->seen.before = window_of(ra);
		call->seen.prev_index = (u64)READ_RACY(ra->prev_pos) >> PAGE_SHIFT;
		call->seen.ra_pages = READ_RACY(own_state(call)->ra_pages);
	}
	place = ra_calls_begin(call, ractl->mapping, dev);
	if (place)
		call = &place->call;
	else
		ra_count(misc[RA_NOT_FOLLOWED], 1);
	door_call->call = call;
	return call;
}
NOKPROBE_SYMBOL(call_begin);

/* The stock code has decided: what is read from here on belongs to that pattern. */
static void classify(struct ra_call *call, const struct file_ra_state *ra)
{
	struct ra_seen *seen = &call->seen;

	if (call->classified)
		return;
	seen->steered = ra && ra != own_state(call);
	if (seen->steered) {
		seen->mark = pattern_of_mark[ra_mark_get(ra)];
		if (ra_mark_get(ra) == RA_MARK_RESIZED) {
			seen->steered = false;
			seen->ra_pages = READ_RACY(ra->ra_pages);
		}
	}
	call->pattern = ra_classify(seen);
	call->classified = true;
}
NOKPROBE_SYMBOL(classify);

static void window_placed(struct ra_call *call, unsigned long start, const struct file_ra_state *ra)
{
	call->seen.placed = true;
	call->seen.after = window_of(ra);
	call->seen.after.start = start;
	classify(call, ra);
}
NOKPROBE_SYMBOL(window_placed);

static bool sync_entry(struct pt_regs *regs, void *data)
{
	return call_begin(data, RA_SYNC, ractl_of(regs), regs_get_kernel_argument(regs, 1));
}
NOKPROBE_SYMBOL(sync_entry);

static bool async_entry(struct pt_regs *regs, void *data)
{
	struct folio *folio = (struct folio *)regs_get_kernel_argument(regs, 1);
	struct ra_call *call = call_begin(data, RA_ASYNC, ractl_of(regs),
					  regs_get_kernel_argument(regs, 2));

	if (!call)
		return false;
	call->seen.marker_pages = folio_nr_pages(folio);
	call->seen.writeback = folio_test_writeback(folio);
	return true;
}
NOKPROBE_SYMBOL(async_entry);

static bool order_entry(struct pt_regs *regs, void *data)
{
	const struct file_ra_state *ra = (void *)regs_get_kernel_argument(regs, 1);
	struct readahead_control *ractl = ractl_of(regs);
	struct ra_call *outer = outer_call(ractl);
	struct ra_call *call = outer ?: call_begin(data, RA_FAULT, ractl, 0);

	if (call && !call->classified)
		window_placed(call, ractl->_index, ra);
	return call && !outer;
}
NOKPROBE_SYMBOL(order_entry);

static bool force_entry(struct pt_regs *regs, void *data)
{
	struct ra_call *outer = outer_call(ractl_of(regs));

	if (!outer)
		return call_begin(data, RA_WILLNEED, ractl_of(regs),
				  regs_get_kernel_argument(regs, 1));
	outer->seen.forced = true;
	return false;
}
NOKPROBE_SYMBOL(force_entry);

static bool unbounded_entry(struct pt_regs *regs, void *data)
{
	unsigned long nr = regs_get_kernel_argument(regs, 1);
	struct readahead_control *ractl = ractl_of(regs);
	struct ra_call *outer = outer_call(ractl);
	struct ra_call *call = outer ?: call_begin(data, RA_OTHER, ractl, nr);

	if (!call)
		return false;
	call->seen.asked += nr;
	classify(call, ractl->ra);
	return !outer;
}
NOKPROBE_SYMBOL(unbounded_entry);

static struct hook hooks[];

/* A kernel whose page_cache_ra_order() cannot be hooked still shows what it left behind. */
static void look_afterwards(struct ra_call *call)
{
	const struct file_ra_state *ra = call->ra;
	const struct ra_window *before = &call->seen.before;
	struct ra_window now;

	if (!ra)
		return;
	now = window_of(ra);
	if (now.start != before->start || now.size != before->size ||
	    now.async_size != before->async_size)
		window_placed(call, now.start, ra);
}
NOKPROBE_SYMBOL(look_afterwards);

static bool order_is_seen(void);

static void door_returned(struct pt_regs *regs, void *data)
{
	struct ra_call *call = ((struct door_call *)data)->call;
	struct ra_seen *seen = &call->seen;
	struct ra_place *place = call->place;
	enum ra_why why;

	if (place) {
		ra_pages_flush(place);
		seen->actual = max(place->pages, 0L);
	}
	if (!call->classified && !order_is_seen())
		look_afterwards(call);
	if (ra_happened(seen)) {
		classify(call, call->ra);
		ra_account(call->dev, call->pattern, seen);
		ra_top_count(call);
		ra_trace_call(call);
	} else if (seen->door == RA_ASYNC && seen->ra_pages && !seen->writeback) {
		seen->congested = compat_blk_cgroup_congested();
	}
	why = ra_why(seen);
	if (why != RA_WHY_NOT)
		ra_count(why[why], 1);
	if (place)
		ra_calls_end(place);
}
NOKPROBE_SYMBOL(door_returned);

enum { SYNC, ASYNC, ORDER, FORCE, UNBOUNDED };

#define DOOR(function, on_entry, may_lack) {					\
	.spec = { .symbol = function, .kind = HOOK_ENTRY, .optional = may_lack },	\
	.entry = on_entry,							\
	.returned = door_returned,						\
	.data_size = sizeof(struct door_call),					\
	.max_calls = MAX_CALLS,							\
}

static struct hook hooks[] = {
	[SYNC] = DOOR("page_cache_sync_ra", sync_entry, false),
	[ASYNC] = DOOR("page_cache_async_ra", async_entry, false),
	[ORDER] = DOOR("page_cache_ra_order", order_entry, true),
	[FORCE] = DOOR("force_page_cache_ra", force_entry, true),
	[UNBOUNDED] = DOOR("page_cache_ra_unbounded", unbounded_entry, true),
};

static struct hook_set doors = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

static bool order_is_seen(void)
{
	return hook_is_active(&hooks[ORDER]);
}
NOKPROBE_SYMBOL(order_is_seen);

/**
 * ra_doors_open - hook the readahead code
 *
 * Context: may sleep; the table of calls exists.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int ra_doors_open(void)
{
	int err;

	compat_blk_cgroup_init();
	err = hooks_register(&doors);
	WRITE_ONCE(are_open, !err);
	return err;
}

/**
 * ra_doors_shut - look at no further call
 *
 * Those that are running are looked at until they return or the hooks are out.
 *
 * Context: any.
 */
void ra_doors_shut(void)
{
	WRITE_ONCE(are_open, false);
}

/**
 * ra_doors_close - take the hooks out
 *
 * Context: may sleep, after ra_doors_shut(). No callback runs when it returns.
 */
void ra_doors_close(void)
{
	hooks_unregister(&doors);
}

/**
 * ra_doors_missed - calls that the hooks could not look at
 *
 * Return: their number since the hooks were put in place.
 */
unsigned long ra_doors_missed(void)
{
	return hooks_missed(&doors);
}

/**
 * ra_doors_see - whether readahead of a pattern can be seen
 * @pattern: the pattern
 *
 * Return: false while disabled, and if this kernel lacks the hook that it takes.
 */
bool ra_doors_see(enum ra_pattern pattern)
{
	switch (pattern) {
	case RA_MMAP:
		return hook_is_active(&hooks[ORDER]);
	case RA_FADVISE:
		return hook_is_active(&hooks[FORCE]);
	case RA_NONE:
		return hook_is_active(&hooks[UNBOUNDED]);
	case RA_RANDOM:
		return hook_is_active(&hooks[UNBOUNDED]) && hook_is_active(&hooks[SYNC]);
	default:
		return hook_is_active(&hooks[SYNC]);
	}
}
