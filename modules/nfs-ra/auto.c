// SPDX-License-Identifier: GPL-2.0-only
/*
 * multiple=auto: page_cache_async_ra() makes the next window of a file no smaller than the last
 * one. So before it runs, the hook makes the last window in file_ra_state as large as the next one
 * is to be.
 *
 * The module stores nothing per file. The page cache shows how far a file was read in sequence,
 * and the file's own file_ra_state how large its windows have become. The stock code resets that
 * state whenever a read does not continue. The module never writes ra_pages, the limit of a file.
 * So there is nothing to restore, a seek ends the growth, and other users of ra_pages (faults,
 * ctxra, POSIX_FADV_SEQUENTIAL) see the mount's value.
 *
 * Readers that share an open file race for its state, as they do in the stock code. At worst a
 * window gets another size, or is not opened.
 */
#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>

#include "common/folio_use.h"
#include "common/hook.h"
#include "common/read_racy.h"
#include "auto.h"
#include "counters.h"
#include "grow.h"
#include "mounts.h"

/* There is no return handler, so a CPU has at most one call in the probe. */
#define MAX_CALLS	64

/* The caller holds rcu_read_lock(). */
static bool nra_is_read(void *mapping, unsigned long index)
{
	const struct folio *folio = xa_load(&((struct address_space *)mapping)->i_pages, index);

	return folio && !xa_is_value(folio) &&
	       folio_flags_say_read(compat_folio_flags(folio));
}

static unsigned int nra_next_size(const struct readahead_control *ractl,
				  const struct nra_window *last)
{
	const struct file_ra_state *ra = ractl->ra;
	const struct backing_dev_info *bdi = inode_to_bdi(ractl->mapping->host);
	unsigned long mount_pages = READ_ONCE(bdi->ra_pages);
	/* Only earlier reads are proof: the pages of this read() are not read yet. */
	pgoff_t end = (u64)READ_ONCE(ra->prev_pos) >> PAGE_SHIFT;
	unsigned long max_window;
	struct nra_run run;
	unsigned int size;

	/* prev_pos beyond the marker (-1: never read): no history. */
	if (end > ractl->_index)
		end = 0;
	rcu_read_lock();
	max_window = nra_mounts_max_window(bdi);
	if (max_window <= last->size) {
		rcu_read_unlock();
		return 0;
	}
	run = nra_run_measure(end, max(mount_pages / 2, 1UL), max_window, nra_is_read,
			      ractl->mapping);
	rcu_read_unlock();
	size = nra_next_window(last->size, mount_pages, max_window, &run);
	if (!size)
		nra_count(NRA_C_AUTO_UNPROVEN);
	else
		nra_count(size == max_window ? NRA_C_AUTO_FULL : NRA_C_AUTO_GROWN);
	return size;
}

static bool nra_async_ra_entry(struct pt_regs *regs, void *data)
{
	struct readahead_control *ractl = (void *)regs_get_kernel_argument(regs, 0);
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 1);
	struct file_ra_state *ra = ractl->ra;
	struct nra_window last;
	unsigned int size;

	if (ractl->mapping->host->i_sb->s_magic != NFS_SUPER_MAGIC)
		return false;
	/* Another module, such as ctxra, makes this call with a state of its own. */
	if (!ractl->file || ra != &ractl->file->f_ra)
		return false;
	if (READ_RACY(ractl->file->f_mode) & FMODE_RANDOM || mapping_mapped(ractl->mapping))
		return false;
	last.start = READ_ONCE(ra->start);
	last.size = READ_ONCE(ra->size);
	last.async_size = READ_ONCE(ra->async_size);
	/* The stock code will read nothing: readahead is off, or the bit means PG_reclaim. */
	if (!READ_ONCE(ra->ra_pages) || folio_test_writeback(folio))
		return false;
	if (!nra_is_expected_marker(&last, ractl->_index, folio_nr_pages(folio)))
		return false;
	size = nra_next_size(ractl, &last);
	if (size) {
		nra_enlarge_window(&last, size);
		WRITE_ONCE(ra->start, last.start);
		WRITE_ONCE(ra->size, last.size);
	}
	return false;
}
NOKPROBE_SYMBOL(nra_async_ra_entry);

static struct hook hooks[] = {
	{
		.spec = { .symbol = "page_cache_async_ra", .kind = HOOK_ENTRY },
		.entry = nra_async_ra_entry,
		.max_calls = MAX_CALLS,
	},
};

static struct hook_set set = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

static bool is_open;

/**
 * nra_auto_hooks_register - hook page_cache_async_ra(), unless it is hooked already
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int nra_auto_hooks_register(void)
{
	int err = is_open ? 0 : hooks_register(&set);

	is_open = !err;
	return err;
}

void nra_auto_hooks_unregister(void)
{
	if (is_open)
		hooks_unregister(&set);
	is_open = false;
}
