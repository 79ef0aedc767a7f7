// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply=1: a work item applies the rule to existing mounts.
 *
 * The walk over the superblocks takes the lock of each. A mount, remount or unmount holds this lock
 * until it ends: forever, if its server does not answer. Readers of this module's parameters, udev
 * among them, wait for a writer of one. So the writer of `enable` must not wait for a server.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "apply.h"
#include "common/hook.h"
#include "counters.h"
#include "mounts.h"
#include "params.h"

/* How long the writer of `enable` waits for the work item, s. It usually takes milliseconds. */
#define WAIT_S	5

/*
 * A walk that slept between two superblocks, or came from one to the next in more than LONG_STEP,
 * ns, has waited for a lock, and is repeated. Not by the time alone, because with thousands of
 * mounts on a busy machine some step of each walk is a long one. There are MAX_WALKS at most, also
 * where automounts come and go meanwhile.
 */
#define LONG_STEP	(20 * NSEC_PER_MSEC)
#define MAX_WALKS	16
/* How long to let other unmounts end after such a walk, ms. */
#define PAUSE_MS	100

/* Protects changes of the next two. Taken inside a superblock's lock. */
static DEFINE_MUTEX(apply_mutex);
/* Whether to apply the rule to further superblocks. */
static bool active;
/* Calls of nra_apply_start(). */
static unsigned int requests;

static DECLARE_COMPLETION(apply_done);

/**
 * struct nra_walk - a walk over the superblocks of a type
 * @found: superblocks
 * @since: when it went on from the last one, ns
 * @sleeps: how often the task had slept by then
 * @waited: it has waited for a superblock
 */
struct nra_walk {
	unsigned int found;
	u64 since;
	unsigned long sleeps;
	bool waited;
};

static void nra_walk_go_on(struct nra_walk *walk)
{
	walk->since = ktime_get_ns();
	walk->sleeps = current->nvcsw;
}

static void nra_walk_arrive(struct nra_walk *walk)
{
	if (current->nvcsw != walk->sleeps || ktime_get_ns() - walk->since > LONG_STEP)
		walk->waited = true;
}

static void nra_apply_to_sb(struct super_block *sb, void *data)
{
	struct nra_walk *walk = data;
	struct nra_rule rule;

	nra_walk_arrive(walk);
	mutex_lock(&apply_mutex);
	/* Read with the lock held: an old rule must not be applied after enable is set again. */
	rule = nra_param_rule("");
	if (active && sb->s_iflags & SB_I_PERSB_BDI)
		nra_mounts_apply(sb, &rule);
	mutex_unlock(&apply_mutex);
	walk->found++;
	nra_walk_go_on(walk);
}

/*
 * On 6.1 a walk that waits for the lock of a superblock ends there if that superblock is unmounted
 * meanwhile, because generic_shutdown_super() takes it off the list. The walk misses all those
 * behind it. So repeat until a walk finds as many as the one before and has not waited: each of the
 * two may have ended at an unmount of its own. Two unmounts on one server end at the same time. The
 * walk after the first would not wait long for the second, hence the pause.
 */
static void nra_apply_to_type(struct file_system_type *type)
{
	unsigned int before = UINT_MAX, walks;

	for (walks = 0; walks < MAX_WALKS; walks++) {
		struct nra_walk walk = {};

		nra_walk_go_on(&walk);
		iterate_supers_type(type, nra_apply_to_sb, &walk);
		nra_walk_arrive(&walk);
		if (!READ_ONCE(active))
			return;
		if (walk.found == before && !walk.waited)
			return;
		before = walk.found;
		if (walk.waited)
			msleep(PAUSE_MS);
	}
	nra_count(NRA_C_APPLY_UNSURE);
	pr_warn("cannot tell whether the rule was applied to all mounts of type %s: some came or went during each of %u walks; to try again, set enable to 0 and to 1\n",
		type->name, MAX_WALKS);
}

static void nra_apply_to_name(const char *name)
{
	struct file_system_type *type = get_fs_type(name);

	if (!type)
		return;
	if (nra_type_is_kernel_nfs(type))
		nra_apply_to_type(type);
	/* get_fs_type() took it. put_filesystem() does no more than this, but is not exported. */
	module_put(type->owner);
}

static unsigned int nra_apply_requests(void)
{
	unsigned int seen;

	mutex_lock(&apply_mutex);
	seen = requests;
	mutex_unlock(&apply_mutex);
	return seen;
}

static void nra_apply_work_fn(struct work_struct *work)
{
	unsigned int seen = nra_apply_requests();

	/* Without nfs.ko there are no mounts, and get_fs_type() would load it. */
	if (hook_module_is_loaded("nfs")) {
		nra_apply_to_name("nfs");
		nra_apply_to_name("nfs4");
	}
	/* A newer request waits for the next run, because this one may have left mounts out. */
	mutex_lock(&apply_mutex);
	if (seen == requests)
		complete_all(&apply_done);
	mutex_unlock(&apply_mutex);
}
static DECLARE_WORK(apply_work, nra_apply_work_fn);

/**
 * nra_apply_start - apply the rule to existing mounts
 *
 * Waits for a few seconds at most. If the walk takes longer, the log says so; it goes on when the
 * mount, remount or unmount that holds it up ends.
 *
 * Context: may sleep; after nra_records_fill().
 */
void nra_apply_start(void)
{
	mutex_lock(&apply_mutex);
	WRITE_ONCE(active, true);
	requests++;
	reinit_completion(&apply_done);
	mutex_unlock(&apply_mutex);
	/* If it still runs for an earlier request, it runs once more after that. */
	queue_work(system_long_wq, &apply_work);
	if (!wait_for_completion_timeout(&apply_done, WAIT_S * HZ))
		pr_warn("cannot apply the rule to all mounts yet: a mount, remount or unmount is under way, perhaps of a server that does not answer; the other mounts are set when it ends\n");
}

/**
 * nra_apply_stop - apply the rule to no further mounts
 *
 * Context: may sleep. After it returned, the work item calls nra_mounts_apply() no more.
 */
void nra_apply_stop(void)
{
	mutex_lock(&apply_mutex);
	WRITE_ONCE(active, false);
	mutex_unlock(&apply_mutex);
}

/**
 * nra_apply_wait - wait for the work item to end, at the end of the module's exit
 *
 * Context: may sleep, without locks; after nra_apply_stop(). Waits for mounts, remounts and
 * unmounts that are under way.
 */
void nra_apply_wait(void)
{
	cancel_work_sync(&apply_work);
}
