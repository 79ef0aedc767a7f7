// SPDX-License-Identifier: GPL-2.0-only
/* Errors that the rules in this folder must find; never compiled. See tests/lint/stages/cocci-own. */

static int helper(int size)
{
	msleep(3);			/* sleep-in-callback */
	return kmalloc(size, GFP_KERNEL);	/* sleep-in-callback */
}

static bool sleeping_entry(struct pt_regs *regs, void *data)
{
	if (regs) {
		mutex_lock(&mutex);	/* sleep-in-callback */
		helper(1);
	}
	return true;
}

static bool good_entry(struct pt_regs *regs, void *data)
{
	return kmalloc(1, GFP_ATOMIC);
}
NOKPROBE_SYMBOL(good_entry);

static void leaking_replacement(int x)
{
	hook_call_begin(&hooks[0]);
	if (x)
		return;			/* redirect-counted */
	hook_call_end(&hooks[0]);
}

static void uncounted_replacement(int x)
{
	helper(x);
}

static int good_replacement(int x)
{
	hook_call_begin(&hooks[0]);
	x = helper(x);
	hook_call_end(&hooks[0]);
	return x;
}

static struct hook hooks[] = {
	{
		.spec = { .symbol = "a", .kind = HOOK_ENTRY },
		.entry = sleeping_entry,	/* callback-nokprobe */
	}, {
		.spec = { .symbol = "b", .kind = HOOK_ENTRY },
		.entry = good_entry,
		.data_size = sizeof(struct data),
	}, {
		.spec = { .symbol = "c", .kind = HOOK_REDIRECT },
		.replacement = leaking_replacement,
	}, {
		.spec = { .symbol = "d", .kind = HOOK_REDIRECT },
		.replacement = uncounted_replacement,	/* redirect-counted */
	}, {
		.spec = { .symbol = "e", .kind = HOOK_REDIRECT },
		.replacement = good_replacement,
	},
};
