// SPDX-License-Identifier: GPL-2.0-only
/*
 * multiple=auto: at the marker of a file's readahead, page_cache_async_ra() is shown a last
 * window as large as the next one is to be. It makes none that is smaller.
 *
 * Nothing is kept: how far a file was read in sequence is seen in the page cache, and how
 * large its windows have become, in its own file_ra_state, which the stock code begins anew
 * whenever a read does not continue. A file's ra_pages, its limit, is never written. So
 * there is nothing to put back, a seek ends it, and who looks at ra_pages (faults, ctxra,
 * POSIX_FADV_SEQUENTIAL) sees what the mount gave.
 *
 * Readers that share an open file race for its state, here as in the stock code: what can
 * come of it is a window of another size, or one not opened.
 */
#include <linux/backing-dev.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>

#include "common/compat/readahead.h"
#include "common/hook.h"
#include "common/read_racy.h"
#include "auto.h"
#include "counters.h"
#include "grow.h"
#include "mounts.h"

/* Nothing is kept of a call, so that at most each CPU has one in the probe. */
#define MAX_CALLS	64

/* read() marks what it copies, and splice() what it passes on: folio_mark_accessed(). */
#define USED	(BIT(PG_referenced) | BIT(PG_active) | BIT(PG_workingset) | COMPAT_DROPBEHIND)

/* Under RCU. */
static bool nra_is_read(void *mapping, unsigned long index)
{
	const struct folio *folio = xa_load(&((struct address_space *)mapping)->i_pages, index);

	return folio && !xa_is_value(folio) && compat_folio_flags(folio) & USED;
}

static unsigned int nra_next_size(const struct readahead_control *ractl,
				  const struct nra_window *last)
{
	const struct file_ra_state *ra = ractl->ra;
	const struct backing_dev_info *bdi = inode_to_bdi(ractl->mapping->host);
	unsigned long mount_pages = READ_ONCE(bdi->ra_pages);
	/* Pages that this very read() asks for say nothing yet: only what was read before. */
	pgoff_t end = (u64)READ_ONCE(ra->prev_pos) >> PAGE_SHIFT;
	unsigned long max_window;
	struct nra_run run;
	unsigned int size;

	/* Behind the marker, as the -1 of a file that was not read yet is. */
	if (end > ractl->_index)
		end = 0;
	rcu_read_lock();
	max_window = nra_mounts_max_window(bdi);
	if (max_window <= last->size) {
		rcu_read_unlock();
		return 0;
	}
	run = nra_run_length(end, max(mount_pages / 2, 1UL), max_window, nra_is_read,
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
	/* Another module steers this call, with a state of its own. */
	if (!ractl->file || ra != &ractl->file->f_ra)
		return false;
	if (READ_RACY(ractl->file->f_mode) & FMODE_RANDOM || mapping_mapped(ractl->mapping))
		return false;
	last.start = READ_ONCE(ra->start);
	last.size = READ_ONCE(ra->size);
	last.async_size = READ_ONCE(ra->async_size);
	/* Nothing is read: off; or the bit means writeback. */
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
 * nra_auto_hooks_register - let windows grow, if they do not already
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

/**
 * nra_auto_hooks_unregister - let windows be what the stock code makes them
 *
 * Context: may sleep; serialised by the kernel's parameter lock.
 */
void nra_auto_hooks_unregister(void)
{
	if (is_open)
		hooks_unregister(&set);
	is_open = false;
}
