// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two doors of the stock readahead code, hooked at their entry:
 *
 *   page_cache_sync_ra(ractl, req)		a page that is asked for is missing
 *   page_cache_async_ra(ractl, folio, req)	a reader met the readahead marker
 *
 * A call that belongs to a shared stream is given a file_ra_state of its own,
 * with values that make the untouched stock function read the window that the
 * policy chose. The state lives with the call: see HOOK_ENTRY in common/hook.h.
 */
#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/pagemap.h>

#include "common/compat/blk-cgroup.h"
#include "common/compat/readahead.h"
#include "common/compat/regs.h"
#include "common/hook.h"
#include "common/read_racy.h"
#include "common/ra_mark.h"
#include "counters.h"
#include "doors.h"
#include "pagecache.h"
#include "params.h"
#include "steer.h"
#include "table.h"

/* Calls that can be steered at a time; more go to the stock code and are counted. */
#define MAX_CALLS	512
/* How far to look for a trail, pages: bounds the work on a miss. */
#define MAX_TRAIL	1024UL

/**
 * struct steered_call - a call to the stock code that we steered
 * @ra: the state that it works on
 * @ractl: the caller's control, valid until the call returns
 * @file_ra: the file's own state, put back into @ractl at the return
 * @opening: the window in the table, -1 for none
 * @resized: the stock code does as it likes, but for the size of its windows
 * @before: for a call that is resized: the file's own state when it began
 */
struct steered_call {
	struct file_ra_state ra;
	struct readahead_control *ractl;
	struct file_ra_state *file_ra;
	int opening;
	bool resized;
	struct file_ra_state before;
};

static void count(enum ctxra_counter counter, u64 n)
{
	stats_add(&ctxra_stats, counter, n);
}

static bool left(enum ctxra_counter reason)
{
	count(reason, 1);
	return false;
}

/* The part of a request that both doors fill in alike; false: not one for us. */
static bool request_init(const struct readahead_control *ractl, unsigned long nr,
			 struct ctxra_request *rq)
{
	struct inode *inode = ractl->mapping->host;
	unsigned long part = ctxra_submission_pages();
	const struct backing_dev_info *bdi;
	bool is_file = S_ISREG(inode->i_mode) || S_ISBLK(inode->i_mode);

	/*
	 * A directory's file is open too, but its blocks are another mapping's. A state that is
	 * not the file's own is a file system's, for reads of its own: fs-verity on 6.1 uses the
	 * control again after the call, whose state is gone then if the hooks went meanwhile.
	 */
	if (!ractl->file || ractl->file->f_mapping != ractl->mapping ||
	    ractl->ra != &ractl->file->f_ra || !is_file || IS_DAX(inode))
		return left(CTXRA_LEFT_NOT_A_FILE);
	if (READ_RACY(ractl->file->f_mode) & FMODE_RANDOM)
		return left(CTXRA_LEFT_RANDOM);
	bdi = inode_to_bdi(inode);
	rq->ahead = ctxra_window_pages(inode, bdi);
	if (!rq->ahead || !READ_RACY(ractl->ra->ra_pages))
		return left(CTXRA_LEFT_OFF);
	if (nr > rq->ahead)
		return left(CTXRA_LEFT_OVERSIZE);
	if (!ctxra_device_chosen(inode, bdi))
		return left(CTXRA_LEFT_DEVICE);
	if (compat_blk_cgroup_congested())
		return left(CTXRA_LEFT_CONGESTED);
	rq->index = ractl->_index;
	rq->nr = max(nr, 1UL);
	rq->win = part ? clamp(part, rq->nr, rq->ahead) : rq->ahead;
	rq->eof = DIV_ROUND_UP_ULL(i_size_read(inode), PAGE_SIZE);
	rq->patterns = ctxra_patterns();
	return true;
}

static enum ctxra_verdict follow(const struct readahead_control *ractl, struct ctxra_request *rq,
				 struct ctxra_window *win, int *opening)
{
	struct inode *inode = ractl->mapping->host;
	struct ctxra_file file = {
		.mapping = ractl->mapping,
		.ino = inode->i_ino,
		.generation = inode->i_generation,
	};
	enum ctxra_verdict verdict;

	*opening = -1;
	verdict = ctxra_table_follow(ractl->mapping, &file, rq, win, opening);
	if (verdict == CTXRA_STOCK) {
		left(rq->in_order ? CTXRA_LEFT_IN_ORDER : CTXRA_LEFT_UNSURE);
	} else if (verdict == CTXRA_OPEN && !ctxra_trim(ractl->mapping, win, rq->index)) {
		ctxra_table_opened(ractl->mapping, *opening);
		*opening = -1;
		/* A miss that was filled meanwhile: the stock code finds that out cheaply. */
		if (!rq->marker) {
			left(CTXRA_LEFT_CACHED);
			return CTXRA_STOCK;
		}
		verdict = CTXRA_HUSH;
	}
	return verdict;
}

/* Let the stock function see our state, a copy as yet, instead of the file's. */
static void replace_state(struct steered_call *call, struct readahead_control *ractl, int opening)
{
	call->opening = opening;
	call->resized = false;
	call->ractl = ractl;
	call->file_ra = ractl->ra;
	/* Other calls of the same open file may be at it: the stock code has no lock either. */
	call->ra = data_race(*ractl->ra);
	ractl->ra = &call->ra;
}

/* Have the stock function read a window, and ra-trace see which pattern it is for. */
static void open_window(struct steered_call *call, struct readahead_control *ractl, int opening,
			const struct ctxra_window *win, const struct ctxra_steering *st)
{
	static const enum ra_mark marks[CTXRA_NR_PATTERNS] = {
		[CTXRA_TRAIL] = RA_MARK_TRAIL,
		[CTXRA_REORDER] = RA_MARK_TRAIL,
		[CTXRA_REVERSE] = RA_MARK_REVERSE,
		[CTXRA_STRIDE] = RA_MARK_STRIDE,
		[CTXRA_THRASH] = RA_MARK_THRASH,
	};

	count(CTXRA_TRAIL_WINDOWS + 2 * win->pattern, 1);
	count(CTXRA_TRAIL_PAGES + 2 * win->pattern, win->nr);
	replace_state(call, ractl, opening);
	call->ra.start = st->start;
	call->ra.size = st->size;
	call->ra.async_size = st->async_size;
	call->ra.ra_pages = st->ra_pages;
	call->ra.prev_pos = st->prev_pos;
	ractl->_index = st->index;
	ra_mark_set(&call->ra, marks[win->pattern]);
}

/*
 * A call left to the stock code works with the window that the file was opened with. Have
 * it use the one that the device has now, or max_kb; double if POSIX_FADV_SEQUENTIAL
 * doubled it. In a copy: other calls of the same open file would take a value that is
 * there for a moment for the file's own.
 */
static bool resize(struct steered_call *call, struct readahead_control *ractl,
		   unsigned long pages)
{
	const struct backing_dev_info *bdi = inode_to_bdi(ractl->mapping->host);
	unsigned int file_pages = READ_RACY(ractl->ra->ra_pages);

	if (file_pages == 2 * READ_RACY(bdi->ra_pages))
		pages *= 2;
	if (file_pages == pages)
		return false;
	count(CTXRA_RESIZED, 1);
	replace_state(call, ractl, -1);
	call->resized = true;
	call->before = call->ra;
	call->ra.ra_pages = pages;
	ra_mark_set(&call->ra, RA_MARK_RESIZED);
	return true;
}

/* Where the stock code has come to is the file's own, unless another call was there meanwhile. */
static void hand_over(const struct steered_call *call)
{
	const struct file_ra_state *before = &call->before, *after = &call->ra;
	struct file_ra_state *file_ra = call->file_ra;

	if (READ_RACY(file_ra->start) != before->start ||
	    READ_RACY(file_ra->size) != before->size ||
	    READ_RACY(file_ra->async_size) != before->async_size)
		return;
	WRITE_ONCE(file_ra->start, after->start);
	WRITE_ONCE(file_ra->size, after->size);
	WRITE_ONCE(file_ra->async_size, after->async_size);
	compat_ra_copy_order(file_ra, after);
}

/* What the page cache and the file's own state say of a miss. */
static void witness_miss(const struct readahead_control *ractl, struct ctxra_request *rq)
{
	const struct file_ra_state *ra = ractl->ra;
	pgoff_t prev_index = (u64)READ_RACY(ra->prev_pos) >> PAGE_SHIFT;
	unsigned int size = READ_RACY(ra->size);
	pgoff_t start = READ_RACY(ra->start);

	/* The stock code's own test for the start of a file, or a read that goes on. */
	rq->in_order = !rq->index || rq->index - prev_index <= 1;
	if (!rq->in_order)
		rq->cached = ctxra_cached_before(ractl->mapping, rq->index,
						 min(rq->ahead, MAX_TRAIL));
	rq->evicted = ctxra_evicted(ractl->mapping, rq->index);
	/* Not at the start of the file, which may be read a second time. */
	if (rq->evicted && rq->in_order && rq->index && rq->index >= start &&
	    rq->index - start < size)
		rq->lost = size;
}

/* Of what was read ahead lately, up to where this reader was, is much unused? */
static bool is_sparse(const struct readahead_control *ractl, const struct ctxra_request *rq)
{
	pgoff_t prev_index = (u64)READ_RACY(ractl->ra->prev_pos) >> PAGE_SHIFT;
	unsigned long nr = min(prev_index, 2 * rq->win);
	struct ctxra_use use;
	unsigned int all;

	if (prev_index >= rq->index || rq->index - prev_index > 2 * rq->win)
		return false;
	use = ctxra_sample(ractl->mapping, prev_index - nr, nr);
	all = use.used + use.unused + use.absent;
	return all >= PROBE_SAMPLES / 2 && 8 * use.unused >= 3 * all;
}

static bool sync_entry(struct pt_regs *regs, void *data)
{
	struct readahead_control *ractl = (void *)regs_get_kernel_argument(regs, 0);
	struct ctxra_request rq = {};
	struct ctxra_steering st;
	struct ctxra_window win;
	int opening;

	if (!request_init(ractl, regs_get_kernel_argument(regs, 1), &rq))
		return false;
	witness_miss(ractl, &rq);
	if (follow(ractl, &rq, &win, &opening) != CTXRA_OPEN)
		return resize(data, ractl, rq.ahead);
	ctxra_steer_miss(&win, PAGE_SHIFT, &st);
	regs_set_kernel_argument(regs, 1, st.req);
	open_window(data, ractl, opening, &win, &st);
	return true;
}
NOKPROBE_SYMBOL(sync_entry);

/*
 * Have the marker go, and nothing be read: without a window the stock function returns at
 * once. Given any window, it would go on reading a page at a time where the next is missing.
 */
static bool hush(struct steered_call *call, struct readahead_control *ractl, struct folio *folio)
{
	count(CTXRA_HUSHED, 1);
	folio_clear_readahead(folio);
	replace_state(call, ractl, -1);
	call->ra.ra_pages = 0;
	return true;
}

static bool async_entry(struct pt_regs *regs, void *data)
{
	struct readahead_control *ractl = (void *)regs_get_kernel_argument(regs, 0);
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 1);
	struct steered_call *call = data;
	struct ctxra_request rq = { .marker = true };
	const struct file_ra_state *ra;
	struct ctxra_steering st;
	struct ctxra_window win;
	enum ctxra_verdict verdict;
	int opening;

	/* The stock code returns at once: the bit means something else now. */
	if (folio_test_writeback(folio))
		return false;
	if (!request_init(ractl, regs_get_kernel_argument(regs, 2), &rq))
		return false;
	/* A fault may meet the marker at any page of its folio. */
	rq.index = round_down(rq.index, folio_nr_pages(folio));
	ra = ractl->ra;
	rq.in_order = rq.index == round_down(READ_RACY(ra->start) + READ_RACY(ra->size) -
					     READ_RACY(ra->async_size), folio_nr_pages(folio));
	if (rq.in_order)
		rq.sparse = (rq.patterns & BIT(CTXRA_STRIDE)) && is_sparse(ractl, &rq);
	else
		rq.cached = ctxra_cached_from(ractl->mapping, rq.index, rq.win);
	verdict = follow(ractl, &rq, &win, &opening);
	if (verdict == CTXRA_STOCK)
		return resize(call, ractl, rq.ahead);
	if (verdict == CTXRA_HUSH)
		return hush(call, ractl, folio);
	ctxra_steer_marker(&win, rq.index, folio_order(folio), &st);
	regs_set_kernel_argument(regs, 2, st.req);
	open_window(call, ractl, opening, &win, &st);
	compat_ra_set_order(&call->ra, st.order);
	return true;
}
NOKPROBE_SYMBOL(async_entry);

static void door_returned(struct pt_regs *regs, void *data)
{
	struct steered_call *call = data;

	call->ractl->ra = call->file_ra;
	if (call->resized)
		hand_over(call);
	ctxra_table_opened(call->ractl->mapping, call->opening);
}
NOKPROBE_SYMBOL(door_returned);

static struct hook hooks[] = {
	{
		.spec = { .symbol = "page_cache_sync_ra", .kind = HOOK_ENTRY },
		.entry = sync_entry,
		.returned = door_returned,
		.data_size = sizeof(struct steered_call),
		.max_calls = MAX_CALLS,
	}, {
		.spec = { .symbol = "page_cache_async_ra", .kind = HOOK_ENTRY },
		.entry = async_entry,
		.returned = door_returned,
		.data_size = sizeof(struct steered_call),
		.max_calls = MAX_CALLS,
	},
};

static struct hook_set doors = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

/**
 * ctxra_doors_open - hook the readahead code
 *
 * Context: may sleep; the table exists.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int ctxra_doors_open(void)
{
	compat_blk_cgroup_init();
	return hooks_register(&doors);
}

/**
 * ctxra_doors_close - take the hooks out
 *
 * Context: may sleep. No callback runs when it returns.
 */
void ctxra_doors_close(void)
{
	hooks_unregister(&doors);
}

/**
 * ctxra_doors_missed - calls that the hooks could not look at
 *
 * Return: their number since the hooks were put in place.
 */
unsigned long ctxra_doors_missed(void)
{
	return hooks_missed(&doors);
}
