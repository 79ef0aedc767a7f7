/* SPDX-License-Identifier: GPL-2.0-only */
/* Which pages ahead of its readers a stream has read. Pure. */
#ifndef CTXRA_AHEAD_H
#define CTXRA_AHEAD_H

#include "ctxra.h"

void ctxra_ahead_reset(struct ctxra_stream *s, unsigned long reader_pos);
void ctxra_ahead_note_window(struct ctxra_stream *s, unsigned long start, unsigned long end);
void ctxra_ahead_note_cut(struct ctxra_stream *s, const struct ctxra_window *win,
			  unsigned long start, unsigned long end);
bool ctxra_ahead_is_unread(const struct ctxra_stream *s, const struct ctxra_request *rq);

#endif
