// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/mm.h>

#include "ctxra/follow.h"
#include "ctxra/governor.h"
#include "ctxra/stream.h"
#include "sim/simread.h"

#define MAX_TRAIL	1024UL	/* of hooks.c */

const char *const sim_share_names[] = { "turn", "free", "pool" };

/* A generator whose first values differ even for seeds that are close to each other. */
struct rnd_state sim_random(u32 seed)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, (seed + 1) * GOLDEN_RATIO_64);
	for (i = 0; i < 16; i++)
		prandom_u32_state(&rnd);
	return rnd;
}

struct sim *sim_alloc(struct kunit *test, unsigned long first, unsigned long eof)
{
	struct sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sim);
	simcache_init(&sim->cache, test, first, eof);
	return sim;
}

/* Start over. @ctxra: patterns, or SIM_STOCK */
void sim_reset(struct sim *sim, const struct sim_way *way, unsigned long win, long ctxra)
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
	sim->unfilled = 0;
}

unsigned long sim_opened(const struct sim *sim)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < CTXRA_NR_PATTERNS; i++)
		sum += sim->opened[i];
	return sum;
}

/* ctxra_trim_window() */
static bool sim_trim_window(struct simcache *cache, struct ctxra_window *win, unsigned long index)
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

/* Fail if a window is not what any order of requests may open. */
static void sim_assert_window(struct sim *sim, const struct ctxra_request *rq,
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
static struct ctxra_use sim_sample_use(struct simcache *cache, unsigned long start,
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

/* ctxra_decide() of hooks.c with ctxra_table_follow(), for a cache of one file. */
static enum ctxra_verdict sim_decide(struct sim *sim, struct ctxra_request *rq,
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
		struct ctxra_use use = sim_sample_use(&sim->cache, probe.start, probe.nr);

		ctxra_stream_judge(s, &sim->budget, &use);
	}
	if (ctxra_stream_may_be_stale(s, rq, &page))
		rq->dropped = !sim_cached(&sim->cache, page);
	verdict = ctxra_stream_follow(s, &sim->budget, rq, win);
	ctxra_lru_touch(&sim->lru, s, sim->clock);
	if (verdict != CTXRA_OPEN)
		return verdict;
	sim_assert_window(sim, rq, win);
	if (!sim_trim_window(&sim->cache, win, rq->index))
		return rq->marker ? CTXRA_SKIP_MARKER : CTXRA_STOCK;
	sim_assert_window(sim, rq, win);
	return CTXRA_OPEN;
}

/* The part of ctxra_request_init() of hooks.c that is about sizes. */
static struct ctxra_request sim_request(const struct sim *sim, unsigned long index,
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

/* ctxra_sync_ra_entry() of hooks.c, then the stock function. */
static void sim_sync_ra(struct sim *sim, struct stock_ra *ra, unsigned long index,
			unsigned long nr)
{
	struct ctxra_request rq = sim_request(sim, index, nr);
	unsigned long prev_index = (u64)ra->prev_pos >> PAGE_SHIFT, read = sim->cache.read;
	struct ctxra_steering st;
	struct ctxra_window win;
	struct stock_ra steered;

	rq.in_order = !index || index - prev_index <= 1;
	if (!rq.in_order)
		rq.cached = sim_cached_before(&sim->cache, index, min(sim->win, MAX_TRAIL));
	rq.evicted = sim_page(&sim->cache, index)->evicted;
	if (rq.evicted && rq.in_order && index && index >= ra->start &&
	    index - ra->start < ra->size)
		rq.evicted_window = ra->size;
	if (sim->ctxra < 0 || nr > sim->win || sim_decide(sim, &rq, &win) != CTXRA_OPEN) {
		sim_stock_sync_ra(&sim->cache, ra, index, nr);
		return;
	}
	sim->opened[win.pattern]++;
	ctxra_steer_miss(&win, PAGE_SHIFT, &st);
	steered = sim_steered(&st);
	sim_stock_sync_ra(&sim->cache, &steered, st.index, st.req);
	KUNIT_ASSERT_EQ(sim->cache.test, sim->cache.read - read, win.nr);
}

/* ctxra_is_sparse_behind() of hooks.c. */
static bool sim_is_sparse_behind(struct sim *sim, const struct stock_ra *ra, unsigned long index)
{
	unsigned long prev_index = (u64)ra->prev_pos >> PAGE_SHIFT;
	unsigned long nr = min(prev_index, 2 * sim->win);
	struct ctxra_use use;

	if (prev_index >= index || index - prev_index > 2 * sim->win)
		return false;
	use = sim_sample_use(&sim->cache, prev_index - nr, nr);
	return ctxra_use_is_sparse(&use);
}

/* ctxra_async_ra_entry() of hooks.c, then the stock function. */
static void sim_async_ra(struct sim *sim, struct stock_ra *ra, unsigned long index,
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
		rq.sparse = sim_is_sparse_behind(sim, ra, index);
	} else {
		rq.cached = sim_cached_from(&sim->cache, index, rq.win + 1);
		if (rq.cached > rq.win)
			rq.cached = 0;
	}
	if (sim->ctxra >= 0 && nr <= sim->win)
		verdict = sim_decide(sim, &rq, &win);
	if (verdict == CTXRA_STOCK) {
		sim_stock_async_ra(&sim->cache, ra, index, index, nr);
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
	sim_stock_async_ra(&sim->cache, &steered, index, st.index, st.req);
	KUNIT_ASSERT_LE(sim->cache.test, sim->cache.read - read, win.nr);
}

/*
 * filemap_get_read_batch(): the last page of the batch, which ends at a page in flight or at a
 * marker; ULONG_MAX if the first page is missing.
 */
static unsigned long sim_batch(struct sim *sim, const struct sim_reader *r)
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

/* Call filemap_get_pages() once. The reader then sleeps until r->wake. */
void sim_step(struct sim *sim, struct sim_reader *r)
{
	struct simcache *cache = &sim->cache;
	unsigned long last = sim_batch(sim, r), from = r->pos, folio;

	cache->now++;
	if (last == ULONG_MAX) {
		sim->missed++;
		sim_sync_ra(sim, r->ra, r->pos, r->end - r->pos);
		last = sim_batch(sim, r);
	}
	if (last == ULONG_MAX) {
		/* filemap_create_folio() */
		sim->unfilled++;
		sim_add_folio(cache, r->pos, 0, false);
		sim_submit(cache, r->pos, 1);
		last = r->pos;
	}
	folio = sim_folio(cache, last);
	if (sim_page(cache, folio)->marker)
		sim_async_ra(sim, r->ra, folio, r->end - folio);
	r->wake = max(cache->now, sim_page(cache, last)->ready);
	r->pos = min(r->end, folio + (1UL << sim_order(cache, folio)));
	r->pos = min(r->pos, cache->eof);
	for (; from < r->pos; from++) {
		sim_page(cache, from)->used = true;
		if (sim->drop_behind)
			*sim_page(cache, from) = (struct sim_page){};
	}
	/* 6.1 updates prev_pos with each folio, later kernels at the end of the request. */
	if (cache->gen == STOCK_6_1 || r->pos == min(r->end, cache->eof))
		r->ra->prev_pos = (u64)r->pos << PAGE_SHIFT;
}

/* Has the reader finished its request, or has it none yet? */
bool sim_idle(const struct sim *sim, const struct sim_reader *r)
{
	return r->pos >= min(r->end, sim->cache.eof);
}

/* Is a request left for this reader? @next is the pool's next one. */
static bool sim_has_request(const struct sim_work *work, const struct sim_reader *r,
			    unsigned long next)
{
	return (work->share == SIM_POOL ? next : r->next) < work->nr;
}

/* Give an idle reader its next request. */
static void sim_assign_request(const struct sim_work *work, struct sim_reader *r,
			       unsigned long *next)
{
	const struct sim_request *rq = &work->requests[work->share == SIM_POOL ? *next : r->next];

	r->pos = rq->index;
	r->end = rq->index + rq->nr;
	r->next += work->readers;
	(*next)++;
}

/* Run readers one step at a time, in a random order of those that do not sleep. */
static void sim_run_concurrent(struct sim *sim, const struct sim_work *work,
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
			else if (!sim_idle(sim, r) || sim_has_request(work, r, next))
				ready[nr_ready++] = r;
		}
		if (nr_ready) {
			r = ready[prandom_u32_state(&rnd) % nr_ready];
			if (sim_idle(sim, r))
				sim_assign_request(work, r, &next);
			/* A request beyond the end of the file reads nothing. */
			if (!sim_idle(sim, r))
				sim_step(sim, r);
		} else if (wake != U32_MAX) {
			sim->cache.now = wake;
		} else {
			break;
		}
	}
}

/* Run readers that wait for each other: one finishes its request, then the next. */
static void sim_run_in_turn(struct sim *sim, const struct sim_work *work,
			    struct sim_reader *readers)
{
	unsigned long i, next = 0;

	for (i = 0; i < work->nr; i++) {
		struct sim_reader *r = &readers[i % work->readers];

		sim_assign_request(work, r, &next);
		while (!sim_idle(sim, r)) {
			sim_step(sim, r);
			sim->cache.now = max(sim->cache.now, r->wake);
		}
	}
}

/* Read all of the work, by descriptors that were just opened. */
void sim_run(struct sim *sim, const struct sim_work *work)
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
		sim_run_in_turn(sim, work, readers);
	else
		sim_run_concurrent(sim, work, readers);
}
