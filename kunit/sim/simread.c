// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/resource.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "sim/simread.h"

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

static int sim_sets_init(struct kunit_resource *res, void *context)
{
	res->data = ctxra_sets_create();
	return res->data ? 0 : -ENOMEM;
}

static void sim_sets_free(struct kunit_resource *res)
{
	ctxra_sets_destroy(res->data);
}

struct sim *sim_alloc(struct kunit *test, unsigned long first, unsigned long eof)
{
	struct sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sim);
	simcache_init(&sim->cache, test, first, eof);
	sim->sets = kunit_alloc_resource(test, sim_sets_init, sim_sets_free, GFP_KERNEL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, sim->sets);
	return sim;
}

/* Start over. @ctxra: patterns, or SIM_STOCK */
void sim_reset(struct sim *sim, const struct sim_way *way, unsigned long win, long ctxra)
{
	simcache_reset(&sim->cache, way);
	sim->cache.io_pages = win;
	sim->win = win;
	sim->ctxra = ctxra;
	ctxra_sets_clear(sim->sets);
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
static bool sim_trim(void *ctx, struct ctxra_window *win, unsigned long index)
{
	struct simcache *cache = ctx;
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
static void sim_assert_window(struct sim *sim, const struct ctxra_args *rq,
			      const struct ctxra_window *win)
{
	struct kunit *test = sim->cache.test;

	KUNIT_ASSERT_GT(test, win->nr, 0UL);
	KUNIT_ASSERT_LE(test, win->nr, max(rq->win, rq->grown));
	KUNIT_ASSERT_LT(test, win->start, rq->eof);
	KUNIT_ASSERT_LE(test, win->nr, rq->eof - win->start);
	if (win->ahead) {
		KUNIT_ASSERT_TRUE(test, rq->index < win->start ||
				  rq->index - win->start >= win->nr);
	} else {
		KUNIT_ASSERT_EQ(test, rq->folio_nr, 0UL);
		KUNIT_ASSERT_LE(test, win->start, rq->index);
		KUNIT_ASSERT_LT(test, rq->index - win->start, win->nr);
	}
}

/* ctxra_sample_use() */
static struct ctxra_use sim_sample_use(void *ctx, unsigned long start, unsigned long nr)
{
	unsigned long step = (nr / CTXRA_SAMPLES) | 1, i;
	struct simcache *cache = ctx;
	struct ctxra_use use = {};
	bool gap = false;

	for (i = 0; i < nr && i < step * CTXRA_SAMPLES; i += step) {
		const struct sim_page *page = sim_page(cache, start + i);

		if (page->evicted) {
			use.evicted++;
		} else if (!page->cached) {
			use.absent++;
			gap = true;
		} else if (page->used) {
			use.used++;
			use.gaps += gap;
			gap = false;
		} else if (page->ready <= cache->now) {
			use.unused++;
			gap = true;
		}
	}
	return use;
}

static bool sim_fact_is_cached(void *ctx, unsigned long index)
{
	return sim_cached(ctx, index);
}

static bool sim_fact_is_evicted(void *ctx, unsigned long index)
{
	return sim_page(ctx, index)->evicted;
}

/* A call of the simulation has ended before the next begins. */
static bool sim_fact_is_in_flight(void *ctx, unsigned long index)
{
	return false;
}

static unsigned long sim_fact_cached_before(void *ctx, unsigned long index, unsigned long max)
{
	return sim_cached_before(ctx, index, max);
}

static unsigned long sim_fact_trail(void *ctx, unsigned long index, unsigned long max)
{
	return sim_trail(ctx, index, max);
}

/* ctxra_cached_from() */
static unsigned long sim_fact_cached_from(void *ctx, unsigned long index, unsigned long max)
{
	unsigned long nr = sim_cached_from(ctx, index, max + 1);

	return nr > max ? 0 : nr;
}

static void sim_fact_opens(void *ctx, const struct ctxra_window *win)
{
	struct sim *sim = container_of(ctx, struct sim, cache);

	sim_assert_window(sim, sim->args, win);
}

static const struct ctxra_facts_ops sim_facts_ops = {
	.is_cached = sim_fact_is_cached,
	.is_evicted = sim_fact_is_evicted,
	.is_in_flight = sim_fact_is_in_flight,
	.cached_before = sim_fact_cached_before,
	.trail = sim_fact_trail,
	.cached_from = sim_fact_cached_from,
	.sample_use = sim_sample_use,
	.opens = sim_fact_opens,
	.trim = sim_trim,
};

/* The same address in each run, because it selects the sets. */
static const struct ctxra_file sim_file = { .mapping = &sim_facts_ops, .ino = 1 };

/* ctxra_table_follow(), for a cache of one file. */
static enum ctxra_verdict sim_decide(struct sim *sim, const struct ctxra_args *args,
				     struct ctxra_window *win)
{
	const struct ctxra_facts facts = { .ops = &sim_facts_ops, .ctx = &sim->cache };
	enum ctxra_verdict verdict;

	if (sim->ctxra < 0 || args->nr > args->win)
		return CTXRA_STOCK;
	sim->args = args;
	verdict = ctxra_sets_follow(sim->sets, &sim_file, args, &facts, win);
	if (verdict == CTXRA_OPEN)
		sim_assert_window(sim, args, win);
	return verdict;
}

/* ctxra_args_init() of hooks.c */
static struct ctxra_args sim_args(struct sim *sim, const struct stock_ra *ra,
				  unsigned long index, unsigned long folio_nr, unsigned long nr)
{
	bool grown = sim->grown && !(sim->flips && sim->calls++ / sim->flips % 2);

	return (struct ctxra_args){
		.grown = grown ? sim->grown : 0,
		.index = index,
		.nr = nr,
		.folio_nr = folio_nr,
		.ahead = sim->win,
		.win = sim->part ? clamp(sim->part, min(nr, sim->win), sim->win) : sim->win,
		.eof = sim->cache.eof,
		.patterns = sim->ctxra,
		.ra_start = ra->start,
		.ra_size = ra->size,
		.ra_async_size = ra->async_size,
		.prev_index = (u64)ra->prev_pos >> PAGE_SHIFT,
		.now_ms = sim->cache.now / SIM_TICKS_PER_MS,
	};
}

/* ctxra_sync_ra_entry() of hooks.c, then the stock function. */
static void sim_sync_ra(struct sim *sim, struct stock_ra *ra, unsigned long index,
			unsigned long nr)
{
	const struct ctxra_args args = sim_args(sim, ra, index, 0, nr);
	unsigned long read = sim->cache.read;
	struct ctxra_steering st;
	struct ctxra_window win;
	struct stock_ra steered;

	if (sim_decide(sim, &args, &win) != CTXRA_OPEN) {
		sim_stock_sync_ra(&sim->cache, ra, index, nr);
		return;
	}
	sim->opened[win.pattern]++;
	ctxra_steer_miss(&win, PAGE_SHIFT, &st);
	steered = sim_steered(&st);
	sim_stock_sync_ra(&sim->cache, &steered, st.index, st.req);
	KUNIT_ASSERT_EQ(sim->cache.test, sim->cache.read - read, win.nr);
}

/* ctxra_async_ra_entry() of hooks.c, then the stock function. */
static void sim_async_ra(struct sim *sim, struct stock_ra *ra, unsigned long index,
			 unsigned long nr)
{
	unsigned int order = sim_order(&sim->cache, index);
	const struct ctxra_args args = sim_args(sim, ra, index, 1UL << order, nr);
	unsigned long read = sim->cache.read;
	struct ctxra_steering st;
	enum ctxra_verdict verdict;
	struct ctxra_window win;
	struct stock_ra steered;

	verdict = sim_decide(sim, &args, &win);
	if (verdict == CTXRA_STOCK && sim->ctxra >= 0 && ctxra_stock_reads_all(&args))
		verdict = CTXRA_SKIP_MARKER;
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
	ctxra_steer_marker(&win, index, order, sim->cache.gen == STOCK_7_2, &st);
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
		struct sim_reader *ready[SIM_MAX_READERS], *r;
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

/* Let a reader finish its request, while no other one runs. */
void sim_finish(struct sim *sim, struct sim_reader *r)
{
	while (!sim_idle(sim, r)) {
		sim_step(sim, r);
		sim->cache.now = max(sim->cache.now, r->wake);
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
		sim_finish(sim, r);
	}
}

/* Read all of the work, by descriptors that were just opened. */
void sim_run(struct sim *sim, const struct sim_work *work)
{
	struct kunit *test = sim->cache.test;
	struct sim_reader *readers;
	struct stock_ra *ra;
	unsigned int i;

	KUNIT_ASSERT_LE(test, work->readers, (unsigned int)SIM_MAX_READERS);
	readers = kunit_kcalloc(test, work->readers, sizeof(*readers), GFP_KERNEL);
	ra = kunit_kcalloc(test, work->readers, sizeof(*ra), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, readers);
	KUNIT_ASSERT_NOT_NULL(test, ra);
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
	kunit_kfree(test, readers);
	kunit_kfree(test, ra);
}
