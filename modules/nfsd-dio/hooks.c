// SPDX-License-Identifier: GPL-2.0-only
/*
 * Redirects nfsd's calls of two exported functions:
 *
 *   vfs_iter_write(file, iter, pos, flags)	called by nfsd up to v6.17
 *   vfs_iocb_iter_write(file, iocb, iter)	called by nfsd since
 *
 * Both are hooked on every kernel, because its version does not tell which one nfsd calls. Calls of
 * others are not redirected.
 *
 * We serve both by vfs_iocb_iter_write(), because their contracts have always been the same: up to
 * v6.7 both left sb_start_write() to the caller, and since v6.8 both do it themselves.
 */
#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/uio.h>

#include "common/hook.h"
#include "auto.h"
#include "hooks.h"
#include "inflight.h"
#include "write.h"

enum { ITER, IOCB, NR_HOOKS };
static struct hook hooks[NR_HOOKS];

/* As kiocb_set_rw_flags() does; a write with a flag that we do not know is left. */
static void nd_set_flags(struct kiocb *iocb, rwf_t flags)
{
	BUILD_BUG_ON(IOCB_APPEND != (__force int)RWF_APPEND);
	iocb->ki_flags |= (__force int)flags;
	if (flags & RWF_SYNC)
		iocb->ki_flags |= IOCB_DSYNC;
}

/* If we served the write, advance @pos and @iter as the redirected function does. */
static bool nd_serve(struct kiocb *copy, struct iov_iter *iter, loff_t *pos, struct nd_auto *call,
		     ssize_t *ret)
{
	if (!nd_write(copy, iter, call, ret))
		return false;
	iov_iter_advance(iter, copy->ki_pos - *pos);
	*pos = copy->ki_pos;
	return true;
}

static ssize_t nd_iter_write(struct file *file, struct iov_iter *iter, loff_t *pos, rwf_t flags)
{
	struct nd_auto call;
	struct kiocb iocb;
	ssize_t ret;

	hook_call_begin(&hooks[ITER]);
	nd_write_begin(file);
	init_sync_kiocb(&iocb, file);
	iocb.ki_pos = *pos;
	nd_set_flags(&iocb, flags);
	if (!nd_serve(&iocb, iter, pos, &call, &ret))
		ret = vfs_iter_write(file, iter, pos, flags);
	nd_auto_end(file, &call, ret);
	nd_write_end(file);
	hook_call_end(&hooks[ITER]);
	return ret;
}

static ssize_t nd_iocb_write(struct file *file, struct kiocb *iocb, struct iov_iter *iter)
{
	struct nd_auto call;
	struct kiocb copy;
	ssize_t ret;

	hook_call_begin(&hooks[IOCB]);
	nd_write_begin(file);
	copy = *iocb;
	if (!nd_serve(&copy, iter, &iocb->ki_pos, &call, &ret))
		ret = vfs_iocb_iter_write(file, iocb, iter);
	nd_auto_end(file, &call, ret);
	nd_write_end(file);
	hook_call_end(&hooks[IOCB]);
	return ret;
}

static struct hook hooks[NR_HOOKS] = {
	[ITER] = {
		.spec = {
			.symbol = "vfs_iter_write",
			.kind = HOOK_REDIRECT,
			.caller = "nfsd",
		},
		.replacement = nd_iter_write,
	},
	[IOCB] = {
		.spec = {
			.symbol = "vfs_iocb_iter_write",
			.kind = HOOK_REDIRECT,
			.caller = "nfsd",
		},
		.replacement = nd_iocb_write,
	},
};

static struct hook_set set = { .hooks = hooks, .nr = NR_HOOKS };

/**
 * nd_hooks_register - redirect nfsd's writes
 *
 * Return: 0, or a negative errno after a line in the log, with nothing hooked.
 */
int nd_hooks_register(void)
{
	return hooks_register(&set);
}

/* No write is in flight in the module when this returns. */
void nd_hooks_unregister(void)
{
	hooks_unregister(&set);
}
