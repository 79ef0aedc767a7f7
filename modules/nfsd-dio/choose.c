// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stable write waits for its data either way, so its latency tells which way is faster.
 *
 * The ways are compared as they are when all writes go the same way: one write through the cache
 * waits for all direct ones in flight, because it locks the inode exclusively, and one direct write
 * among cached ones waits for none. So in a trial all writes that may go either way go the other
 * way for a moment, and only those count that begin when the writes of before have mostly ended.
 * They are compared with those of just before, so a change of the load changes both.
 *
 * What trials cost is bounded by the pauses after them, which are long if a trial took long.
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
	choice->run++;
}

static void nd_set_pause(struct nd_choice *choice, u64 ns, u64 now)
{
	nd_set_phase(choice, ND_PAUSE, now);
	choice->next = now + ns;
}

/*
 * Direct writes must save a third, in two trials one after the other, to be chosen, so that chance
 * does not choose them. They are given up as soon as they save nothing.
 */
static bool nd_other_is_faster(const struct nd_choice *choice)
{
	u64 direct = choice->ns[ND_BY_DIRECT], cache = choice->ns[ND_BY_CACHE];

	direct += div_u64(direct * choice->read_back, ND_READ_BACK_ALL);
	return choice->way == ND_BY_CACHE ? direct < cache - cache / 3 : direct > cache;
}

static void nd_end_trial(struct nd_choice *choice, u64 now)
{
	u64 took = now - choice->since;
	bool faster = nd_other_is_faster(choice);

	choice->pause = faster ? ND_PAUSE_FIRST :
			clamp(choice->pause * 2, ND_PAUSE_FIRST, ND_PAUSE_MOST);
	if (faster && (choice->was_faster || choice->way == ND_BY_DIRECT)) {
		choice->way = nd_other_way(choice);
		faster = false;
	}
	choice->was_faster = faster;
	nd_set_pause(choice, min(choice->pause * took, max(ND_PAUSE_NS, ND_PAUSE_LEAST * took)),
		     now);
}

/* Let time end phases. */
static void nd_pass_time(struct nd_choice *choice, u64 now)
{
	switch (choice->phase) {
	case ND_PAUSE:
		if (now >= choice->next)
			nd_set_phase(choice, ND_BEFORE, now);
		break;
	case ND_SETTLE:
		if (now >= choice->since + choice->ns[choice->way])
			nd_set_phase(choice, ND_TRIAL, now);
		break;
	default:
		/* Few writes come, or some that are measured hang. */
		if (now >= choice->since + ND_STALE_NS)
			nd_set_pause(choice, ND_PAUSE_NS, now);
	}
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
	if (choice->way == ND_BY_DIRECT)
		return true;
	return now >= choice->next_look && (choice->phase != ND_PAUSE || now >= choice->next);
}

/**
 * nd_choose - choose the way of a write that may go either way
 * @choice: of its device and size
 * @now: ns
 * @run: set; not 0 if the write is measured: the caller tells nd_chosen() or nd_choice_gave_up()
 */
enum nd_way nd_choose(struct nd_choice *choice, u64 now, u64 *run)
{
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
 * nd_chosen - learn what a write took
 * @choice: of its device and size
 * @run: of nd_choose()
 * @took: ns
 * @now: ns
 */
void nd_chosen(struct nd_choice *choice, u64 run, u64 took, u64 now)
{
	u64 mean;

	if (!run || run != choice->run)
		return;
	choice->sum += took;
	if (++choice->ended < ND_MEASURED)
		return;
	mean = div_u64(choice->sum, ND_MEASURED);
	if (choice->phase == ND_BEFORE) {
		choice->ns[choice->way] = mean;
		nd_set_phase(choice, ND_SETTLE, now);
	} else {
		choice->ns[nd_other_way(choice)] = mean;
		nd_end_trial(choice, now);
	}
}

/**
 * nd_choice_gave_up - have another write measured instead of one that did not go its way
 * @choice: of its device and size
 * @run: of nd_choose()
 */
void nd_choice_gave_up(struct nd_choice *choice, u64 run)
{
	if (run && run == choice->run)
		choice->begun--;
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
	choice->next_look = now + ND_PASS_NS;
}

/**
 * nd_choice_failed - learn that the file system did not take a write as a direct one
 * @choice: of its device and size
 * @now: ns
 */
void nd_choice_failed(struct nd_choice *choice, u64 now)
{
	choice->way = ND_BY_CACHE;
	choice->was_faster = false;
	nd_set_pause(choice, ND_FAILED_NS, now);
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
		choice->read_back -= DIV_ROUND_UP(choice->read_back, WEIGHT);
}
