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
#include "hooks.h"
#include "pages.h"
#include "top.h"
#include "tracing.h"

/* Calls at a time that each hook can follow; more are counted as missed. */
#define MAX_CALLS	1024

static const enum rat_pattern pattern_of_mark[RA_NR_MARKS] = {
	[RA_MARK_NONE] = RAT_NONE,
	[RA_MARK_TRAIL] = RAT_TRAIL,
	[RA_MARK_REVERSE] = RAT_REVERSE,
	[RA_MARK_STRIDE] = RAT_STRIDE,
	[RA_MARK_THRASH] = RAT_THRASH,
	[RA_MARK_RESIZED] = RAT_NONE,
};

/*
 * Whether new calls are looked at: while the hooks and the tracepoints are put in place or taken
 * out one after the other, only a part of each would be seen.
 */
static bool taking_calls;

static struct readahead_control *ractl_of(struct pt_regs *regs)
{
	return (struct readahead_control *)regs_get_kernel_argument(regs, 0);
}
NOKPROBE_SYMBOL(ractl_of);

/* The running call that this one is part of. */
static struct rat_call *rat_outer_call(const struct readahead_control *ractl)
{
	struct rat_call_slot *slot = rat_calls_find(ractl->mapping);

	return slot ? &slot->call : NULL;
}
NOKPROBE_SYMBOL(rat_outer_call);

/**
 * struct rat_hook_call - what a hook remembers of a call until it returns
 * @call: in its place in the table, or @spare
 * @spare: if the table had no place
 */
struct rat_hook_call {
	struct rat_call *call;
	struct rat_call spare;
};

/* The open file's own: another module may have given the call a state of its own already. */
static const struct file_ra_state *rat_file_state(const struct rat_call *call)
{
	return call->file ? &call->file->f_ra : call->ra;
}
NOKPROBE_SYMBOL(rat_file_state);

static struct rat_window rat_window_of(const struct file_ra_state *ra)
{
	return (struct rat_window) { READ_RACY(ra->start), READ_RACY(ra->size), READ_RACY(ra->async_size) };
}
NOKPROBE_SYMBOL(rat_window_of);

/*
 * Whether reads pass the block layer under the file system's number. One with a bdi of its own
 * does not read its disk itself: for fuseblk a process does.
 */
static bool rat_reads_own_disk(const struct super_block *sb)
{
	return sb->s_bdev && !(READ_RACY(sb->s_iflags) & SB_I_PERSB_BDI);
}
NOKPROBE_SYMBOL(rat_reads_own_disk);

/* Look at a call that is part of no other. NULL: not now. */
static struct rat_call *rat_call_begin(struct rat_hook_call *hook_call, enum rat_entry_point entry_point,
				  struct readahead_control *ractl, unsigned long nr)
{
	struct rat_call *call = &hook_call->spare;
	struct rat_call_slot *slot;
	struct inode *inode = ractl->mapping->host;
	dev_t dev = rat_dev_of(inode);
	const struct file_ra_state *ra = ractl->ra;
	loff_t size = i_size_read(inode);
	bool own_disk = S_ISBLK(inode->i_mode) || rat_reads_own_disk(inode->i_sb);

	if (!READ_ONCE(taking_calls))
		return NULL;
	*call = (struct rat_call) {
		.ractl = ractl,
		.file = ractl->file,
		.ra = ractl->ra,
		.own_file = ractl->file && ractl->file->f_mapping == ractl->mapping,
		.dev = rat_account_dev_index(dev, own_disk),
		.own_disk = own_disk,
		.obs = {
			.entry_point = entry_point,
			.index = ractl->_index,
			.nr = nr,
			.marker_pages = 1,
			.random_hint = ractl->file && (READ_RACY(ractl->file->f_mode) & FMODE_RANDOM),
			.last_index = size ? (size - 1) >> PAGE_SHIFT : -1UL,
		},
	};
	if (ra) {
		call->obs.before = rat_window_of(ra);
		call->obs.prev_index = (u64)READ_RACY(ra->prev_pos) >> PAGE_SHIFT;
		call->obs.ra_pages = READ_RACY(rat_file_state(call)->ra_pages);
	}
	slot = rat_calls_add(call, ractl->mapping, dev);
	if (slot)
		call = &slot->call;
	else
		rat_count(misc[RAT_MISC_NOT_FOLLOWED], 1);
	hook_call->call = call;
	return call;
}
NOKPROBE_SYMBOL(rat_call_begin);

/* The stock code has decided: what is read from here on belongs to that pattern. */
static void rat_call_classify(struct rat_call *call, const struct file_ra_state *ra)
{
	struct rat_observation *obs = &call->obs;

	if (call->classified)
		return;
	obs->steered = ra && ra != rat_file_state(call);
	if (obs->steered) {
		obs->mark = pattern_of_mark[ra_mark_get(ra)];
		if (ra_mark_get(ra) == RA_MARK_RESIZED) {
			obs->steered = false;
			obs->ra_pages = READ_RACY(ra->ra_pages);
		}
	}
	call->pattern = rat_classify(obs);
	call->classified = true;
}
NOKPROBE_SYMBOL(rat_call_classify);

static void rat_call_set_window(struct rat_call *call, unsigned long start, const struct file_ra_state *ra)
{
	call->obs.has_window = true;
	call->obs.after = rat_window_of(ra);
	call->obs.after.start = start;
	rat_call_classify(call, ra);
}
NOKPROBE_SYMBOL(rat_call_set_window);

static bool rat_sync_entry(struct pt_regs *regs, void *data)
{
	return rat_call_begin(data, RAT_ENTRY_SYNC, ractl_of(regs), regs_get_kernel_argument(regs, 1));
}
NOKPROBE_SYMBOL(rat_sync_entry);

static bool rat_async_entry(struct pt_regs *regs, void *data)
{
	struct folio *folio = (struct folio *)regs_get_kernel_argument(regs, 1);
	struct rat_call *call = rat_call_begin(data, RAT_ENTRY_ASYNC, ractl_of(regs),
					  regs_get_kernel_argument(regs, 2));

	if (!call)
		return false;
	call->obs.marker_pages = folio_nr_pages(folio);
	call->obs.writeback = folio_test_writeback(folio);
	return true;
}
NOKPROBE_SYMBOL(rat_async_entry);

static bool rat_order_entry(struct pt_regs *regs, void *data)
{
	const struct file_ra_state *ra = (void *)regs_get_kernel_argument(regs, 1);
	struct readahead_control *ractl = ractl_of(regs);
	struct rat_call *outer = rat_outer_call(ractl);
	struct rat_call *call = outer ?: rat_call_begin(data, RAT_ENTRY_FAULT, ractl, 0);

	if (call && !call->classified)
		rat_call_set_window(call, ractl->_index, ra);
	return call && !outer;
}
NOKPROBE_SYMBOL(rat_order_entry);

static bool rat_force_entry(struct pt_regs *regs, void *data)
{
	struct rat_call *outer = rat_outer_call(ractl_of(regs));

	if (!outer)
		return rat_call_begin(data, RAT_ENTRY_WILLNEED, ractl_of(regs),
				  regs_get_kernel_argument(regs, 1));
	outer->obs.forced = true;
	return false;
}
NOKPROBE_SYMBOL(rat_force_entry);

static bool rat_unbounded_entry(struct pt_regs *regs, void *data)
{
	unsigned long nr = regs_get_kernel_argument(regs, 1);
	struct readahead_control *ractl = ractl_of(regs);
	struct rat_call *outer = rat_outer_call(ractl);
	struct rat_call *call = outer ?: rat_call_begin(data, RAT_ENTRY_OTHER, ractl, nr);

	if (!call)
		return false;
	call->obs.nr_to_read += nr;
	rat_call_classify(call, ractl->ra);
	return !outer;
}
NOKPROBE_SYMBOL(rat_unbounded_entry);

static struct hook hooks[];

/* A kernel whose page_cache_ra_order() cannot be hooked still shows what it left behind. */
static void rat_call_infer_window(struct rat_call *call)
{
	const struct file_ra_state *ra = call->ra;
	const struct rat_window *before = &call->obs.before;
	struct rat_window now;

	if (!ra)
		return;
	now = rat_window_of(ra);
	if (now.start != before->start || now.size != before->size ||
	    now.async_size != before->async_size)
		rat_call_set_window(call, now.start, ra);
}
NOKPROBE_SYMBOL(rat_call_infer_window);

static bool order_is_hooked(void);

static void rat_call_return(struct pt_regs *regs, void *data)
{
	struct rat_call *call = ((struct rat_hook_call *)data)->call;
	struct rat_observation *obs = &call->obs;
	struct rat_call_slot *slot = call->slot;
	enum rat_why why;

	if (slot) {
		rat_pages_flush_run(slot);
		obs->actual = max(slot->pages, 0L);
	}
	if (!call->classified && !order_is_hooked())
		rat_call_infer_window(call);
	if (rat_did_readahead(obs)) {
		rat_call_classify(call, call->ra);
		rat_account_readahead(call->dev, call->pattern, obs);
		rat_top_count(call);
		rat_tracing_emit_readahead(call);
	} else if (obs->entry_point == RAT_ENTRY_ASYNC && obs->ra_pages && !obs->writeback) {
		obs->congested = compat_blk_cgroup_congested();
	}
	why = rat_why(obs);
	if (why != RAT_WHY_NONE)
		rat_count(why[why], 1);
	if (slot)
		rat_calls_remove(slot);
}
NOKPROBE_SYMBOL(rat_call_return);

enum { SYNC, ASYNC, ORDER, FORCE, UNBOUNDED };

#define DOOR(function, on_entry, may_lack) {					\
	.spec = { .symbol = function, .kind = HOOK_ENTRY, .optional = may_lack },	\
	.entry = on_entry,							\
	.returned = rat_call_return,						\
	.data_size = sizeof(struct rat_hook_call),					\
	.max_calls = MAX_CALLS,							\
}

static struct hook hooks[] = {
	[SYNC] = DOOR("page_cache_sync_ra", rat_sync_entry, false),
	[ASYNC] = DOOR("page_cache_async_ra", rat_async_entry, false),
	[ORDER] = DOOR("page_cache_ra_order", rat_order_entry, true),
	[FORCE] = DOOR("force_page_cache_ra", rat_force_entry, true),
	[UNBOUNDED] = DOOR("page_cache_ra_unbounded", rat_unbounded_entry, true),
};

static struct hook_set call_hooks = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

static bool order_is_hooked(void)
{
	return hook_is_active(&hooks[ORDER]);
}
NOKPROBE_SYMBOL(order_is_hooked);

/**
 * rat_hooks_register - hook the readahead code
 *
 * Context: may sleep; the table of calls exists.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int rat_hooks_register(void)
{
	int err;

	compat_blk_cgroup_init();
	err = hooks_register(&call_hooks);
	WRITE_ONCE(taking_calls, !err);
	return err;
}

/**
 * rat_hooks_stop - look at no further call
 *
 * Those that are running are looked at until they return or the hooks are out.
 *
 * Context: any.
 */
void rat_hooks_stop(void)
{
	WRITE_ONCE(taking_calls, false);
}

/**
 * rat_hooks_unregister - take the hooks out
 *
 * Context: may sleep, after rat_hooks_stop(). No callback runs when it returns.
 */
void rat_hooks_unregister(void)
{
	hooks_unregister(&call_hooks);
}

/**
 * rat_hooks_missed - calls that the hooks could not look at
 *
 * Return: their number since the hooks were put in place.
 */
unsigned long rat_hooks_missed(void)
{
	return hooks_missed(&call_hooks);
}

/**
 * rat_hooks_see_pattern - whether readahead of a pattern can be seen
 * @pattern: the pattern
 *
 * Return: false while disabled, and if this kernel lacks the hook that it takes.
 */
bool rat_hooks_see_pattern(enum rat_pattern pattern)
{
	switch (pattern) {
	case RAT_MMAP:
		return hook_is_active(&hooks[ORDER]);
	case RAT_FADVISE:
		return hook_is_active(&hooks[FORCE]);
	case RAT_NONE:
		return hook_is_active(&hooks[UNBOUNDED]);
	case RAT_RANDOM:
		return hook_is_active(&hooks[UNBOUNDED]) && hook_is_active(&hooks[SYNC]);
	default:
		return hook_is_active(&hooks[SYNC]);
	}
}
