/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NFS_RA_PARAMS_H
#define NFS_RA_PARAMS_H

#include "rule.h"

struct nra_rule nra_param_rule(void);
bool nra_param_apply(void);
bool nra_param_is_auto(void);
int nra_params_start(void);
void nra_params_stop(void);

/* Of nfs_ra_main.c. */
int nra_enable(void);
void nra_disable(void);

#endif
