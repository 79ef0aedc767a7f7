// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions of raid456 are redirected to ours, which call them:
 *
 *   do_release_stripe(conf, sh, inactive)	the last reference to a stripe is dropped
 *   raid5_free(mddev, conf)			an array's data is about to be freed
 *
 * Our module uses a symbol of raid456, so raid456 cannot be unloaded before it.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "array.h"
#include "attach.h"
#include "common/hook.h"
#include "hooks.h"
#include "order.h"
#include "release.h"
#include "stock.h"
#include "table.h"

/* Registered in this order and unregistered in the reverse: no array is attached without FREE. */
enum { FREE, RELEASE, NR_HOOKS };
static struct hook hooks[NR_HOOKS];

static void r5d_do_release_stripe(struct r5conf *conf, struct stripe_head *sh,
				  struct list_head *inactive)
{
	struct r5d_array *array;
	bool held = false, read_for = false;

	hook_call_begin(&hooks[RELEASE]);
	rcu_read_lock();
	array = r5d_array_find(conf);
	if (array) {
		r5d_order_forget(array, sh);
		held = r5d_release(array, sh, &read_for);
	} else {
		r5d_array_attach(conf, sh);
	}
	if (!held) {
		r5d_stock_release(conf, sh, inactive);
		if (array)
			r5d_order(array, sh, read_for);
	}
	rcu_read_unlock();
	hook_call_end(&hooks[RELEASE]);
}

static void r5d_raid5_free(struct mddev *mddev, void *priv)
{
	hook_call_begin(&hooks[FREE]);
	r5d_array_detach(priv);
	r5d_stock_free(mddev, priv);
	hook_call_end(&hooks[FREE]);
}

static struct hook hooks[NR_HOOKS] = {
	[RELEASE] = {
		.spec = {
			.symbol = "do_release_stripe",
			.module = "raid456",
			.kind = HOOK_REDIRECT,
		},
		.replacement = r5d_do_release_stripe,
		.found = r5d_stock_set_release,
	},
	[FREE] = {
		.spec = { .symbol = "raid5_free", .module = "raid456", .kind = HOOK_REDIRECT },
		.replacement = r5d_raid5_free,
		.found = r5d_stock_set_free,
	},
};

static struct hook_set set = { .hooks = hooks, .nr = NR_HOOKS };

/**
 * r5d_hooks_register - redirect raid456's functions
 *
 * Context: may sleep; r5d_table_open() has succeeded.
 * Return: 0, or a negative errno with nothing hooked and a line in the log.
 */
int r5d_hooks_register(void)
{
	return hooks_register(&set);
}

/* Waits until no replacement runs. */
void r5d_hooks_unregister(void)
{
	hooks_unregister(&set);
}
