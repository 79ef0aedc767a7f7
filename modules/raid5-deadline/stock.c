// SPDX-License-Identifier: GPL-2.0-only
/*
 * The redirected functions of raid456 are called by static calls, which need no landing pad on
 * IBT hardware. hooks.c sets their addresses before it redirects the first call.
 */
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/static_call.h>
#include <linux/string.h>
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#endif

#include "raid456.h"
#include "stock.h"

static void no_release(struct r5conf *conf, struct stripe_head *sh, struct list_head *inactive)
{
}

static void no_free(struct mddev *mddev, void *priv)
{
}

DEFINE_STATIC_CALL(stock_release, no_release);
DEFINE_STATIC_CALL(stock_free, no_free);

/*
 * Where a function begins behind the nop that ftrace replaces by its call. A call to there is not
 * redirected, and spares the second trip through ftrace. Where anything else stands there (a
 * tracer's call, ENDBR), hook_redirect.c lets our call through. So it does with retbleed=stuff, for
 * which a static call needs the padding before a function.
 */
static unsigned long behind_ftrace(unsigned long address)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

#ifdef X86_FEATURE_CALL_DEPTH
	if (boot_cpu_has(X86_FEATURE_CALL_DEPTH))
		return address;
#endif
	if (!IS_ENABLED(CONFIG_X86_64) || memcmp((void *)address, nop, sizeof(nop)))
		return address;
	return address + sizeof(nop);
}

/* @address: of do_release_stripe(). May sleep. */
void r5d_stock_set_release(unsigned long address)
{
	static_call_update(stock_release, (typeof(no_release) *)behind_ftrace(address));
}

/* @address: of raid5_free(). May sleep. */
void r5d_stock_set_free(unsigned long address)
{
	static_call_update(stock_free, (typeof(no_free) *)address);
}

/**
 * r5d_stock_release - call raid456's do_release_stripe()
 * @conf: the array
 * @sh: the stripe, without references and on no list
 * @inactive: takes the stripe if it has no work to do
 *
 * Context: the array's device_lock is held.
 */
void r5d_stock_release(struct r5conf *conf, struct stripe_head *sh, struct list_head *inactive)
{
	static_call(stock_release)(conf, sh, inactive);
}

/* Likewise for a stripe that has work to do. */
void r5d_stock_release_to_handle(struct r5conf *conf, struct stripe_head *sh)
{
	LIST_HEAD(inactive);

	/*
	 * STRIPE_HANDLE is still set: only a reference holder clears it. do_release_stripe() uses
	 * @inactive only without it.
	 */
	set_bit(RAID456_STRIPE_HANDLE, r456_sh_state(sh));
	static_call(stock_release)(conf, sh, &inactive);
}

void r5d_stock_free(struct mddev *mddev, void *priv)
{
	static_call(stock_free)(mddev, priv);
}
