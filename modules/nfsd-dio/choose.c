// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stable write waits for its data either way, so its latency tells which way is faster.
 *
 * The ways are compared as they are when all writes go the same way: one write through the cache
 * locks the inode exclusively, and so waits for the I/O of all direct ones in flight, while one
 * direct write among cached ones overtakes them. So in a trial all writes that may go either way go
 * the other way for a moment, and only those count that begin when the writes of before have mostly
 * ended. They are compared with those of just before, so most changes of the load change both.
 *
 * The longest of each do not count at first, because one commit of a journal, or one flush, would
 * decide. In the mean of the last trials they do.
 *
 * What trials cost is bounded by the pauses after them, which are long if a trial took long. In
 * doubt, as when few writes come, the cache is the way.
 *
 * What the cache would have kept is a cost of direct writes: one that is read soon after costs a
 * read of the disk, about as long as the write. And where writes meet what is cached, there is a
 * working set, which fits sooner if all writes help to fill the cache.
 */
/* For minmax.h, which does not include it on 6.2 to 6.5. */
#include <linux/build_bug.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "choose.h"

/* What a new observation of read_back or cached, or the mean of a phase, weighs: 1 / this. */
#define READ_BACK_WEIGHT	16
#define CACHED_WEIGHT		32
#define MEAN_WEIGHT		8

/* Move a share of @all, which a new observation either adds to or not. */
static void nd_observe(unsigned int *share, unsigned int all, unsigned int weight, bool adds)
{
	if (adds)
		*share += DIV_ROUND_UP(all - *share, weight);
	else
		*share -= DIV_ROUND_UP(*share, weight);
}

static void nd_observe_cached(struct nd_choice *choice, bool is_cached)
{
	nd_observe(&choice->cached, ND_CACHED_ALL, CACHED_WEIGHT, is_cached);
}

static bool nd_has_working_set(const struct nd_choice *choice)
{
	return choice->cached > ND_CACHED_MOST;
}

static enum nd_way nd_other_way(const struct nd_choice *choice)
{
	return choice->way == ND_BY_CACHE ? ND_BY_DIRECT : ND_BY_CACHE;
}

static void nd_set_phase(struct nd_choice *choice, enum nd_phase phase, u64 now)
{
	choice->phase = phase;
	choice->since = now;
	choice->begun = 0;
	choice->ended = 0;
	choice->sum = 0;
	choice->all = 0;
	choice->passed = 0;
	choice->gave_up = 0;
	memset(choice->longest, 0, sizeof(choice->longest));
	choice->run++;
}

static void nd_set_pause(struct nd_choice *choice, u64 ns, u64 now)
{
	nd_set_phase(choice, ND_PAUSE, now);
	choice->next = now + ns;
}

/*
 * Direct writes must save a third, in two trials one after the other, to be chosen, so that chance
 * does not choose them. They are given up after one in which they save nothing. Rare writes that
 * take very long are seen in the mean of the trials.
 */
static bool nd_other_is_faster(const struct nd_choice *choice)
{
	u64 direct = choice->ns[ND_BY_DIRECT], cache = choice->ns[ND_BY_CACHE];
	u64 mean_direct = choice->mean[ND_BY_DIRECT], mean_cache = choice->mean[ND_BY_CACHE];

	direct += div_u64(direct * choice->read_back, ND_READ_BACK_ALL);
	if (choice->way == ND_BY_CACHE)
		return direct < cache - cache / 3 && mean_direct < mean_cache;
	return direct > cache || mean_direct > mean_cache + mean_cache / 4;
}

static void nd_end_trial(struct nd_choice *choice, u64 now)
{
	u64 took = now - choice->tried, most;
	bool faster = nd_other_is_faster(choice);
	bool again = faster && choice->way == ND_BY_CACHE && !choice->was_faster;

	choice->pause = faster ? ND_PAUSE_FIRST :
			clamp(choice->pause * 2, ND_PAUSE_FIRST, ND_PAUSE_MOST);
	if (faster && !again)
		choice->way = nd_other_way(choice);
	choice->was_faster = again;
	most = choice->way == ND_BY_DIRECT ? ND_DIRECT_NS : ND_LONG_NS;
	/* A trial of the faster way costs nothing. */
	nd_set_pause(choice, again ? took : min(choice->pause * took,
						clamp(ND_PAUSE_LEAST * took, ND_PAUSE_NS, most)),
		     now);
}

static bool nd_pause_is_over(const struct nd_choice *choice, u64 now)
{
	if (now < choice->next)
		return false;
	return choice->way == ND_BY_DIRECT || choice->was_faster || !choice->pause ||
	       choice->passed >= ND_PAUSE_WRITES || now >= choice->next + ND_LONG_NS;
}

/* Leave writes to the cache. */
static void nd_stand_aside(struct nd_choice *choice, u64 ns, u64 now)
{
	/* Writes that hung in a trial may fail long after it. */
	if (choice->way == ND_BY_CACHE && choice->phase == ND_PAUSE && choice->next > now + ns)
		ns = choice->next - now;
	choice->way = ND_BY_CACHE;
	choice->was_faster = false;
	nd_set_pause(choice, ns, now);
}

/*
 * Few writes come, or some that are measured hang. A trial in which they hang is not made again
 * soon; nor is it a reason for the cache, if the cache is what hangs.
 */
static bool nd_is_stale(struct nd_choice *choice, u64 now)
{
	bool hangs = choice->phase == ND_TRIAL && choice->begun == ND_MEASURED;

	if (choice->phase == ND_PAUSE || now < choice->since + ND_STALE_NS)
		return false;
	if (hangs && choice->way == ND_BY_DIRECT)
		nd_set_pause(choice, ND_PAUSE_NS, now);
	else
		nd_stand_aside(choice, hangs ? ND_LONG_NS : ND_PAUSE_NS, now);
	return true;
}

/* Let time end phases. */
static void nd_pass_time(struct nd_choice *choice, u64 now)
{
	u64 settle = min(ND_SETTLE_MEANS * choice->ns[choice->way], ND_SETTLE_NS);

	if (nd_is_stale(choice, now))
		return;
	if (choice->phase == ND_PAUSE && nd_pause_is_over(choice, now))
		nd_set_phase(choice, ND_BEFORE, now);
	else if (choice->phase == ND_SETTLE && now >= choice->since + settle)
		nd_set_phase(choice, ND_TRIAL, now);
}

/**
 * nd_choice_wants - whether to inspect a write, because it may go direct or be measured
 * @choice: of its device and size
 * @now: ns
 *
 * Return: false for most writes where the cache is faster and no trial is on: these shall pay
 *	nothing.
 */
bool nd_choice_wants(struct nd_choice *choice, u64 now)
{
	if (choice->phase == ND_PAUSE && choice->passed < ND_PAUSE_WRITES)
		choice->passed++;
	if (choice->way == ND_BY_DIRECT || choice->phase == ND_SETTLE || choice->phase == ND_TRIAL)
		return true;
	return now >= choice->next_look &&
	       (choice->phase != ND_PAUSE || nd_pause_is_over(choice, now));
}

static enum nd_way nd_choose_alone(struct nd_choice *choice, u64 now, u64 *run)
{
	nd_observe_cached(choice, false);
	nd_pass_time(choice, now);
	*run = 0;
	if (choice->phase == ND_SETTLE)
		return nd_other_way(choice);
	/* Once all that are measured have begun, the others need not go the slower way. */
	if (choice->phase == ND_PAUSE || choice->begun == ND_MEASURED)
		return choice->way;
	choice->begun++;
	*run = choice->run;
	return choice->phase == ND_TRIAL ? nd_other_way(choice) : choice->way;
}

/**
 * nd_choice_skip - have another write measured instead of one that failed
 * @choice: of its device and size
 * @run: of nd_choose()
 */
void nd_choice_skip(struct nd_choice *choice, u64 run)
{
	if (run && run == choice->run)
		choice->begun--;
}

static bool nd_tries_cache(const struct nd_choice *choice, u64 now)
{
	if (choice->way == ND_BY_CACHE || now >= choice->since + ND_SETTLE_NS)
		return false;
	return choice->phase == ND_SETTLE ||
	       (choice->phase == ND_TRIAL && choice->begun < ND_MEASURED);
}

/**
 * nd_choose - choose the way of a write that may go either way
 * @choices: of its device, one for each size
 * @nr: of @choices
 * @size: the index of its size
 * @now: ns
 * @run: set; not 0 if the write is measured: the caller tells nd_chosen(), or what became of it
 *
 * While writes of one size try the cache, those of the others take it, too: else the first would
 * wait for the inode's lock, which direct writes hold, and no size would ever leave direct writes.
 */
enum nd_way nd_choose(struct nd_choice *choices, unsigned int nr, unsigned int size, u64 now,
		      u64 *run)
{
	enum nd_way way = nd_choose_alone(&choices[size], now, run);
	unsigned int i;

	if (way == ND_BY_CACHE)
		return way;
	for (i = 0; i < nr; i++) {
		if (i == size || !nd_tries_cache(&choices[i], now))
			continue;
		nd_choice_skip(&choices[size], *run);
		*run = 0;
		return ND_BY_CACHE;
	}
	return way;
}

/**
 * nd_chosen - learn what a write took
 * @choice: of its device and size
 * @run: of nd_choose()
 * @took: ns
 * @now: ns
 */
void nd_chosen(struct nd_choice *choice, u64 run, u64 took, u64 now)
{
	enum nd_way way;
	unsigned int i;
	u64 mean;

	if (choice->gave_up)
		choice->gave_up--;
	if (!run || run != choice->run || nd_is_stale(choice, now))
		return;
	choice->all += took;
	/* What is no longer among the longest counts. */
	for (i = 0; i < ND_LONGEST; i++)
		if (took > choice->longest[i])
			swap(took, choice->longest[i]);
	choice->sum += took;
	if (++choice->ended < ND_MEASURED)
		return;
	way = choice->phase == ND_BEFORE ? choice->way : nd_other_way(choice);
	choice->ns[way] = div_u64(choice->sum, ND_MEASURED - ND_LONGEST);
	mean = div_u64(choice->all, ND_MEASURED);
	choice->mean[way] = choice->mean[way] ?
		div_u64((MEAN_WEIGHT - 1) * choice->mean[way] + mean, MEAN_WEIGHT) : mean;
	if (choice->phase == ND_BEFORE && nd_has_working_set(choice)) {
		nd_stand_aside(choice, ND_PAUSE_NS, now);
	} else if (choice->phase == ND_BEFORE) {
		nd_set_phase(choice, ND_SETTLE, now);
		choice->tried = now;
	} else {
		nd_end_trial(choice, now);
	}
}

/**
 * nd_choice_gave_up - learn that a direct write found no memory, and went through the cache
 * @choice: of its device and size
 * @run: of nd_choose()
 * @now: ns
 *
 * Where many do, those that did find memory say nothing of what all would take.
 */
void nd_choice_gave_up(struct nd_choice *choice, u64 run, u64 now)
{
	nd_choice_skip(choice, run);
	choice->gave_up += ND_GAVE_UP_SHARE - 1;
	if (choice->gave_up > (ND_GAVE_UP_SHARE - 1) * ND_GAVE_UP_MOST)
		nd_stand_aside(choice, ND_FAILED_NS, now);
}

/**
 * nd_choice_passes - let a write pass that may not go direct after all
 * @choice: of its device and size
 * @is_cached: because its blocks are in the cache
 * @now: ns
 *
 * While all writes are such, as to blocks that are cached, the caller soon inspects few.
 */
void nd_choice_passes(struct nd_choice *choice, bool is_cached, u64 now)
{
	if (is_cached)
		nd_observe_cached(choice, true);
	if (choice->way == ND_BY_DIRECT && nd_has_working_set(choice))
		nd_stand_aside(choice, ND_PAUSE_NS, now);
	/* No trial lasts for ever if no write goes its way. */
	nd_pass_time(choice, now);
	choice->next_look = now + ND_PASS_NS;
}

/**
 * nd_choice_failed - learn that the file system did not take a write as a direct one
 * @choice: of its device and size
 * @now: ns
 */
void nd_choice_failed(struct nd_choice *choice, u64 now)
{
	nd_stand_aside(choice, ND_FAILED_NS, now);
}

/**
 * nd_choice_read_back - learn whether what a direct write wrote was read soon after
 * @choice: of its device and size
 * @was_read: it was
 */
void nd_choice_read_back(struct nd_choice *choice, bool was_read)
{
	nd_observe(&choice->read_back, ND_READ_BACK_ALL, READ_BACK_WEIGHT, was_read);
}
