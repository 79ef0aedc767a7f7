/* SPDX-License-Identifier: GPL-2.0-only */
/* The module parameters. */
#ifndef NFS_RA_PARAMS_H
#define NFS_RA_PARAMS_H

#include "rule.h"

struct nra_rule nra_param_rule(const char *server);
bool nra_param_apply(void);

#endif
