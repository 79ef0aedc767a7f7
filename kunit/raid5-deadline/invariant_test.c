// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "raid5-deadline/invariant.h"

/* RAID 6 of 5 disks with chunks of 512 KiB, when it releases a stripe. */
static const struct r5d_layout_sample sound = {
	.stripe_of_array = true,
	.array_of_disk = true,
	.private_is_array = true,
	.locked = true,
	.unlisted = true,
	.level = 6,
	.max_degraded = 2,
	.raid_disks = 5,
	.md_disks = 5,
	.stripe_disks = 5,
	.chunk = 1024,
	.md_chunk = 1024,
	.active = 3,
	.max = 256,
	.min = 256,
	.sector = 4096,
};

/* One wrong member. */
struct wrong {
	const char *name;
	size_t offset;
	size_t size;
	u64 value;
};

#define WRONG(member, v) { #member " " #v, offsetof(struct r5d_layout_sample, member),	\
			   sizeof_field(struct r5d_layout_sample, member), (u64)(v) }

static const struct wrong wrongs[] = {
	WRONG(stripe_of_array, false),
	WRONG(array_of_disk, false),
	WRONG(private_is_array, false),
	WRONG(locked, false),
	WRONG(unlisted, false),
	WRONG(count, 1),
	WRONG(count, -1),
	WRONG(level, 0),
	WRONG(level, 1),
	WRONG(level, 5),
	WRONG(level, 10),
	WRONG(max_degraded, 1),
	WRONG(max_degraded, 0),
	WRONG(raid_disks, 4),
	WRONG(raid_disks, 0),
	WRONG(md_disks, 6),
	WRONG(stripe_disks, 3),
	WRONG(chunk, 0),
	WRONG(chunk, 1028),
	WRONG(md_chunk, 128),
	WRONG(active, 0),
	WRONG(active, 258),
	WRONG(active, -1),
	WRONG(max, 0),
	WRONG(max, 0x7fffffff),
	WRONG(min, 0),
	WRONG(sector, 4097),
};

static void wrong_desc(const struct wrong *w, char *desc)
{
	strscpy(desc, w->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wrong, wrongs, wrong_desc);

static void found(struct kunit *test)
{
	const struct wrong *w = test->param_value;
	struct r5d_layout_sample facts = sound;

	memcpy((char *)&facts + w->offset, &w->value, w->size);
	KUNIT_EXPECT_NOT_NULL(test, r5d_broken_invariant(&facts));
}

/*
 * Several wrong members that agree with each other: alone, each would break another rule first.
 */
struct together {
	const char *name;
	void (*change)(struct r5d_layout_sample *f);
	bool is_sound;
};

#define TOGETHER(what, statement)				\
	static void what(struct r5d_layout_sample *f)			\
	{							\
		statement;					\
	}

TOGETHER(level_3, f->level = 3; f->max_degraded = 1)
TOGETHER(level_7, f->level = 7; f->max_degraded = 1)
TOGETHER(level_10, f->level = 10; f->max_degraded = 1)
TOGETHER(level_below_0, f->level = -1000000; f->max_degraded = 1)
TOGETHER(parity_alone, f->raid_disks = 2; f->md_disks = 2; f->stripe_disks = 2)
TOGETHER(one_disk_of_data, f->raid_disks = 3; f->md_disks = 3; f->stripe_disks = 3)
TOGETHER(no_disks, f->raid_disks = 0; f->md_disks = 0; f->stripe_disks = 0)
TOGETHER(most_disks, f->raid_disks = 4096; f->md_disks = 4096; f->stripe_disks = 4096)
TOGETHER(more_disks, f->raid_disks = 4097; f->md_disks = 4097; f->stripe_disks = 4097)
TOGETHER(no_chunk, f->chunk = 0; f->md_chunk = 0)
TOGETHER(chunk_of_half_a_page, f->chunk = 4; f->md_chunk = 4)
TOGETHER(chunk_of_a_page, f->chunk = 8; f->md_chunk = 8)
TOGETHER(chunk_between_pages, f->chunk = 1028; f->md_chunk = 1028)
TOGETHER(chunk_below_0, f->chunk = -1024; f->md_chunk = -1024)
TOGETHER(no_stripes, f->max = 0; f->active = 1)
TOGETHER(stripes_below_0, f->max = -1; f->active = 1)
TOGETHER(most_stripes, f->max = 1048576; f->active = 1048577)
TOGETHER(more_stripes, f->max = 1048577; f->active = 1048577)
TOGETHER(first_stripe, f->active = 1)

static const struct together togethers[] = {
	{ "level 3", level_3 },
	{ "level 7", level_7 },
	{ "level 10", level_10 },
	{ "level below 0", level_below_0 },
	{ "disks for parity alone", parity_alone },
	{ "one disk of data", one_disk_of_data, true },
	{ "no disks", no_disks },
	{ "most disks", most_disks, true },
	{ "too many disks", more_disks },
	{ "no chunk", no_chunk },
	{ "a chunk of half a page", chunk_of_half_a_page },
	{ "a chunk of a page", chunk_of_a_page, true },
	{ "a chunk that ends within a page", chunk_between_pages },
	{ "a chunk below 0", chunk_below_0 },
	{ "no stripes", no_stripes },
	{ "stripes below 0", stripes_below_0 },
	{ "most stripes", most_stripes, true },
	{ "too many stripes", more_stripes },
	/* Most arrays are attached so: as a contradiction it would make them unsupported. */
	{ "the only stripe in use", first_stripe, true },
};

static void together_desc(const struct together *t, char *desc)
{
	strscpy(desc, t->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(together, togethers, together_desc);

static void agreeing(struct kunit *test)
{
	const struct together *t = test->param_value;
	struct r5d_layout_sample facts = sound;

	t->change(&facts);
	KUNIT_EXPECT_EQ(test, !r5d_broken_invariant(&facts), t->is_sound);
}

static void sound_is_sound(struct kunit *test)
{
	struct r5d_layout_sample facts = sound;

	KUNIT_EXPECT_NULL(test, r5d_broken_invariant(&facts));
	facts.level = 4;
	facts.max_degraded = 1;
	KUNIT_EXPECT_NULL(test, r5d_broken_invariant(&facts));
	facts.level = 5;
	KUNIT_EXPECT_NULL(test, r5d_broken_invariant(&facts));
	/* raid456 grows the cache beyond the user's size, one by one. */
	facts.max = 300;
	facts.active = 300;
	KUNIT_EXPECT_NULL(test, r5d_broken_invariant(&facts));
	/* A new stripe is in use before it is counted. */
	facts.active = 301;
	KUNIT_EXPECT_NULL(test, r5d_broken_invariant(&facts));
}

static struct kunit_case invariant_cases[] = {
	KUNIT_CASE(sound_is_sound),
	KUNIT_CASE_PARAM(found, wrong_gen_params),
	KUNIT_CASE_PARAM(agreeing, together_gen_params),
	{}
};

static struct kunit_suite invariant_suite = {
	.name = "raid5_invariant",
	.test_cases = invariant_cases,
};

kunit_test_suite(invariant_suite);

MODULE_LICENSE("GPL");
