// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/errno.h>

#include "common/hook_table.h"

#define MAX_ERRNO_TESTED	4095	/* MAX_ERRNO */

static bool says_something(const char *text)
{
	return text && strlen(text) > 5 && !strchr(text, '\n');
}

static void expect_refusal(struct kunit *test, int err, enum hook_kind kind)
{
	struct hook_refusal refusal = hook_refusal(err, kind);

	KUNIT_EXPECT_TRUE_MSG(test, says_something(refusal.reason), "errno %d", err);
	KUNIT_EXPECT_TRUE_MSG(test, says_something(refusal.remedy), "errno %d", err);
}

/* Whatever the kernel returns, there is one line with a reason and one with a remedy. */
static void refusal_of_any_errno(struct kunit *test)
{
	int err;

	for (err = -MAX_ERRNO_TESTED; err <= 0; err++) {
		expect_refusal(test, err, HOOK_ENTRY);
		expect_refusal(test, err, HOOK_REDIRECT);
	}
}

/* Errors that have different causes are told apart. */
static void refusal_names_the_cause(struct kunit *test)
{
	static const int errs[] = { -ENOENT, -EINVAL, -EPERM, -ENODEV, -ENOMEM, -EIO };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(errs); i++)
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE_MSG(test,
					    strcmp(hook_refusal(errs[i], HOOK_ENTRY).reason,
						   hook_refusal(errs[j], HOOK_ENTRY).reason),
					    0, "%d and %d", errs[i], errs[j]);
}

/*
 * Only a redirect can be in the way of another, and is refused while ftrace is off; an entry hook
 * blames no livepatch.
 */
static void refusal_when_busy(struct kunit *test)
{
	KUNIT_EXPECT_NOT_NULL(test, strstr(hook_refusal(-EBUSY, HOOK_REDIRECT).reason,
					   "livepatch"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(hook_refusal(-EBUSY, HOOK_REDIRECT).reason,
					   "kernel.ftrace_enabled"));
	KUNIT_EXPECT_NULL(test, strstr(hook_refusal(-EBUSY, HOOK_ENTRY).reason, "livepatch"));
}

struct spec_case {
	const char *name;
	struct hook_spec spec;
	bool has_entry;
	bool has_replacement;
	const char *error;	/* a word of it; NULL: the entry is right */
};

static const struct spec_case specs[] = {
	{ "entry hook", { "vfs_read", NULL, HOOK_ENTRY }, true, false, NULL },
	{ "entry hook in a module", { "r5l_init", "raid456", HOOK_ENTRY }, true, false, NULL },
	{ "optional redirect", { "vfs_read", NULL, HOOK_REDIRECT, true }, false, true, NULL },
	{ "no symbol", { NULL, NULL, HOOK_ENTRY }, true, false, "symbol" },
	{ "empty symbol", { "", NULL, HOOK_ENTRY }, true, false, "symbol" },
	{ "empty module", { "vfs_read", "", HOOK_ENTRY }, true, false, "module" },
	{ "entry hook without callback", { "vfs_read", NULL, HOOK_ENTRY }, false, false, "entry" },
	{ "entry hook, replacement alone", { "vfs_read", NULL, HOOK_ENTRY }, false, true, "entry" },
	{ "entry hook with both", { "vfs_read", NULL, HOOK_ENTRY }, true, true, "entry" },
	{ "redirect without anything", { "vfs_read", NULL, HOOK_REDIRECT }, false, false,
	  "redirect" },
	{ "redirect, callback alone", { "vfs_read", NULL, HOOK_REDIRECT }, true, false,
	  "redirect" },
	{ "redirect with both", { "vfs_read", NULL, HOOK_REDIRECT }, true, true, "redirect" },
	{ "redirect of a module's calls", { "vfs_write", NULL, HOOK_REDIRECT, false, "nfsd" },
	  false, true, NULL },
	{ "empty caller", { "vfs_write", NULL, HOOK_REDIRECT, false, "" }, false, true, "caller" },
	{ "entry hook with a caller", { "vfs_write", NULL, HOOK_ENTRY, false, "nfsd" }, true, false,
	  "caller" },
	{ "unknown kind", { "vfs_read", NULL, (enum hook_kind)7 }, true, false, "kind" },
	{ "unknown kind with nothing", { "vfs_read", NULL, (enum hook_kind)7 }, false, false,
	  "kind" },
};

static void spec_desc(const struct spec_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(specs, specs, spec_desc);

static void spec_error(struct kunit *test)
{
	const struct spec_case *c = test->param_value;
	const char *error = hook_spec_error(&c->spec, c->has_entry, c->has_replacement);

	if (!c->error) {
		KUNIT_EXPECT_NULL(test, error);
		return;
	}
	KUNIT_ASSERT_NOT_NULL(test, error);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(error, c->error), "it says: %s", error);
}

struct same_case {
	const char *name;
	struct hook_spec a;
	struct hook_spec b;
	bool same;
};

static const struct same_case pairs[] = {
	{ "equal", { "f" }, { "f" }, true },
	{ "equal in a module", { "f", "m" }, { "f", "m" }, true },
	{ "another kind", { "f", NULL, HOOK_ENTRY }, { "f", NULL, HOOK_REDIRECT }, true },
	{ "optional or not", { "f", NULL, HOOK_ENTRY, true }, { "f", NULL, HOOK_ENTRY }, true },
	{ "another symbol", { "f" }, { "g" }, false },
	{ "another symbol in a module", { "f", "m" }, { "g", "m" }, false },
	{ "another module", { "f", "m" }, { "f", "n" }, false },
	{ "module and kernel", { "f", "m" }, { "f" }, false },
	{ "a longer name", { "f" }, { "ff" }, false },
};

static void pair_desc(const struct same_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(pairs, pairs, pair_desc);

static void spec_same(struct kunit *test)
{
	const struct same_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, hook_spec_same(&c->a, &c->b), c->same);
	KUNIT_EXPECT_EQ(test, hook_spec_same(&c->b, &c->a), c->same);
}

/* Names are compared as text, not by where they are. */
static void spec_same_by_text(struct kunit *test)
{
	char symbol[] = "f", module[] = "m";
	struct hook_spec a = { symbol, module }, b = { "f", "m" };

	KUNIT_EXPECT_TRUE(test, hook_spec_same(&a, &b));
}

static struct kunit_case hook_table_cases[] = {
	KUNIT_CASE(refusal_of_any_errno),
	KUNIT_CASE(refusal_names_the_cause),
	KUNIT_CASE(refusal_when_busy),
	KUNIT_CASE_PARAM(spec_error, specs_gen_params),
	KUNIT_CASE_PARAM(spec_same, pairs_gen_params),
	KUNIT_CASE(spec_same_by_text),
	{}
};

static struct kunit_suite hook_table_suite = {
	.name = "seqkeep_hook_table",
	.test_cases = hook_table_cases,
};

kunit_test_suite(hook_table_suite);

MODULE_LICENSE("GPL");
