// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/errno.h>

#include "common/list_parse.h"

/* Longer than any list that is accepted. */
#define FAR_TOO_LONG	10000

static const char *const colours[] = { "red", "green", "blue", "ultramarine" };

#define NR_COLOURS	ARRAY_SIZE(colours)

#define RED		BIT(0)
#define GREEN		BIT(1)
#define BLUE		BIT(2)
#define ULTRAMARINE	BIT(3)

/* A list, and what parsing it returns: -EINVAL, or the mask. */
struct list_case {
	const char *name;
	const char *list;
	long result;
};

static const struct list_case lists[] = {
	{ "one", "green", GREEN },
	{ "two", "red,blue", RED | BLUE },
	{ "any order", "blue,red", RED | BLUE },
	{ "all", "red,green,blue,ultramarine", RED | GREEN | BLUE | ULTRAMARINE },
	{ "newline of echo", "red,blue\n", RED | BLUE },
	{ "blanks around items", " red ,\tblue  ", RED | BLUE },
	{ "newline between items", "red\n,\nblue", RED | BLUE },
	{ "empty", "", -EINVAL },
	{ "only a newline", "\n", -EINVAL },
	{ "only blanks", "  \t ", -EINVAL },
	{ "one comma", ",", -EINVAL },
	{ "only commas", ",,,,", -EINVAL },
	{ "trailing comma", "red,", -EINVAL },
	{ "trailing comma and newline", "red,\n", -EINVAL },
	{ "leading comma", ",red", -EINVAL },
	{ "two commas", "red,,blue", -EINVAL },
	{ "blank item", "red, ,blue", -EINVAL },
	{ "blank within an item", "r ed", -EINVAL },
	{ "blank instead of a comma", "red blue", -EINVAL },
	{ "unknown", "mauve", -EINVAL },
	{ "unknown last", "red,mauve", -EINVAL },
	{ "start of a name", "re", -EINVAL },
	{ "more than a name", "redd", -EINVAL },
	{ "capitals", "Red", -EINVAL },
	{ "repeated", "red,red", -EINVAL },
	{ "repeated later", "red,blue,red", -EINVAL },
	{ "item of 31 characters", "abcdefghijklmnopqrstuvwxyz01234", -EINVAL },
	{ "item of 32 characters", "abcdefghijklmnopqrstuvwxyz012345", -EINVAL },
	{ "item of 33 characters", "abcdefghijklmnopqrstuvwxyz0123456", -EINVAL },
};

static void list_desc(const struct list_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(lists, lists, list_desc);

static void to_mask(struct kunit *test)
{
	const struct list_case *c = test->param_value;
	const unsigned long old = 0xdead;
	unsigned long mask = old;
	int ret = list_to_mask(c->list, colours, NR_COLOURS, &mask);

	if (c->result < 0) {
		KUNIT_EXPECT_EQ(test, ret, (int)c->result);
		KUNIT_EXPECT_EQ_MSG(test, mask, old, "the old value is not kept");
	} else {
		KUNIT_EXPECT_EQ(test, ret, 0);
		KUNIT_EXPECT_EQ(test, mask, (unsigned long)c->result);
	}
}

/* "red", then @fill up to @len characters. */
static char *padded(struct kunit *test, size_t len, char fill)
{
	char *list = kunit_kmalloc(test, len + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, list);
	memset(list, fill, len);
	memcpy(list, "red", 3);
	list[len] = '\0';
	return list;
}

static int parse_padded(struct kunit *test, size_t len, char fill, unsigned long *mask)
{
	return list_to_mask(padded(test, len, fill), colours, NR_COLOURS, mask);
}

static void to_mask_long(struct kunit *test)
{
	unsigned long mask = 0;

	KUNIT_EXPECT_EQ(test, parse_padded(test, LIST_TEXT_MAX, ' ', &mask), 0);
	KUNIT_EXPECT_EQ(test, mask, RED);
	KUNIT_EXPECT_EQ(test, parse_padded(test, LIST_TEXT_MAX + 1, ' ', &mask), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_padded(test, FAR_TOO_LONG, ' ', &mask), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_padded(test, FAR_TOO_LONG, ',', &mask), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_padded(test, FAR_TOO_LONG, 'd', &mask), -EINVAL);
}

static void to_mask_without_names(struct kunit *test)
{
	unsigned long mask;

	KUNIT_EXPECT_EQ(test, list_to_mask("red", colours, 0, &mask), -EINVAL);
}

/* Every mask is printed as a list that parses as the same mask. */
static void round_trip(struct kunit *test)
{
	unsigned long mask, again;
	char list[64];

	for (mask = 1; mask < BIT(NR_COLOURS); mask++) {
		int len = mask_to_list(mask, colours, NR_COLOURS, list, sizeof(list));

		KUNIT_EXPECT_EQ(test, (size_t)len, strlen(list));
		KUNIT_EXPECT_EQ(test, list_to_mask(list, colours, NR_COLOURS, &again), 0);
		KUNIT_EXPECT_EQ(test, again, mask);
	}
}

static void from_mask(struct kunit *test)
{
	char list[64];

	KUNIT_EXPECT_EQ(test, mask_to_list(0, colours, 4, list, sizeof(list)), 0);
	KUNIT_EXPECT_STREQ(test, list, "");
	KUNIT_EXPECT_EQ(test, mask_to_list(BLUE | RED, colours, 4, list, sizeof(list)), 8);
	KUNIT_EXPECT_STREQ(test, list, "red,blue");
	/* Bits without a name are not printed. */
	KUNIT_EXPECT_EQ(test, mask_to_list(BIT(20) | RED, colours, 4, list, sizeof(list)), 3);
	KUNIT_EXPECT_STREQ(test, list, "red");
}

/* A buffer that is too small gets what fits, with a final NUL, and nothing behind it. */
static void from_mask_small(struct kunit *test)
{
	size_t size;
	char list[32];

	for (size = 1; size < sizeof(list); size++) {
		int len;

		memset(list, '#', sizeof(list));
		len = mask_to_list(RED | GREEN | BLUE, colours, 4, list, size);
		KUNIT_EXPECT_LT(test, (size_t)len, size);
		KUNIT_EXPECT_EQ(test, list[len], '\0');
		KUNIT_EXPECT_EQ(test, (size_t)len, min(size - 1, strlen("red,green,blue")));
		KUNIT_EXPECT_EQ(test, list[size], '#');
	}
}

static void next(struct kunit *test)
{
	const char *cursor = " sda , 8:0,md0\n";
	char item[8];

	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 1);
	KUNIT_EXPECT_STREQ(test, item, "sda");
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 1);
	KUNIT_EXPECT_STREQ(test, item, "8:0");
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 1);
	KUNIT_EXPECT_STREQ(test, item, "md0");
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 0);
	/* It stays at the end. */
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 0);
}

/* An empty item is an error, not the end. The empty list has one. */
static void next_empty(struct kunit *test)
{
	const char *cursor = ", ,md0,";
	char item[8];

	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), -EINVAL);
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), -EINVAL);
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 1);
	KUNIT_EXPECT_STREQ(test, item, "md0");
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), -EINVAL);
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 0);
	cursor = "";
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), -EINVAL);
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 0);
}

/* An item that just fits with its NUL, and one that does not. Nothing behind the buffer changes. */
static void next_at_the_limit(struct kunit *test)
{
	char item[5] = "????";
	const char *cursor = "abc,abcd";

	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, 4), 1);
	KUNIT_EXPECT_STREQ(test, item, "abc");
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, item[4], '\0');
	cursor = "abcd";
	KUNIT_EXPECT_EQ(test, list_next_item(&cursor, item, sizeof(item)), 1);
	KUNIT_EXPECT_STREQ(test, item, "abcd");
}

/* Any number of commas: one item per call, and then the end. */
static void next_terminates(struct kunit *test)
{
	const char *cursor = padded(test, FAR_TOO_LONG, ',');
	unsigned int calls = 0;
	char item[8];

	while (cursor && calls <= FAR_TOO_LONG) {
		list_next_item(&cursor, item, sizeof(item));
		calls++;
	}
	KUNIT_EXPECT_EQ(test, calls, FAR_TOO_LONG - 3U + 1);
}

static struct kunit_case list_parse_cases[] = {
	KUNIT_CASE_PARAM(to_mask, lists_gen_params),
	KUNIT_CASE(to_mask_long),
	KUNIT_CASE(to_mask_without_names),
	KUNIT_CASE(round_trip),
	KUNIT_CASE(from_mask),
	KUNIT_CASE(from_mask_small),
	KUNIT_CASE(next),
	KUNIT_CASE(next_empty),
	KUNIT_CASE(next_at_the_limit),
	KUNIT_CASE(next_terminates),
	{}
};

static struct kunit_suite list_parse_suite = {
	.name = "common_list_parse",
	.test_cases = list_parse_cases,
};

kunit_test_suite(list_parse_suite);

MODULE_LICENSE("GPL");
