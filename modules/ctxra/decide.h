/* SPDX-License-Identifier: GPL-2.0-only */
/* What to do with a call to the readahead code. Pure. */
#ifndef CTXRA_DECIDE_H
#define CTXRA_DECIDE_H

#include "request.h"
#include "set.h"

enum ctxra_verdict ctxra_decide(struct ctxra_set *set, const struct ctxra_file *file,
				const struct ctxra_request *rq, const struct ctxra_facts *facts,
				struct ctxra_window *win);
enum ctxra_verdict ctxra_confirm(const struct ctxra_request *rq, const struct ctxra_facts *facts,
				 struct ctxra_window *win);

#endif
