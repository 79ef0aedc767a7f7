// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "raid5-deadline/invariant.h"

/* RAID 6 of 5 disks with chunks of 512 KiB, as it is when it releases a stripe. */
static const struct r5d_facts sound = {
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

/* What is wrong, as a change of one fact. */
struct wrong {
	const char *name;
	size_t offset;
	size_t size;
	u64 value;
};

#define WRONG(member, v) { #member " " #v, offsetof(struct r5d_facts, member),	\
			   sizeof_field(struct r5d_facts, member), (u64)(v) }

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
	struct r5d_facts facts = sound;

	memcpy((char *)&facts + w->offset, &w->value, w->size);
	KUNIT_EXPECT_NOT_NULL(test, r5d_broken_invariant(&facts));
}

static void sound_is_sound(struct kunit *test)
{
	struct r5d_facts facts = sound;

	KUNIT_EXPECT_NULL(test, r5d_broken_invariant(&facts));
	facts.level = 4;
	facts.max_degraded = 1;
	KUNIT_EXPECT_NULL(test, r5d_broken_invariant(&facts));
	facts.level = 5;
	KUNIT_EXPECT_NULL(test, r5d_broken_invariant(&facts));
	/* The stock code grows the cache beyond what the user set, one by one. */
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
	{}
};

static struct kunit_suite invariant_suite = {
	.name = "raid5_invariant",
	.test_cases = invariant_cases,
};

kunit_test_suite(invariant_suite);

MODULE_LICENSE("GPL");
