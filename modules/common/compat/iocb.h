/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in the flags of reads and writes. */
#ifndef SEQKEEP_COMPAT_IOCB_H
#define SEQKEEP_COMPAT_IOCB_H

#include <linux/fs.h>

/*
 * The kernel drops the pages once it has written them: since af6505e5745b ("fs: add RWF_DONTCACHE
 * iocb and FOP_DONTCACHE file_operations flag") in v6.14.
 */
#ifdef IOCB_DONTCACHE
#define COMPAT_IOCB_DONTCACHE	IOCB_DONTCACHE
#else
#define COMPAT_IOCB_DONTCACHE	0
#endif

#endif
