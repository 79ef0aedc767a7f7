// SPDX-License-Identifier: GPL-2.0-only
/* ra-trace: readahead accounting and tracing. Load, unload, enable and disable. */
#include <linux/module.h>

#include "account.h"
#include "calls.h"
#include "common/module.h"
#include "hooks.h"
#include "pages.h"
#include "show.h"
#include "switches.h"
#include "top.h"
#include "unread.h"

MODULE_PARM_DESC(enable, "account readahead: 0 or 1 (default 0)");
MODULE_DESCRIPTION("readahead accounting by pattern, and tracing");

int seqkeep_init(void)
{
	int err = rat_account_create();

	if (err)
		return err;
	err = rat_top_create();
	if (err) {
		rat_account_destroy();
		return err;
	}
	rat_show_create();
	return 0;
}

void seqkeep_exit(void)
{
	rat_show_destroy();
	rat_top_destroy();
	rat_account_destroy();
}

int seqkeep_enable(void)
{
	int err;

	err = rat_calls_create();
	if (err)
		return err;
	err = rat_unread_create();
	if (err)
		goto destroy_calls;
	err = rat_pages_register();
	if (err)
		goto destroy_unread;
	rat_unread_set_tracking(rat_pages_see_reads());
	err = rat_switches_start();
	if (err)
		goto unregister_pages;
	err = rat_hooks_register();
	if (err)
		goto stop_switches;
	return 0;

stop_switches:
	rat_switches_stop();
unregister_pages:
	rat_pages_unregister();
destroy_unread:
	rat_unread_destroy();
destroy_calls:
	rat_calls_destroy();
	return err;
}

void seqkeep_disable(void)
{
	rat_hooks_stop();
	/*
	 * The hooks first: then all pages and bios are counted of each call whose return is seen.
	 * rat_account_destroy_calls() takes those of all other calls out of the totals.
	 */
	rat_hooks_unregister();
	rat_pages_unregister();
	rat_switches_stop();
	rat_unread_destroy();
	rat_account_destroy_calls();
}
