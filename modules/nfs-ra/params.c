// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "common/param.h"
#include "params.h"
#include "servers.h"

static struct param_range apply = { .max = 1, .unit = "" };
module_param_cb(apply, &param_range_ops, &apply, 0644);
MODULE_PARM_DESC(apply, "apply the rule to existing mounts when enable is set to 1: 0 or 1 (default 0)");

/* By default a window is larger than the kernel's only in a file that was read in order. */
static struct param_range multiple = {
	.value = NRA_AUTO,
	.min = 1,
	.max = NRA_MULTIPLE_MAX,
	.unit = "",
	.word = "auto",
	.word_value = NRA_AUTO,
};

module_param_cb(multiple, &param_range_ops, &multiple, 0644);
MODULE_PARM_DESC(multiple, "readahead in multiples of rsize: 1..64, or auto: windows grow while a file is read in sequence (default auto)");

static struct param_range min_kb = { .max = NRA_KB_MAX, .unit = " KiB" };
module_param_cb(min_kb, &param_range_ops, &min_kb, 0644);
MODULE_PARM_DESC(min_kb, "least readahead, KiB: 0..262144; 0: the kernel's default (default 0)");

static struct param_range max_kb = { .max = NRA_KB_MAX, .unit = " KiB" };
module_param_cb(max_kb, &param_range_ops, &max_kb, 0644);
MODULE_PARM_DESC(max_kb, "greatest readahead, KiB: 0..262144; 0: no limit (default 0)");

static struct param_range auto_max_kb = { .max = NRA_KB_MAX, .unit = " KiB" };
module_param_cb(auto_max_kb, &param_range_ops, &auto_max_kb, 0644);
MODULE_PARM_DESC(auto_max_kb, "limit of windows that grow (multiple=auto), KiB: 0..262144; 0: 8192, or 8 times rsize if that is more (default 0)");

static struct param_range override = { .max = 1, .unit = "" };
module_param_cb(override, &param_range_ops, &override, 0644);
MODULE_PARM_DESC(override, "also set mounts whose readahead somebody has chosen, by hand or in nfs.conf: 0 or 1 (default 0)");

/* Protects servers. Raw, because a probe takes it when a mount is made. Innermost. */
static DEFINE_RAW_SPINLOCK(servers_lock);
static struct nra_servers servers;

static int nra_servers_set(const char *val, const struct kernel_param *kp)
{
	/* The kernel's parameter lock serialises this. */
	static struct nra_servers new;
	const char *wrong = nra_servers_parse(val, &new);

	if (wrong) {
		pr_warn("servers: %s (-EINVAL)\n", wrong);
		return -EINVAL;
	}
	raw_spin_lock(&servers_lock);
	servers = new;
	raw_spin_unlock(&servers_lock);
	return 0;
}

static int nra_servers_get(char *buf, const struct kernel_param *kp)
{
	return nra_servers_print(&servers, buf, PAGE_SIZE);
}

static const struct kernel_param_ops servers_ops = {
	.set = nra_servers_set,
	.get = nra_servers_get,
};
module_param_cb(servers, &servers_ops, NULL, 0644);
MODULE_PARM_DESC(servers, "a multiple for each server, as nas1:8,nas2:auto; for later mounts; others have multiple (default empty)");

/**
 * nra_param_rule - the rule for mounts of a server
 * @server: its name, "" if unknown
 *
 * Context: any but interrupts; does not wait.
 */
struct nra_rule nra_param_rule(const char *server)
{
	struct nra_rule rule = {
		.multiple = READ_ONCE(multiple.value),
		.min_kb = READ_ONCE(min_kb.value),
		.max_kb = READ_ONCE(max_kb.value),
		.auto_max_kb = READ_ONCE(auto_max_kb.value),
		.override = READ_ONCE(override.value),
	};

	raw_spin_lock(&servers_lock);
	rule.multiple = nra_servers_multiple(&servers, server, rule.multiple);
	raw_spin_unlock(&servers_lock);
	return rule;
}

bool nra_param_apply(void)
{
	return READ_ONCE(apply.value);
}
