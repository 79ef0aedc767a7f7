/* SPDX-License-Identifier: GPL-2.0-only */
/* A set of streams: those of some parts of some files. Pure. */
#ifndef CTXRA_SET_H
#define CTXRA_SET_H

#include "ctxra.h"
#include "lru.h"

#define CTXRA_SET_STREAMS	32

/**
 * struct ctxra_set - the streams of the parts of files that share a set
 * @now: time of the current call, ms
 * @budget: for new streams; of the current call's file
 * @lru: the order in which streams are replaced
 * @longest: the longest range that a stream had, pages
 * @last_nr: pages of the last miss
 * @lasting: candidates that last longer than others, a bit for each
 * @tags: of each stream, the end of its range, with a hash of its file: 32 tags are in two cache
 *	lines, and 32 streams in 64
 * @streams: the streams, in no order
 */
struct ctxra_set {
	u32 now;
	u32 longest;
	u32 last_nr;
	u32 lasting;
	struct ctxra_budget *budget;
	struct ctxra_lru lru;
	u32 tags[CTXRA_SET_STREAMS];
	struct ctxra_stream streams[CTXRA_SET_STREAMS];
};

void ctxra_set_init(struct ctxra_set *set);
bool ctxra_set_has_recognised(const struct ctxra_set *set);
struct ctxra_stream *ctxra_set_find(struct ctxra_set *set, const struct ctxra_file *file,
				    const struct ctxra_request *rq);
struct ctxra_stream *ctxra_set_find_behind(struct ctxra_set *set, const struct ctxra_file *file,
					   const struct ctxra_request *rq);
struct ctxra_stream *ctxra_set_start(struct ctxra_set *set, const struct ctxra_file *file,
				     const struct ctxra_request *rq);
void ctxra_set_touch(struct ctxra_set *set, struct ctxra_stream *s);
void ctxra_set_adopt(struct ctxra_set *set, struct ctxra_set *other, const struct ctxra_file *file,
		     const struct ctxra_request *rq);

#endif
