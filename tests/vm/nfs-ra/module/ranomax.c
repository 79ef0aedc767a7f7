// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes page_cache_async_ra() behave as in kernels that lack the max() at the expected marker, such
 * as RHEL 10.0's: no window is larger than ra_pages. A last window of ra_pages gives the next one
 * that size on any kernel. Load it before nfs-ra: the kernel calls the youngest probe first.
 */
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/pagemap.h>

static int async_handler(struct kprobe *probe, struct pt_regs *regs)
{
	const struct readahead_control *ractl = (const void *)regs_get_kernel_argument(regs, 0);
	struct file_ra_state *ra = ractl->ra;

	if (ractl->mapping->host->i_sb->s_magic != NFS_SUPER_MAGIC || ra->size <= ra->ra_pages)
		return 0;
	ra->start += ra->size - ra->ra_pages;
	ra->size = ra->ra_pages;
	return 0;
}
NOKPROBE_SYMBOL(async_handler);

static struct kprobe probe = {
	.symbol_name = "page_cache_async_ra",
	.pre_handler = async_handler,
};

static int __init ranomax_init(void)
{
	return register_kprobe(&probe);
}

static void __exit ranomax_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(ranomax_init);
module_exit(ranomax_exit);
MODULE_DESCRIPTION("seqkeep test: a page_cache_async_ra() that opens no window beyond ra_pages");
MODULE_LICENSE("GPL");
