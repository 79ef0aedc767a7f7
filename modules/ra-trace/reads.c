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
#include "unread.h"

/* Reads at a time that each hook can track. */
#define MAX_CALLS	1024

/**
 * struct rat_read_call - a hook's data for a read, until it returns
 * @mapping: the file
 * @pos: its start, bytes
 */
struct rat_read_call {
	struct address_space *mapping;
	loff_t pos;
};

static bool rat_read_entry(struct pt_regs *regs, void *data)
{
	const struct kiocb *iocb = (void *)regs_get_kernel_argument(regs, 0);
	const struct iov_iter *iter = (void *)regs_get_kernel_argument(regs, 1);
	struct rat_read_call *call = data;

	rat_tracing_emit_read("read", iocb->ki_filp, iocb->ki_pos, iov_iter_count(iter));
	call->mapping = iocb->ki_filp->f_mapping;
	call->pos = iocb->ki_pos;
	return !rat_pages_see_reads();
}
NOKPROBE_SYMBOL(rat_read_entry);

static void rat_read_return(struct pt_regs *regs, void *data)
{
	ssize_t len = regs_return_value(regs);
	const struct rat_read_call *call = data;
	unsigned long first = call->pos >> PAGE_SHIFT;
	unsigned long last = (call->pos + len - 1) >> PAGE_SHIFT;

	if (len > 0)
		rat_unread_resolve(call->mapping, first, last - first + 1, RAT_OUTCOME_READ);
}
NOKPROBE_SYMBOL(rat_read_return);

static bool rat_splice_entry(struct pt_regs *regs, void *data)
{
	const struct file *file = (void *)regs_get_kernel_argument(regs, 0);
	const loff_t *pos = (void *)regs_get_kernel_argument(regs, 1);

	rat_tracing_emit_read("splice", file, *pos, regs_get_kernel_argument(regs, 3));
	return false;
}
NOKPROBE_SYMBOL(rat_splice_entry);

static bool rat_fault_entry(struct pt_regs *regs, void *data)
{
	const struct vm_fault *vmf = (void *)regs_get_kernel_argument(regs, 0);
	const struct file *file = vmf->vma->vm_file;
	struct rat_read_call *call = data;

	rat_tracing_emit_read("fault", file, (loff_t)vmf->pgoff << PAGE_SHIFT, PAGE_SIZE);
	call->mapping = file->f_mapping;
	call->pos = (loff_t)vmf->pgoff << PAGE_SHIFT;
	return !rat_pages_see_reads();
}
NOKPROBE_SYMBOL(rat_fault_entry);

static void rat_fault_return(struct pt_regs *regs, void *data)
{
	const struct rat_read_call *call = data;

	rat_unread_resolve(call->mapping, call->pos >> PAGE_SHIFT, 1, RAT_OUTCOME_READ);
}
NOKPROBE_SYMBOL(rat_fault_return);

static bool rat_map_entry(struct pt_regs *regs, void *data)
{
	const struct vm_fault *vmf = (void *)regs_get_kernel_argument(regs, 0);
	unsigned long start = regs_get_kernel_argument(regs, 1);
	unsigned long end = regs_get_kernel_argument(regs, 2);

	if (!rat_pages_see_reads())
		rat_unread_resolve(vmf->vma->vm_file->f_mapping, start, end - start + 1,
				   RAT_OUTCOME_READ);
	return false;
}
NOKPROBE_SYMBOL(rat_map_entry);

enum { ON_READ, ON_SPLICE, ON_FAULT, ON_MAP };

static struct hook hooks[] = {
	[ON_READ] = {
		.spec = { .symbol = "filemap_read", .kind = HOOK_ENTRY },
		.entry = rat_read_entry,
		.returned = rat_read_return,
		.data_size = sizeof(struct rat_read_call),
		.max_calls = MAX_CALLS,
	},
	[ON_SPLICE] = {
		.spec = { .symbol = "filemap_splice_read", .kind = HOOK_ENTRY },
		.entry = rat_splice_entry,
		.max_calls = MAX_CALLS,
	},
	[ON_FAULT] = {
		.spec = { .symbol = "filemap_fault", .kind = HOOK_ENTRY },
		.entry = rat_fault_entry,
		.returned = rat_fault_return,
		.data_size = sizeof(struct rat_read_call),
		.max_calls = MAX_CALLS,
	},
	[ON_MAP] = {
		.spec = { .symbol = "filemap_map_pages", .kind = HOOK_ENTRY },
		.entry = rat_map_entry,
		.max_calls = MAX_CALLS,
	},
};

static struct hook_set reads = {
	.hooks = hooks,
	.nr = ARRAY_SIZE(hooks),
};

/**
 * rat_reads_register - hook the read functions
 *
 * With these hooks every kernel shows all reads of pages, so the table of unread pages can track
 * them. Only splice() from 6.5 to 6.11, and CIFS' on 6.3 and 6.4, is not seen.
 *
 * Context: enabled.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int rat_reads_register(void)
{
	unsigned long address;
	int err;

	/*
	 * File systems (on 6.3 and 6.4 all but CIFS) call generic_file_splice_read() as long as
	 * it is there, until "splice: Remove generic_file_splice_read()" in v6.5. 6.3, 6.4 and
	 * RHEL 9.6 have both.
	 */
	err = hook_symbol_address("generic_file_splice_read", &address);
	hooks[ON_SPLICE].spec.symbol =
		err == -ENOENT ? "filemap_splice_read" : "generic_file_splice_read";
	err = hooks_register(&reads);
	if (!err && !rat_unread_is_tracking())
		rat_unread_set_tracking(true);
	return err;
}

/* No callback runs when it returns. */
void rat_reads_unregister(void)
{
	if (!rat_pages_see_reads())
		rat_unread_set_tracking(false);
	hooks_unregister(&reads);
}

/* Reads that the hooks could not track since they were registered. */
unsigned long rat_reads_missed(void)
{
	return hooks_missed(&reads);
}
