// SPDX-License-Identifier: GPL-2.0-only
/*
 * A set-associative table: a part of a file selects a set, and the set's lock protects its
 * streams. A call allocates nothing. No entry points to an object, so inode eviction needs no
 * hook: the entries of a freed inode match no file, and get replaced.
 *
 * A part is as long as 128 windows, so that a large file or a block device has many sets and many
 * locks. A stream moves on to the next part's set with the first request there.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/spinlock.h>

#include "budget.h"
#include "recent.h"
#include "set.h"
#include "sets.h"

#define SET_BITS	9
/* The page before the first read of an open file: file_ra_state_init() sets prev_pos to -1. */
#define NO_PREV		((u64)-1 >> PAGE_SHIFT)
#define BUDGET_BITS	6
/*
 * A part has 1 << PART_BITS windows or more, eight times the longest reach of a request, so that
 * the streams within reach of a request are in one other part at most. It has 1 << MIN_PART_BITS
 * pages or more.
 */
#define PART_BITS	7
#define MIN_PART_BITS	12

/**
 * struct ctxra_locked_set - a set of the table
 * @lock: protects @set. Raw, because it is taken with preemption disabled. Nests in all locks that
 *	the reader holds, and in the lock of another set at a lower address.
 * @set: its streams
 */
struct ctxra_locked_set {
	raw_spinlock_t lock;
	struct ctxra_set set;
} ____cacheline_aligned_in_smp;

/* docs/design/ctxra.md and ctxra(4) give the size of the table. sparse gives each bool a byte. */
#ifndef __CHECKER__
static_assert(sizeof(struct ctxra_stream) <= 128);
#endif

/**
 * struct ctxra_sets - the table
 * @recent: where misses were lately
 * @budgets: for new streams, by file. Calls on several sets may change one at the same time, and
 *	lose a change, which matters little.
 * @sets: the sets
 */
struct ctxra_sets {
	struct ctxra_recent recent;
	struct ctxra_budget budgets[1 << BUDGET_BITS];
	struct ctxra_locked_set sets[1 << SET_BITS];
};

/**
 * struct ctxra_place - where the stream of a request may be
 * @home: the set of the request's part
 * @other: the set of the neighbouring part, if that is within reach, else NULL
 */
struct ctxra_place {
	struct ctxra_locked_set *home;
	struct ctxra_locked_set *other;
};

/* Empty the table. No call uses it. */
void ctxra_sets_clear(struct ctxra_sets *sets)
{
	unsigned int i;

	memset(sets, 0, sizeof(*sets));
	for (i = 0; i < ARRAY_SIZE(sets->budgets); i++)
		ctxra_budget_init(&sets->budgets[i]);
	for (i = 0; i < ARRAY_SIZE(sets->sets); i++) {
		raw_spin_lock_init(&sets->sets[i].lock);
		ctxra_set_init(&sets->sets[i].set);
	}
}

/**
 * ctxra_sets_create - allocate an empty table
 *
 * Context: may sleep.
 * Return: the table, or NULL without memory.
 */
struct ctxra_sets *ctxra_sets_create(void)
{
	struct ctxra_sets *sets = kvmalloc(sizeof(*sets), GFP_KERNEL);

	if (sets)
		ctxra_sets_clear(sets);
	return sets;
}

/* No call uses the table any more. */
void ctxra_sets_destroy(struct ctxra_sets *sets)
{
	kvfree(sets);
}

static struct ctxra_locked_set *set_of(struct ctxra_sets *sets, const void *mapping,
				       unsigned long part)
{
	unsigned long key = (unsigned long)mapping ^ hash_long(part, BITS_PER_LONG);

	return &sets->sets[hash_long(key, SET_BITS)];
}

/*
 * Pages of a whole request of the reader that makes a call, as far as is known. At a marker a call
 * gives only those from the marker on, often one. So take those of the last miss in its set.
 */
static unsigned long whole_nr(const struct ctxra_set *set, const struct ctxra_args *args)
{
	if (!args->folio_nr)
		return args->nr;
	return max(args->nr, min_t(unsigned long, READ_ONCE(set->last_nr), args->ahead));
}

static struct ctxra_place ctxra_place_of(struct ctxra_sets *sets, const struct ctxra_file *file,
					 const struct ctxra_args *args)
{
	unsigned int bits = max(order_base_2(args->ahead) + PART_BITS, MIN_PART_BITS);
	unsigned long part = args->index >> bits;
	unsigned long in_part = args->index & (BIT(bits) - 1);
	struct ctxra_place place = { .home = set_of(sets, file->mapping, part) };
	/* The range of a stream, and the way to it, are each as long as a reach at most. */
	unsigned long near = 2 * max(2 * args->ahead, 16 * whole_nr(&place.home->set, args));

	if (in_part < near && part)
		place.other = set_of(sets, file->mapping, part - 1);
	else if (in_part + args->nr + near > BIT(bits) && (part + 1) << bits < args->eof)
		place.other = set_of(sets, file->mapping, part + 1);
	else if (in_part < 2 * args->grown && part)
		/* Windows are larger, so there may have been no call near the border. */
		place.other = set_of(sets, file->mapping, part - 1);
	if (place.other == place.home)
		place.other = NULL;
	return place;
}

/* Sparse sees one lock here, because it cannot follow whether there are two. */
static unsigned long ctxra_place_lock(const struct ctxra_place *place)
	__acquires(&place->home->lock)
{
	struct ctxra_locked_set *first = place->home, *second = place->other;
	unsigned long flags;

	if (second && second < first)
		swap(first, second);
	raw_spin_lock_irqsave(&first->lock, flags);
	if (second) {
		raw_spin_lock_nested(&second->lock, SINGLE_DEPTH_NESTING);
		__release(&second->lock);
	}
	return flags;
}

static void ctxra_place_unlock(const struct ctxra_place *place, unsigned long flags)
	__releases(&place->home->lock)
{
	if (place->other) {
		__acquire(&place->other->lock);
		raw_spin_unlock(&place->other->lock);
	}
	raw_spin_unlock_irqrestore(&place->home->lock, flags);
}

/*
 * Whether the state of the open file looks as if its last read was a random one, too: it has no
 * window, or one that the stock code opened because of cached pages before the request, with an
 * async_size of 1, and the file was not read beyond that request.
 */
static bool seems_random(const struct ctxra_args *args)
{
	return !args->ra_size ||
	       (args->ra_async_size <= 1 && args->prev_index - args->ra_start <= args->nr);
}

/*
 * Whether a call is a random read that belongs to no stream: no miss was near it lately, and no
 * stream was recognised in its part. Takes no lock and looks at no page, because every random read
 * that misses comes here.
 */
static bool ctxra_is_random(struct ctxra_sets *sets, const struct ctxra_place *place,
			    const struct ctxra_file *file, const struct ctxra_args *args)
{
	if (args->folio_nr ||
	    ctxra_recent_touch(&sets->recent, file->mapping, args->index, args->nr))
		return false;
	return args->prev_index != NO_PREV && !ctxra_args_in_order(args) && seems_random(args) &&
	       !ctxra_set_has_recognised(&place->home->set) &&
	       !(place->other && ctxra_set_has_recognised(&place->other->set));
}

/*
 * Decide on a call that is not at once seen to be a random read. A function of its own, because
 * kernels that clear variables on the stack would else do so for random reads, too.
 */
static noinline enum ctxra_verdict ctxra_sets_decide(struct ctxra_sets *sets,
						     const struct ctxra_place *place,
						     const struct ctxra_file *file,
						     const struct ctxra_args *args,
						     const struct ctxra_facts *facts,
						     struct ctxra_window *win)
{
	struct ctxra_set *set = &place->home->set;
	enum ctxra_verdict verdict;
	struct ctxra_request rq;
	unsigned long flags;

	ctxra_request_init(&rq, args, facts);
	rq.whole_nr = whole_nr(set, args);
	/* The miss of a marker's reader will be behind the pages that are cached. */
	if (rq.marker)
		ctxra_recent_touch(&sets->recent, file->mapping,
				   ctxra_sat_add(rq.index, max(rq.cached, 1UL)), rq.whole_nr);
	flags = ctxra_place_lock(place);
	set->now = args->now_ms;
	if (!rq.marker)
		WRITE_ONCE(set->last_nr, rq.nr);
	set->budget = &sets->budgets[hash_ptr((void *)file->mapping, BUDGET_BITS)];
	if (place->other)
		ctxra_set_adopt(set, &place->other->set, file, &rq);
	verdict = ctxra_decide(set, file, &rq, facts, win);
	if (verdict == CTXRA_OPEN)
		facts->ops->opens(facts->ctx, win);
	ctxra_place_unlock(place, flags);
	return verdict == CTXRA_OPEN ? ctxra_confirm(&rq, facts, win) : verdict;
}

/**
 * ctxra_sets_follow - decide what to do with a call
 * @sets: the table
 * @file: the file
 * @args: the call
 * @facts: asked for pages
 * @win: set for CTXRA_OPEN: the pages to read, none of which is cached
 *
 * Context: any. Under the lock of one set or two it compares at most two sets of streams, and asks
 * for some pages, or for those of a window, which is bounded by MAX_STEPS of pagecache.c.
 * Return: what to do with the call.
 */
enum ctxra_verdict ctxra_sets_follow(struct ctxra_sets *sets, const struct ctxra_file *file,
				     const struct ctxra_args *args,
				     const struct ctxra_facts *facts, struct ctxra_window *win)
{
	struct ctxra_place place = ctxra_place_of(sets, file, args);

	if (ctxra_is_random(sets, &place, file, args))
		return CTXRA_STOCK;
	return ctxra_sets_decide(sets, &place, file, args, facts, win);
}
