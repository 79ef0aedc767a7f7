// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/uio.h>

#include "common/hook.h"
#include "common/hook_symbol.h"
#include "pages.h"
#include "reads.h"
#include "tracing.h"
#include "waste.h"

/* Reads at a time whose end is waited for. */
#define MAX_CALLS	1024

/**
 * struct read_call - a read that is running
 * @mapping: the file
 * @pos: where it begins, bytes
 */
struct read_call {
	struct address_space *mapping;
	loff_t pos;
};

static bool read_entry(struct pt_regs *regs, void *data)
{
	const struct kiocb *iocb = (void *)regs_get_kernel_argument(regs, 0);
	const struct iov_iter *iter = (void *)regs_get_kernel_argument(regs, 1);
	struct read_call *call = data;

	ra_trace_read("read", iocb->ki_filp, iocb->ki_pos, iov_iter_count(iter));
	call->mapping = iocb->ki_filp->f_mapping;
	call->pos = iocb->ki_pos;
	return !ra_pages_see_reads();
}
NOKPROBE_SYMBOL(read_entry);

static void read_returned(struct pt_regs *regs, void *data)
{
	ssize_t len = regs_return_value(regs);
	const struct read_call *call = data;
	unsigned long first = call->pos >> PAGE_SHIFT;
	unsigned long last = (call->pos + len - 1) >> PAGE_SHIFT;

	if (len > 0)
		ra_waste_read(call->mapping, first, last - first + 1);
}
NOKPROBE_SYMBOL(read_returned);

static bool splice_entry(struct pt_regs *regs, void *data)
{
	const struct file *file = (void *)regs_get_kernel_argument(regs, 0);
	const loff_t *pos = (void *)regs_get_kernel_argument(regs, 1);

	ra_trace_read("splice", file, *pos, regs_get_kernel_argument(regs, 3));
	return false;
}
NOKPROBE_SYMBOL(splice_entry);

static bool fault_entry(struct pt_regs *regs, void *data)
{
	const struct vm_fault *vmf = (void *)regs_get_kernel_argument(regs, 0);
	const struct file *file = vmf->vma->vm_file;
	struct read_call *call = data;

	ra_trace_read("fault", file, (loff_t)vmf->pgoff << PAGE_SHIFT, PAGE_SIZE);
	call->mapping = file->f_mapping;
	call->pos = (loff_t)vmf->pgoff << PAGE_SHIFT;
	return !ra_pages_see_reads();
}
NOKPROBE_SYMBOL(fault_entry);

static void fault_returned(struct pt_regs *regs, void *data)
{
	const struct read_call *call = data;

	ra_waste_read(call->mapping, call->pos >> PAGE_SHIFT, 1);
}
NOKPROBE_SYMBOL(fault_returned);

static bool map_entry(struct pt_regs *regs, void *data)
{
	const struct vm_fault *vmf = (void *)regs_get_kernel_argument(regs, 0);
	unsigned long start = regs_get_kernel_argument(regs, 1);

	if (!ra_pages_see_reads())
		ra_waste_read(vmf->vma->vm_file->f_mapping, start,
			      regs_get_kernel_argument(regs, 2) - start + 1);
	return false;
}
NOKPROBE_SYMBOL(map_entry);

enum { ON_READ, ON_SPLICE, ON_FAULT, ON_MAP };

static struct hook hooks[] = {
	[ON_READ] = {
		.spec = { .symbol = "filemap_read", .kind = HOOK_ENTRY },
		.entry = read_entry,
		.returned = read_returned,
		.data_size = sizeof(struct read_call),
		.max_calls = MAX_CALLS,
	},
	[ON_SPLICE] = {
		.spec = { .symbol = "filemap_splice_read", .kind = HOOK_ENTRY },
		.entry = splice_entry,
		.max_calls = MAX_CALLS,
	},
	[ON_FAULT] = {
		.spec = { .symbol = "filemap_fault", .kind = HOOK_ENTRY },
		.entry = fault_entry,
		.returned = fault_returned,
		.data_size = sizeof(struct read_call),
		.max_calls = MAX_CALLS,
	},
	[ON_MAP] = {
		.spec = { .symbol = "filemap_map_pages", .kind = HOOK_ENTRY },
		.entry = map_entry,
		.max_calls = MAX_CALLS,
	},
};

static struct hook_set reads = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

/**
 * ra_reads_open - hook the entry points of reading
 *
 * From here on reads of pages are seen on every kernel, so that pages can be followed
 * until they are read; but from 6.3 to 6.11 not those of splice().
 *
 * Context: may sleep; enabled.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int ra_reads_open(void)
{
	unsigned long address;
	int err;

	/* Renamed by "splice: Add a func to do a splice from a buffered file ..." in v6.3. */
	if (hook_symbol_address("filemap_splice_read", &address) == -ENOENT)
		hooks[ON_SPLICE].spec.symbol = "generic_file_splice_read";
	err = hooks_register(&reads);
	if (!err && !ra_waste_is_on())
		ra_waste_switch(true);
	return err;
}

/**
 * ra_reads_close - take the hooks out
 *
 * Context: may sleep. No callback runs when it returns.
 */
void ra_reads_close(void)
{
	if (!ra_pages_see_reads())
		ra_waste_switch(false);
	hooks_unregister(&reads);
}

/**
 * ra_reads_missed - reads that the hooks could not look at
 *
 * Return: their number since the hooks were put in place.
 */
unsigned long ra_reads_missed(void)
{
	return hooks_missed(&reads);
}
