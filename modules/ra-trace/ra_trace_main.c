// SPDX-License-Identifier: GPL-2.0-only
/* ra-trace: readahead accounting and tracing. Load, unload, enable and disable. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "account.h"
#include "calls.h"
#include "common/param.h"
#include "hooks.h"
#include "pages.h"
#include "show.h"
#include "top.h"
#include "tracing.h"
#include "version.h"
#include "unread.h"

static int rat_enable(void)
{
	int err;

	err = rat_calls_create();
	if (err)
		goto no_memory;
	err = rat_unread_create();
	if (err)
		goto destroy_calls;
	err = rat_pages_register();
	if (err)
		goto destroy_waste;
	rat_unread_set_tracking(rat_pages_reads_seen());
	err = rat_tracing_start();
	if (err)
		goto detach_pages;
	err = rat_hooks_register();
	if (err)
		goto stop_tracing;
	return 0;

stop_tracing:
	rat_tracing_stop();
detach_pages:
	rat_pages_unregister();
destroy_waste:
	rat_unread_destroy();
destroy_calls:
	rat_calls_destroy();
no_memory:
	pr_err("not enabled (%d): %s\n", err,
	       err == -ENOMEM ? "no memory; free some and try again" : "see the line above");
	return err;
}

static void rat_disable(void)
{
	rat_hooks_stop();
	/*
	 * The hooks first: then all pages and bios are counted of each call whose return is seen.
	 * rat_calls_destroy() takes the pages and bios of all other calls out of the totals.
	 */
	rat_hooks_unregister();
	rat_pages_unregister();
	rat_tracing_stop();
	rat_unread_destroy();
	rat_calls_destroy();
}

static struct param_switch enable = {
	.on = rat_enable,
	.off = rat_disable,
};
module_param_cb(enable, &param_switch_ops, &enable, 0644);
MODULE_PARM_DESC(enable, "account readahead: 0 or 1 (default 0)");

static int __init rat_init(void)
{
	int err = rat_account_create();

	if (err)
		goto stop_params;
	err = rat_top_create();
	if (err)
		goto destroy_account;
	rat_show_create();
	err = param_start(&enable);
	if (err)
		goto destroy_show;
	return 0;

destroy_show:
	rat_show_destroy();
	rat_top_destroy();
destroy_account:
	rat_account_destroy();
stop_params:
	param_stop(&enable);
	return err;
}

static void __exit rat_exit(void)
{
	param_stop(&enable);
	rat_show_destroy();
	rat_top_destroy();
	rat_account_destroy();
}

module_init(rat_init);
module_exit(rat_exit);
MODULE_DESCRIPTION("readahead accounting by pattern, and tracing");
MODULE_AUTHOR("seqkeep maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(SEQKEEP_VERSION);
