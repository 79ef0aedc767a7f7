// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks on the entry points of the readahead code, and on the functions where it begins to read:
 *
 *   page_cache_sync_ra(ractl, req)           a requested page is missing
 *   page_cache_async_ra(ractl, folio, req)   a reader reached the readahead marker
 *   page_cache_ra_order(ractl, ra)           reads a window; page faults enter here
 *   force_page_cache_ra(ractl, nr)           reads just the request; fadvise enters here
 *   page_cache_ra_unbounded(ractl, nr)       reads pages; file systems enter here
 *
 * The last three run inside the first two, or on their own. Inside, they show the window that the
 * stock code reads. ctxra hooks the first two as well, and gives the call a state of its own until
 * it returns: the last three see that state, whichever module's hook is called first.
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

/* Calls at a time that each hook can track; it counts any others as missed. */
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
 * Whether to track new calls. False while hooks and probes are registered or unregistered one by
 * one, because they would see a call only in part.
 */
static bool taking_calls;

static struct readahead_control *ractl_of(struct pt_regs *regs)
{
	return (struct readahead_control *)regs_get_kernel_argument(regs, 0);
}
NOKPROBE_SYMBOL(ractl_of);

/* The running call that this one is nested in, or NULL. */
static struct rat_call *rat_outer_call(const struct readahead_control *ractl)
{
	struct rat_call_slot *slot = rat_calls_find(ractl->mapping);

	return slot ? &slot->call : NULL;
}
NOKPROBE_SYMBOL(rat_outer_call);

/**
 * struct rat_hook_call - a hook's data for a call, until it returns
 * @call: in its slot of the table, or @spare
 * @spare: for a call that finds the table full
 */
struct rat_hook_call {
	struct rat_call *call;
	struct rat_call spare;
};

/* The open file's own state: @call->ra may be another module's already. */
static const struct file_ra_state *rat_file_state(const struct rat_call *call)
{
	return call->file ? &call->file->f_ra : call->ra;
}
NOKPROBE_SYMBOL(rat_file_state);

static struct rat_window rat_window_of(const struct file_ra_state *ra)
{
	return (struct rat_window) {
		READ_RACY(ra->start), READ_RACY(ra->size), READ_RACY(ra->async_size)
	};
}
NOKPROBE_SYMBOL(rat_window_of);

/*
 * Whether the bios of reads have the file system's device number. A file system with a bdi of its
 * own does not submit them itself: for fuseblk, a process does.
 */
static bool rat_reads_own_disk(const struct super_block *sb)
{
	return sb->s_bdev && !(READ_RACY(sb->s_iflags) & SB_I_PERSB_BDI);
}
NOKPROBE_SYMBOL(rat_reads_own_disk);

/* Start to track a call that is nested in no other. NULL: new calls are not tracked now. */
static struct rat_call *rat_call_begin(struct rat_hook_call *hook_call,
				       enum rat_entry_point entry_point,
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
			.random_hint = ractl->file &&
				       (READ_RACY(ractl->file->f_mode) & FMODE_RANDOM),
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
		rat_count(misc[RAT_MISC_UNTRACKED], 1);
	hook_call->call = call;
	return call;
}
NOKPROBE_SYMBOL(rat_call_begin);

/* The stock code has decided: all pages that it reads from here on belong to this pattern. */
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

static void rat_call_set_window(struct rat_call *call, unsigned long start,
				const struct file_ra_state *ra)
{
	call->obs.has_window = true;
	call->obs.after = rat_window_of(ra);
	call->obs.after.start = start;
	rat_call_classify(call, ra);
}
NOKPROBE_SYMBOL(rat_call_set_window);

static bool rat_sync_entry(struct pt_regs *regs, void *data)
{
	return rat_call_begin(data, RAT_ENTRY_SYNC, ractl_of(regs),
			      regs_get_kernel_argument(regs, 1));
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

static void rat_call_return(struct pt_regs *regs, void *data);

enum { SYNC, ASYNC, ORDER, FORCE, UNBOUNDED };

/* The first two are required. Without another hook, the rows that need it are n/a. */
#define CALL_HOOK(function, on_entry, flags...) {					\
	.spec = { .symbol = function, .kind = HOOK_ENTRY, flags },			\
	.entry = on_entry,								\
	.returned = rat_call_return,							\
	.data_size = sizeof(struct rat_hook_call),					\
	.max_calls = MAX_CALLS,								\
}

static struct hook hooks[] = {
	[SYNC] = CALL_HOOK("page_cache_sync_ra", rat_sync_entry),
	[ASYNC] = CALL_HOOK("page_cache_async_ra", rat_async_entry),
	[ORDER] = CALL_HOOK("page_cache_ra_order", rat_order_entry, .optional = true),
	[FORCE] = CALL_HOOK("force_page_cache_ra", rat_force_entry, .optional = true),
	[UNBOUNDED] = CALL_HOOK("page_cache_ra_unbounded", rat_unbounded_entry, .optional = true),
};

static struct hook_set call_hooks = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

/* Where page_cache_ra_order() cannot be hooked, the state shows the new window afterwards. */
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
	if (!call->classified && !hook_is_active(&hooks[ORDER]))
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

/**
 * rat_hooks_register - hook the readahead code, and track calls from now on
 *
 * Context: the table of calls exists, and the probes of pages.c are registered.
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
 * rat_hooks_stop - track no new call
 *
 * Running calls stay tracked until they return or the hooks are unregistered.
 */
void rat_hooks_stop(void)
{
	WRITE_ONCE(taking_calls, false);
}

/* After rat_hooks_stop(). No callback runs when it returns. */
void rat_hooks_unregister(void)
{
	hooks_unregister(&call_hooks);
}

/* Calls that the hooks could not track since they were registered. */
unsigned long rat_hooks_missed(void)
{
	return hooks_missed(&call_hooks);
}

/**
 * rat_hooks_see_pattern - whether the hooks can see readahead of a pattern
 * @pattern: the pattern
 *
 * Return: false while disabled, and if this kernel lacks a function that has to be hooked for it.
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
