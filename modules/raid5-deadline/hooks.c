// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions of raid456 are replaced by ones that call them:
 *
 *   do_release_stripe(conf, sh, inactive)	the last reference to a stripe went away
 *   raid5_free(mddev, conf)			an array's data is about to be freed
 *
 * They are called back by static calls, which need no landing pad on IBT hardware.
 * Our module uses a symbol of raid456, which cannot be unloaded before it.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

#include "array.h"
#include "common/hook.h"
#include "hooks.h"
#include "raid456.h"

static void no_release(struct r5conf *conf, struct stripe_head *sh, struct list_head *inactive)
{
}

static void no_free(struct mddev *mddev, void *priv)
{
}

DEFINE_STATIC_CALL(stock_release, no_release);
DEFINE_STATIC_CALL(stock_free, no_free);

/* Put in place in this order, taken out in the reverse: no array is met without FREE. */
enum { FREE, RELEASE, NR_HOOKS };
static struct hook hooks[NR_HOOKS];

static void release(struct r5conf *conf, struct stripe_head *sh, struct list_head *inactive)
{
	struct r5d_array *array;
	bool kept = false;

	hook_call_begin(&hooks[RELEASE]);
	rcu_read_lock();
	array = r5d_array_find(conf);
	if (array)
		kept = r5d_release(array, sh);
	else
		r5d_array_attach(conf, sh);
	rcu_read_unlock();
	if (!kept)
		static_call(stock_release)(conf, sh, inactive);
	hook_call_end(&hooks[RELEASE]);
}

static void free_array(struct mddev *mddev, void *priv)
{
	hook_call_begin(&hooks[FREE]);
	r5d_array_detach(priv);
	static_call(stock_free)(mddev, priv);
	hook_call_end(&hooks[FREE]);
}

/**
 * r5d_stock_release - what the stock code does with a stripe that has work to do
 * @conf: the array
 * @sh: the stripe, without references and on no list
 *
 * Context: under the array's device_lock.
 */
void r5d_stock_release(struct r5conf *conf, struct stripe_head *sh)
{
	LIST_HEAD(inactive);

	/* It is: nobody clears the bit who has no reference. Only without it is the list used. */
	set_bit(RAID456_STRIPE_HANDLE, r456_sh_state(sh));
	static_call(stock_release)(conf, sh, &inactive);
}

static void set_stock_release(unsigned long address)
{
	static_call_update(stock_release, (typeof(no_release) *)address);
}

static void set_stock_free(unsigned long address)
{
	static_call_update(stock_free, (typeof(no_free) *)address);
}

static struct hook hooks[NR_HOOKS] = {
	[RELEASE] = {
		.spec = {
			.symbol = "do_release_stripe",
			.module = "raid456",
			.kind = HOOK_REDIRECT,
		},
		.replacement = release,
		.found = set_stock_release,
	},
	[FREE] = {
		.spec = { .symbol = "raid5_free", .module = "raid456", .kind = HOOK_REDIRECT },
		.replacement = free_array,
		.found = set_stock_free,
	},
};

static struct hook_set set = { .hooks = hooks, .nr = NR_HOOKS };

/**
 * r5d_hooks_register - put the hooks in place
 *
 * Context: may sleep; arrays may be met.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int r5d_hooks_register(void)
{
	return hooks_register(&set);
}

/**
 * r5d_hooks_unregister - take the hooks out
 *
 * Context: may sleep. No replacement runs when it returns.
 */
void r5d_hooks_unregister(void)
{
	hooks_unregister(&set);
}
