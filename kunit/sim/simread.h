/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers of a simulated page cache, with ctxra in front of the stock code or
 * without: the walk of filemap_get_pages(), what hooks.c, table.c and
 * pagecache.c do for a call, and a scheduler whose choices a seed decides.
 */
#ifndef SEQKEEP_KUNIT_SIMREAD_H
#define SEQKEEP_KUNIT_SIMREAD_H

#include <linux/prandom.h>

#include "ctxra/follow.h"
#include "ctxra/governor.h"
#include "ctxra/lru.h"
#include "ctxra/stream.h"
#include "sim/simcache.h"

#define SIM_STREAMS	128	/* SET_STREAMS of table.c */
#define SIM_TRAIL	1024UL	/* MAX_TRAIL of hooks.c */
#define SIM_READERS	16

#define SIM_ALL_PATTERNS	((long)BIT(CTXRA_NR_PATTERNS) - 1)

/**
 * struct sim - readers' side of a simulation
 * @cache: the file's cache
 * @win: the device's window, pages
 * @part: largest submission, pages; 0: windows are not split
 * @ctxra: the patterns that ctxra opens windows for; -1: ctxra is not there
 * @budget: of ctxra's table
 * @streams: ctxra's table, of one set
 * @lru: their order
 * @clock: its clock
 * @opened: windows that ctxra opened, by pattern
 * @markers_skipped: markers that it let pass
 * @missed: calls of the synchronous door
 * @lost: misses that the door did not fill
 * @drop_behind: readers drop what they have read
 */
struct sim {
	struct simcache cache;
	unsigned long win;
	unsigned long part;
	long ctxra;
	struct ctxra_budget budget;
	struct ctxra_stream streams[SIM_STREAMS];
	struct ctxra_lru lru;
	u32 clock;
	unsigned long opened[CTXRA_NR_PATTERNS];
	unsigned long markers_skipped;
	unsigned long missed;
	unsigned long lost;
	bool drop_behind;
};

struct sim_request {
	unsigned long index;
	unsigned long nr;
};

enum sim_share {
	SIM_TURN,	/* each reader takes every Nth request, strictly one after another */
	SIM_FREE,	/* each reader takes every Nth request, at its own pace */
	SIM_POOL,	/* whoever is free takes the next request, as nfsd does */
};

static const char *const sim_share_names[] = { "turn", "free", "pool" };

/**
 * struct sim_work - what the readers read, and how they share it
 * @requests: in the order in which they are handed out
 * @nr: how many
 * @readers: how many, up to SIM_READERS
 * @share: how they share the requests
 * @shared_fd: all have one descriptor instead of one each
 * @seed: for the scheduler
 */
struct sim_work {
	const struct sim_request *requests;
	unsigned long nr;
	unsigned int readers;
	enum sim_share share;
	bool shared_fd;
	u32 seed;
};

struct sim_reader {
	struct stock_ra *ra;
	unsigned long next;	/* request */
	unsigned long pos;
	unsigned long end;
	u32 wake;
};

/* A generator whose first values do not depend on how close to each other seeds are. */
static inline struct rnd_state sim_random(u32 seed)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, (seed + 1) * GOLDEN_RATIO_64);
	for (i = 0; i < 16; i++)
		prandom_u32_state(&rnd);
	return rnd;
}

static inline struct sim *sim_alloc(struct kunit *test, unsigned long first, unsigned long eof)
{
	struct sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sim);
	simcache_init(&sim->cache, test, first, eof);
	return sim;
}

/* Start over. @ctxra: patterns, or -1 */
static inline void sim_reset(struct sim *sim, const struct sim_way *way, unsigned long win,
			     long ctxra)
{
	simcache_reset(&sim->cache, way);
	sim->cache.io_pages = win;
	sim->win = win;
	sim->ctxra = ctxra;
	memset(sim->streams, 0, sizeof(sim->streams));
	ctxra_lru_init(&sim->lru, sim->streams, SIM_STREAMS);
	sim->clock = 0;
	ctxra_budget_init(&sim->budget);
	memset(sim->opened, 0, sizeof(sim->opened));
	sim->markers_skipped = 0;
	sim->missed = 0;
	sim->lost = 0;
}

static inline unsigned long sim_opened(const struct sim *sim)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < CTXRA_NR_PATTERNS; i++)
		sum += sim->opened[i];
	return sum;
}

/* ctxra_trim_window() */
static inline bool sim_trim(struct simcache *cache, struct ctxra_window *win, unsigned long index)
{
	unsigned long start, end, limit = win->start + win->nr;

	if (win->ahead) {
		start = win->start;
		while (start < limit && sim_cached(cache, start))
			start++;
		end = start;
	} else {
		start = index;
		while (start > win->start && !sim_cached(cache, start - 1))
			start--;
		end = index;
	}
	while (end < limit && !sim_cached(cache, end))
		end++;
	if (end <= start)
		return false;
	win->start = start;
	win->nr = end - start;
	win->marker = clamp(win->marker, start, end);
	return true;
}

/* What holds for every window, whatever the order of requests. */
static inline void sim_check_window(struct sim *sim, const struct ctxra_request *rq,
				    const struct ctxra_window *win)
{
	struct kunit *test = sim->cache.test;

	KUNIT_ASSERT_GT(test, win->nr, 0UL);
	KUNIT_ASSERT_LE(test, win->nr, rq->win);
	KUNIT_ASSERT_LT(test, win->start, rq->eof);
	KUNIT_ASSERT_LE(test, win->nr, rq->eof - win->start);
	if (win->ahead) {
		KUNIT_ASSERT_TRUE(test, rq->index < win->start ||
				  rq->index - win->start >= win->nr);
	} else {
		KUNIT_ASSERT_FALSE(test, rq->marker);
		KUNIT_ASSERT_LE(test, win->start, rq->index);
		KUNIT_ASSERT_LT(test, rq->index - win->start, win->nr);
	}
}

/* ctxra_sample_use() */
static inline struct ctxra_use sim_sample(struct simcache *cache, unsigned long start,
					  unsigned long nr)
{
	unsigned long step = (nr / CTXRA_SAMPLES) | 1, i;
	struct ctxra_use use = {};

	for (i = 0; i < nr && i < step * CTXRA_SAMPLES; i += step) {
		const struct sim_page *page = sim_page(cache, start + i);

		if (page->evicted)
			continue;
		if (!page->cached)
			use.absent++;
		else if (page->used)
			use.used++;
		else if (page->ready <= cache->now)
			use.unused++;
	}
	return use;
}

/* ctxra_table_follow() and follow() of hooks.c, for a cache of one file */
static inline enum ctxra_verdict sim_follow(struct sim *sim, struct ctxra_request *rq,
					    struct ctxra_window *win)
{
	struct ctxra_file file = { .mapping = sim, .ino = 1 };
	enum ctxra_verdict verdict;
	struct ctxra_window probe;
	struct ctxra_stream *s;
	unsigned long page;

	sim->clock++;
	s = ctxra_stream_find(sim->streams, SIM_STREAMS, &file, rq);
	if (!s) {
		if (!ctxra_stream_should_start(rq))
			return CTXRA_STOCK;
		s = ctxra_lru_victim(&sim->lru, sim->clock);
		ctxra_stream_start(s, &file, rq);
	}
	if (ctxra_stream_probe_due(s, rq, &probe)) {
		struct ctxra_use use = sim_sample(&sim->cache, probe.start, probe.nr);

		ctxra_stream_judge(s, &sim->budget, &use);
	}
	if (ctxra_stream_may_be_stale(s, rq, &page))
		rq->dropped = !sim_cached(&sim->cache, page);
	verdict = ctxra_stream_follow(s, &sim->budget, rq, win);
	ctxra_lru_touch(&sim->lru, s, sim->clock);
	if (verdict != CTXRA_OPEN)
		return verdict;
	sim_check_window(sim, rq, win);
	if (!sim_trim(&sim->cache, win, rq->index))
		return rq->marker ? CTXRA_SKIP_MARKER : CTXRA_STOCK;
	sim_check_window(sim, rq, win);
	return CTXRA_OPEN;
}

/* The part of request_init() of hooks.c that is about sizes */
static inline struct ctxra_request sim_request(const struct sim *sim, unsigned long index,
					       unsigned long nr)
{
	return (struct ctxra_request){
		.index = index,
		.nr = nr,
		.ahead = sim->win,
		.win = sim->part ? clamp(sim->part, min(nr, sim->win), sim->win) : sim->win,
		.eof = sim->cache.eof,
		.patterns = sim->ctxra,
	};
}

/* sync_entry() of hooks.c, then the stock function */
static inline void sim_miss(struct sim *sim, struct stock_ra *ra, unsigned long index,
			    unsigned long nr)
{
	struct ctxra_request rq = sim_request(sim, index, nr);
	unsigned long prev_index = (u64)ra->prev_pos >> PAGE_SHIFT, read = sim->cache.read;
	struct ctxra_steering st;
	struct ctxra_window win;
	struct stock_ra steered;

	rq.in_order = !index || index - prev_index <= 1;
	if (!rq.in_order)
		rq.cached = sim_cached_before(&sim->cache, index, min(sim->win, SIM_TRAIL));
	rq.evicted = sim_page(&sim->cache, index)->evicted;
	if (rq.evicted && rq.in_order && index && index >= ra->start &&
	    index - ra->start < ra->size)
		rq.evicted_window = ra->size;
	if (sim->ctxra < 0 || nr > sim->win || sim_follow(sim, &rq, &win) != CTXRA_OPEN) {
		sim_sync_door(&sim->cache, ra, index, nr);
		return;
	}
	sim->opened[win.pattern]++;
	ctxra_steer_miss(&win, PAGE_SHIFT, &st);
	steered = sim_steered(&st);
	sim_sync_door(&sim->cache, &steered, st.index, st.req);
	KUNIT_ASSERT_EQ(sim->cache.test, sim->cache.read - read, win.nr);
}

/* ctxra_is_sparse_behind() of hooks.c */
static inline bool sim_sparse(struct sim *sim, const struct stock_ra *ra, unsigned long index)
{
	unsigned long prev_index = (u64)ra->prev_pos >> PAGE_SHIFT;
	unsigned long nr = min(prev_index, 2 * sim->win);
	struct ctxra_use use;

	if (prev_index >= index || index - prev_index > 2 * sim->win)
		return false;
	use = sim_sample(&sim->cache, prev_index - nr, nr);
	return ctxra_use_is_sparse(&use);
}

/* async_entry() of hooks.c, then the stock function */
static inline void sim_marker(struct sim *sim, struct stock_ra *ra, unsigned long index,
			      unsigned long nr)
{
	unsigned int order = sim_order(&sim->cache, index);
	struct ctxra_request rq = sim_request(sim, index, nr);
	unsigned long read = sim->cache.read;
	enum ctxra_verdict verdict = CTXRA_STOCK;
	struct ctxra_steering st;
	struct ctxra_window win;
	struct stock_ra steered;

	rq.marker = true;
	rq.in_order = index == round_down(ra->start + ra->size - ra->async_size, 1UL << order);
	if (rq.in_order) {
		rq.sparse = sim_sparse(sim, ra, index);
	} else {
		rq.cached = sim_cached_from(&sim->cache, index, rq.win + 1);
		if (rq.cached > rq.win)
			rq.cached = 0;
	}
	if (sim->ctxra >= 0 && nr <= sim->win)
		verdict = sim_follow(sim, &rq, &win);
	if (verdict == CTXRA_STOCK) {
		sim_async_door(&sim->cache, ra, index, index, nr);
		return;
	}
	if (verdict == CTXRA_SKIP_MARKER) {
		sim->markers_skipped++;
		sim_page(&sim->cache, index)->marker = false;
		return;
	}
	sim->opened[win.pattern]++;
	ctxra_steer_marker(&win, index, order, &st);
	steered = sim_steered(&st);
	sim_async_door(&sim->cache, &steered, index, st.index, st.req);
	KUNIT_ASSERT_LE(sim->cache.test, sim->cache.read - read, win.nr);
}

/*
 * filemap_get_read_batch(): the last page that can be had without a wait or a
 * marker; ULONG_MAX if the first is missing.
 */
static inline unsigned long sim_batch(struct sim *sim, const struct sim_reader *r)
{
	struct simcache *cache = &sim->cache;
	unsigned long end = min(r->end, cache->eof), last = ULONG_MAX, i = r->pos;

	while (i < end && sim_cached(cache, i)) {
		unsigned long folio = sim_folio(cache, i);

		last = i;
		if (sim_page(cache, i)->ready > cache->now || sim_page(cache, folio)->marker)
			break;
		i = folio + (1UL << sim_order(cache, folio));
	}
	return last;
}

/* One round of filemap_get_pages(). The reader sleeps until r->wake afterwards. */
static inline void sim_step(struct sim *sim, struct sim_reader *r)
{
	struct simcache *cache = &sim->cache;
	unsigned long last = sim_batch(sim, r), from = r->pos, folio;

	cache->now++;
	if (last == ULONG_MAX) {
		sim->missed++;
		sim_miss(sim, r->ra, r->pos, r->end - r->pos);
		last = sim_batch(sim, r);
	}
	if (last == ULONG_MAX) {
		/* filemap_create_folio() */
		sim->lost++;
		sim_add_folio(cache, r->pos, 0, false);
		sim_submit(cache, r->pos, 1);
		last = r->pos;
	}
	folio = sim_folio(cache, last);
	if (sim_page(cache, folio)->marker)
		sim_marker(sim, r->ra, folio, r->end - folio);
	r->wake = max(cache->now, sim_page(cache, last)->ready);
	r->pos = min(r->end, folio + (1UL << sim_order(cache, folio)));
	r->pos = min(r->pos, cache->eof);
	for (; from < r->pos; from++) {
		sim_page(cache, from)->used = true;
		if (sim->drop_behind)
			*sim_page(cache, from) = (struct sim_page){};
	}
	/* 6.1 moves it with each folio, later kernels at the end of the request. */
	if (cache->gen == STOCK_6_1 || r->pos == min(r->end, cache->eof))
		r->ra->prev_pos = (u64)r->pos << PAGE_SHIFT;
}

/* The reader's request is read, or it has none yet. */
static inline bool sim_idle(const struct sim *sim, const struct sim_reader *r)
{
	return r->pos >= min(r->end, sim->cache.eof);
}

/* Whether a request is left for a reader; @next is the pool's. */
static inline bool sim_more(const struct sim_work *work, const struct sim_reader *r,
			    unsigned long next)
{
	return (work->share == SIM_POOL ? next : r->next) < work->nr;
}

/* Give an idle reader its next request. */
static inline void sim_take(const struct sim_work *work, struct sim_reader *r,
			    unsigned long *next)
{
	const struct sim_request *rq = &work->requests[work->share == SIM_POOL ? *next : r->next];

	r->pos = rq->index;
	r->end = rq->index + rq->nr;
	r->next += work->readers;
	(*next)++;
}

/* Readers that run whenever they can, one step at a time in a random order. */
static inline void sim_run_free(struct sim *sim, const struct sim_work *work,
				struct sim_reader *readers)
{
	struct rnd_state rnd = sim_random(work->seed);
	unsigned long next = 0;

	for (;;) {
		struct sim_reader *ready[SIM_READERS], *r;
		unsigned int nr_ready = 0, i;
		u32 wake = U32_MAX;

		for (i = 0; i < work->readers; i++) {
			r = &readers[i];
			if (r->wake > sim->cache.now)
				wake = min(wake, r->wake);
			else if (!sim_idle(sim, r) || sim_more(work, r, next))
				ready[nr_ready++] = r;
		}
		if (nr_ready) {
			r = ready[prandom_u32_state(&rnd) % nr_ready];
			if (sim_idle(sim, r))
				sim_take(work, r, &next);
			/* A request behind the end of the file reads nothing. */
			if (!sim_idle(sim, r))
				sim_step(sim, r);
		} else if (wake != U32_MAX) {
			sim->cache.now = wake;
		} else {
			break;
		}
	}
}

/* Readers that wait for each other: all of a request, then all of the next. */
static inline void sim_run_turn(struct sim *sim, const struct sim_work *work,
				struct sim_reader *readers)
{
	unsigned long i, next = 0;

	for (i = 0; i < work->nr; i++) {
		struct sim_reader *r = &readers[i % work->readers];

		sim_take(work, r, &next);
		while (!sim_idle(sim, r)) {
			sim_step(sim, r);
			sim->cache.now = max(sim->cache.now, r->wake);
		}
	}
}

/* Read all of the work, from descriptors just opened. */
static inline void sim_run(struct sim *sim, const struct sim_work *work)
{
	struct sim_reader readers[SIM_READERS] = {};
	struct stock_ra ra[SIM_READERS];
	unsigned int i;

	KUNIT_ASSERT_LE(sim->cache.test, work->readers, (unsigned int)SIM_READERS);
	for (i = 0; i < work->readers; i++) {
		/* file_ra_state_init() */
		ra[i] = (struct stock_ra){ .ra_pages = sim->win, .prev_pos = -1 };
		readers[i].ra = work->shared_fd ? &ra[0] : &ra[i];
		readers[i].next = i;
	}
	if (work->share == SIM_TURN)
		sim_run_turn(sim, work, readers);
	else
		sim_run_free(sim, work, readers);
}

#endif
