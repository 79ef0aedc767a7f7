// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets a device-mapper disk take buffers that are aligned to 4 bytes, as SCSI and NVMe disks do.
 * Device-mapper always asks for 512, and nfsd makes no direct write from a network buffer then.
 */
#include <linux/blkdev.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

static int submit_handler(struct kprobe *probe, struct pt_regs *regs)
{
	const struct bio *bio = (const void *)regs_get_kernel_argument(regs, 0);

	/* Each new table of the disk sets the limit again. */
	if (!strncmp(bio->bi_bdev->bd_disk->disk_name, "dm-", 3))
		bdev_get_queue(bio->bi_bdev)->limits.dma_alignment = 3;
	return 0;
}
NOKPROBE_SYMBOL(submit_handler);

static struct kprobe probe = {
	.symbol_name = "submit_bio",
	.pre_handler = submit_handler,
};

static int __init dmaalign_init(void)
{
	return register_kprobe(&probe);
}

static void __exit dmaalign_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(dmaalign_init);
module_exit(dmaalign_exit);
MODULE_DESCRIPTION("seqkeep test: let device-mapper disks take network buffers");
MODULE_LICENSE("GPL");
