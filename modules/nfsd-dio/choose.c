// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stable write waits for its data either way, so its latency tells which way is faster. Most
 * writes go the faster way. The other way has a trial now and then: its writes are compared with
 * those beside them, so a load that changes changes both.
 *
 * What a trial costs is bounded by time, not by number: a direct write keeps all that write to its
 * file through the cache waiting as long as it takes, and the other way round.
 *
 * What the cache would have kept is a cost of direct writes: one that is read soon after costs a
 * read of the disk, about as long as the write.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "choose.h"

/* The weight of a new observation of read_back is 1 / WEIGHT. */
#define WEIGHT	16

/* What a direct write costs, with the reads that it causes, ns. */
static u64 nd_cost_of_direct(const struct nd_choice *choice)
{
	u64 ns = choice->ns[ND_BY_DIRECT];

	return ns + ns * choice->read_back / ND_READ_BACK_ALL;
}

static bool nd_is_measured(const struct nd_choice *choice)
{
	return choice->measured[ND_BY_CACHE] >= ND_MEASURED_FIRST &&
	       choice->measured[ND_BY_DIRECT] >= ND_MEASURED_FIRST;
}

/* Start anew: latencies beside writes of one way say little of those beside the other. */
static void nd_choice_change(struct nd_choice *choice, enum nd_way way)
{
	choice->way = way;
	choice->measured[ND_BY_CACHE] = 0;
	choice->measured[ND_BY_DIRECT] = 0;
}

/*
 * Direct writes must save a third to be chosen, so that chance does not choose them. Once they are, they must not be slower: then a
 * write through the cache has few of its kind to wait for, and looks faster than all would be.
 */
static void nd_choice_compare(struct nd_choice *choice)
{
	u64 direct = nd_cost_of_direct(choice), cache = choice->ns[ND_BY_CACHE];

	if (!nd_is_measured(choice))
		return;
	if (choice->way == ND_BY_CACHE && direct < cache - cache / 3)
		nd_choice_change(choice, ND_BY_DIRECT);
	else if (choice->way == ND_BY_DIRECT && direct > cache)
		nd_choice_change(choice, ND_BY_CACHE);
}

/**
 * nd_choice_wants - whether a write is to be looked at, because it may go direct or be measured
 * @choice: of its device and size
 * @now: ns
 *
 * Return: false for most writes where the cache is faster: these shall pay nothing.
 */
bool nd_choice_wants(const struct nd_choice *choice, u64 now)
{
	return choice->way == ND_BY_DIRECT || choice->to_measure || now >= choice->next_trial;
}

/**
 * nd_choose - choose the way of a write that may go either way
 * @choice: of its device and size
 * @now: ns
 *
 * Where the cache is faster, as many writes by the cache are measured as have trials. The caller
 * measures each write that it has asked for.
 */
enum nd_way nd_choose(struct nd_choice *choice, u64 now)
{
	bool trial = now >= choice->next_trial;

	if (choice->way == ND_BY_CACHE && choice->to_measure) {
		choice->to_measure--;
		return ND_BY_CACHE;
	}
	if (!trial)
		return choice->way;
	/* Until it has ended and is known. */
	choice->next_trial = now + ND_TRIAL_NS;
	if (choice->way == ND_BY_DIRECT)
		return ND_BY_CACHE;
	choice->to_measure = 1;
	return ND_BY_DIRECT;
}

/**
 * nd_chosen - learn what a write took
 * @choice: of its device and size
 * @way: the way that nd_choose() gave it
 * @took: ns
 * @now: ns
 */
void nd_chosen(struct nd_choice *choice, enum nd_way way, u64 took, u64 now)
{
	bool is_trial = way != choice->way;
	u64 pause;

	/* The mean of the first ones, then a moving one. */
	if (choice->measured[way] < ND_MEASURED_MOST)
		choice->measured[way]++;
	if (choice->measured[way] == 1)
		choice->ns[way] = took;
	else if (took > choice->ns[way])
		choice->ns[way] += div_u64(took - choice->ns[way], choice->measured[way]);
	else
		choice->ns[way] -= div_u64(choice->ns[way] - took, choice->measured[way]);
	if (is_trial) {
		pause = took * (choice->measured[way] < ND_MEASURED_FIRST ? ND_TRIAL_FIRST :
				ND_TRIAL_LATER);
		choice->next_trial = now + min(pause, ND_TRIAL_NS);
	}
	nd_choice_compare(choice);
}

/**
 * nd_choice_passes - let a write pass that may not go direct after all
 * @choice: of its device and size
 * @now: ns
 *
 * While all writes are such, as to blocks that are cached, few are looked at.
 */
void nd_choice_passes(struct nd_choice *choice, u64 now)
{
	if (choice->way == ND_BY_DIRECT)
		return;
	choice->to_measure = 0;
	choice->next_trial = max(choice->next_trial, now + ND_PASS_NS);
}

/**
 * nd_choice_failed - learn that the file system did not take a write as a direct one
 * @choice: of its device and size
 * @now: ns
 */
void nd_choice_failed(struct nd_choice *choice, u64 now)
{
	nd_choice_change(choice, ND_BY_CACHE);
	choice->to_measure = 0;
	choice->next_trial = now + ND_FAILED_NS;
}

/**
 * nd_choice_read_back - learn whether what a direct write wrote was read soon after
 * @choice: of its device and size
 * @was_read: it was
 */
void nd_choice_read_back(struct nd_choice *choice, bool was_read)
{
	if (was_read)
		choice->read_back += DIV_ROUND_UP(ND_READ_BACK_ALL - choice->read_back, WEIGHT);
	else
		choice->read_back -= choice->read_back / WEIGHT;
	nd_choice_compare(choice);
}
