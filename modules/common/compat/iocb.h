/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between kernels in the flags of reads and writes. */
#ifndef SEQKEEP_COMPAT_IOCB_H
#define SEQKEEP_COMPAT_IOCB_H

#include <linux/fs.h>

/*
 * Drop the pages once they are written: since "fs: add RWF_DONTCACHE iocb and FOP_DONTCACHE
 * file_operations flag" in v6.14.
 */
#ifdef IOCB_DONTCACHE
#define COMPAT_IOCB_DONTCACHE	IOCB_DONTCACHE
#else
#define COMPAT_IOCB_DONTCACHE	0
#endif

#endif
