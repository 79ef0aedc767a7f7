/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in the attributes of a file that an ioctl() returns. */
#ifndef SEQKEEP_COMPAT_FILEATTR_H
#define SEQKEEP_COMPAT_FILEATTR_H

#include <linux/fileattr.h>

#include "features.h"

#if !SEQKEEP_HAVE_FILE_KATTR
#define file_kattr fileattr
#endif

#endif
