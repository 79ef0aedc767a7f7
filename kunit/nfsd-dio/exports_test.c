// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "common/list_parse.h"
#include "nfsd-dio/exports.h"

static char list[LIST_TEXT_MAX + 1];

static void parsed(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, nd_exports_parse(" /srv/a/ ,/srv/b c\n", list));
	KUNIT_EXPECT_STREQ(test, list, "/srv/a,/srv/b c");
	KUNIT_EXPECT_NULL(test, nd_exports_parse("/", list));
	KUNIT_EXPECT_STREQ(test, list, "/");
	KUNIT_EXPECT_NULL(test, nd_exports_parse("//,/a", list));
	KUNIT_EXPECT_STREQ(test, list, "/,/a");
	KUNIT_EXPECT_NULL(test, nd_exports_parse("  ", list));
	KUNIT_EXPECT_STREQ(test, list, "");
}

static void refused(struct kunit *test)
{
	static const char *const lists[] = { "srv", "/a,b", ",", "/a,", "/a,,/b", ",/a" };
	char *text = kunit_kzalloc(test, LIST_TEXT_MAX + 2, GFP_KERNEL);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, nd_exports_parse(lists[i], list), "%s", lists[i]);
	/* The longest list, and one that is longer. */
	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'x', LIST_TEXT_MAX);
	text[0] = '/';
	KUNIT_EXPECT_NULL(test, nd_exports_parse(text, list));
	KUNIT_EXPECT_STREQ(test, list, text);
	text[LIST_TEXT_MAX] = 'x';
	KUNIT_EXPECT_NOT_NULL(test, nd_exports_parse(text, list));
}

static void have(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, nd_exports_have("/srv/a", "/srv/a"));
	KUNIT_EXPECT_TRUE(test, nd_exports_have("/srv/a", "/srv/a/b"));
	KUNIT_EXPECT_FALSE(test, nd_exports_have("/srv/a", "/srv/ab"));
	KUNIT_EXPECT_FALSE(test, nd_exports_have("/srv/a", "/srv"));
	KUNIT_EXPECT_FALSE(test, nd_exports_have("/srv/a", "/x/srv/a"));
	KUNIT_EXPECT_TRUE(test, nd_exports_have("/srv/a,/srv/b", "/srv/b/c"));
	KUNIT_EXPECT_FALSE(test, nd_exports_have("/srv/a,/srv/b", "/srv/c"));
	KUNIT_EXPECT_TRUE(test, nd_exports_have("/", "/any"));
	KUNIT_EXPECT_TRUE(test, nd_exports_have("/x,/", "/any"));
}

static struct kunit_case exports_cases[] = {
	KUNIT_CASE(parsed),
	KUNIT_CASE(refused),
	KUNIT_CASE(have),
	{}
};

static struct kunit_suite exports_suite = {
	.name = "nfsd_dio_exports",
	.test_cases = exports_cases,
};

kunit_test_suite(exports_suite);

MODULE_LICENSE("GPL");
