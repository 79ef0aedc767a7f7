/* SPDX-License-Identifier: GPL-2.0-only */
/* The module parameters. */
#ifndef NFSD_DIO_PARAMS_H
#define NFSD_DIO_PARAMS_H

#include "verdict.h"

enum nd_mode nd_mode(void);
bool nd_native(void);
unsigned int nd_pool_kb(void);

#endif
