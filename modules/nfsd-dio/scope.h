/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFSD_DIO_SCOPE_H
#define NFSD_DIO_SCOPE_H

#include "verdict.h"

struct file;

enum nd_scope nd_scope(const struct file *file);

#endif
