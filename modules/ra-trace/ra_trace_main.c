// SPDX-License-Identifier: GPL-2.0-only
/* ra-trace: readahead accounting and tracing. Load, unload, enable and disable. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "account.h"
#include "calls.h"
#include "common/param.h"
#include "doors.h"
#include "pages.h"
#include "show.h"
#include "top.h"
#include "tracing.h"
#include "version.h"
#include "waste.h"

static int ra_enable(void)
{
	int err;

	err = ra_calls_create();
	if (err)
		goto no_memory;
	err = ra_waste_create();
	if (err)
		goto destroy_calls;
	err = ra_pages_attach();
	if (err)
		goto destroy_waste;
	ra_waste_switch(ra_pages_see_reads());
	err = ra_tracing_start();
	if (err)
		goto detach_pages;
	err = ra_doors_open();
	if (err)
		goto stop_tracing;
	return 0;

stop_tracing:
	ra_tracing_stop();
detach_pages:
	ra_pages_detach();
destroy_waste:
	ra_waste_destroy();
destroy_calls:
	ra_calls_destroy();
no_memory:
	pr_err("not enabled (%d): %s\n", err,
	       err == -ENOMEM ? "no memory; free some and try again" : "see the line above");
	return err;
}

static void ra_disable(void)
{
	ra_doors_shut();
	/*
	 * Hooks first: all pages and all bios of a call whose return is seen are counted. What was
	 * counted of the others is taken out again with the table.
	 */
	ra_doors_close();
	ra_pages_detach();
	ra_tracing_stop();
	ra_waste_destroy();
	ra_calls_destroy();
}

static struct param_switch enable = {
	.on = ra_enable,
	.off = ra_disable,
};
module_param_cb(enable, &param_switch_ops, &enable, 0644);
MODULE_PARM_DESC(enable, "account readahead: 0 or 1 (default 0)");

static int __init ra_trace_init(void)
{
	int err = ra_account_create();

	if (err)
		goto stop_params;
	err = ra_top_create();
	if (err)
		goto destroy_account;
	ra_show_create();
	err = param_start(&enable);
	if (err)
		goto destroy_show;
	return 0;

destroy_show:
	ra_show_destroy();
	ra_top_destroy();
destroy_account:
	ra_account_destroy();
stop_params:
	param_stop(&enable);
	return err;
}

static void __exit ra_trace_exit(void)
{
	param_stop(&enable);
	ra_show_destroy();
	ra_top_destroy();
	ra_account_destroy();
}

module_init(ra_trace_init);
module_exit(ra_trace_exit);
MODULE_DESCRIPTION("readahead accounting by pattern, and tracing");
MODULE_AUTHOR("seqkeep maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(SEQKEEP_VERSION);
