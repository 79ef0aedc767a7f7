// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply=1: the rule for what is mounted already, by a work item.
 *
 * To look at a superblock takes its lock, which a mount, a remount or an unmount holds for as long
 * as it lasts: for ever, if its server does not answer. Whoever reads a parameter of this module,
 * udev among them, waits for who writes one, so a writer must not wait for a server.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "apply.h"
#include "common/hook.h"
#include "mounts.h"

/* How long the writer waits for it, s: as a rule all is done then, which takes milliseconds. */
#define WAIT_S	5

/* A walk that took longer has waited, or mounts are many, ns; how often it is repeated for that. */
#define LONG_WALK	NSEC_PER_MSEC
#define MAX_WALKS	16

/* Protects the next two. Nests in a superblock's lock. */
static DEFINE_MUTEX(apply_mutex);
/* Whether the rule is to be applied. */
static bool active;
/* How often that was asked for. */
static unsigned int requests;

static DECLARE_COMPLETION(apply_done);

static void nra_apply_to_sb(struct super_block *sb, void *found)
{
	mutex_lock(&apply_mutex);
	if (active && sb->s_iflags & SB_I_PERSB_BDI)
		nra_mounts_apply(sb);
	mutex_unlock(&apply_mutex);
	++*(unsigned int *)found;
}

/*
 * On 6.1 a walk that waits for a superblock's lock ends there if that is unmounted meanwhile, as
 * it is taken off the list (generic_shutdown_super()): what is behind it would not be set. So
 * once more, until a walk finds as many as the one before, and has not waited: each of the two
 * may have ended at an unmount of its own.
 */
static void nra_apply_to_type(struct file_system_type *type)
{
	unsigned int found = UINT_MAX, before, walks = 0;
	u64 took;

	do {
		before = found;
		found = 0;
		took = ktime_get_ns();
		iterate_supers_type(type, nra_apply_to_sb, &found);
		took = ktime_get_ns() - took;
	} while (found != before || (took > LONG_WALK && ++walks < MAX_WALKS));
}

static void nra_apply_to_name(const char *name)
{
	struct file_system_type *type = get_fs_type(name);

	if (!type)
		return;
	if (nra_type_is_kernel_nfs(type))
		nra_apply_to_type(type);
	/* Taken by get_fs_type(); put_filesystem(), not exported, is no more than this. */
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

	/* What has no module and no mount is not asked for: that would load it. */
	if (hook_module_is_loaded("nfs")) {
		nra_apply_to_name("nfs");
		nra_apply_to_name("nfs4");
	}
	/* Who has asked since waits for the next run: this one may have left mounts out. */
	mutex_lock(&apply_mutex);
	if (seen == requests)
		complete_all(&apply_done);
	mutex_unlock(&apply_mutex);
}
static DECLARE_WORK(apply_work, nra_apply_work_fn);

/**
 * nra_apply_start - apply the rule to the mounts that are there
 *
 * If not all are reached within a few seconds, the log says so; they are once the mount, remount
 * or unmount that is in the way has ended.
 *
 * Context: may sleep; nra_mounts_create() was called.
 */
void nra_apply_start(void)
{
	mutex_lock(&apply_mutex);
	active = true;
	requests++;
	reinit_completion(&apply_done);
	mutex_unlock(&apply_mutex);
	/* If it still runs, since it was enabled before, it is run once more after that. */
	queue_work(system_long_wq, &apply_work);
	if (!wait_for_completion_timeout(&apply_done, WAIT_S * HZ))
		pr_warn("apply: a mount, remount or unmount is under way, of a server that does not answer perhaps; mounts that are behind it are set when it ends\n");
}

/**
 * nra_apply_stop - apply it to no more
 *
 * Context: may sleep. When it returns nra_mounts_apply() does not run, nor will it.
 */
void nra_apply_stop(void)
{
	mutex_lock(&apply_mutex);
	active = false;
	mutex_unlock(&apply_mutex);
}

/**
 * nra_apply_wait - wait for what nra_apply_start() began; to end the module's exit
 *
 * Context: may sleep, without locks; after nra_apply_stop(). Waits for mounts, remounts
 * and unmounts that are under way.
 */
void nra_apply_wait(void)
{
	cancel_work_sync(&apply_work);
}
