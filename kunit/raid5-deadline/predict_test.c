// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/prandom.h>

#include "raid5-deadline/learn.h"

#define STRIPE		8
#define USEC		1000ULL
#define MSEC		(1000 * USEC)
#define REST		2048
#define DATA_DISKS	2

static u64 now;

/* One write of stripes, and what becomes of it. Returns how many of its stripes are held. */
static u32 write_stripes(struct r5d_predictor *p, u64 start, u32 span, enum r5d_outcome held,
			 enum r5d_outcome passed)
{
	struct r5d_write w = {
		.start = start,
		.sectors = span * STRIPE,
		.rest = REST,
		.data_disks = DATA_DISKS,
	};
	struct r5d_ticket ticket;
	u32 nr_held = 0, i;

	for (i = 0; i < span; i++) {
		bool is_held = r5d_predict(p, &w, now, &ticket) != R5D_UNLIKELY;

		r5d_learn(p, &ticket, is_held ? held : passed, 0);
		nr_held += is_held;
	}
	return nr_held;
}

static u32 write_filled(struct r5d_predictor *p, u64 start, u32 span)
{
	return write_stripes(p, start, span, R5D_OUTCOME_HELD_FILLED, R5D_OUTCOME_FILLED);
}

static u32 write_in_vain(struct r5d_predictor *p, u64 start, u32 span)
{
	return write_stripes(p, start, span, R5D_OUTCOME_EXPIRED, R5D_OUTCOME_DONE);
}

static struct r5d_predictor *new_predictor(struct kunit *test)
{
	struct r5d_predictor *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	now = 1000 * MSEC;
	r5d_predict_init(p);
	return p;
}

/* A stream is held after its first writes, and once that was seen the next one at once. */
static void streams_are_held(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	write_filled(p, 0, 64);
	for (i = 1; i < 100; i++)
		KUNIT_EXPECT_EQ(test, write_filled(p, i * 64 * STRIPE, 64), 64U);
	KUNIT_EXPECT_EQ(test, write_filled(p, 1ULL << 30, 64), 64U);
	/* Writes of another length are another kind. */
	KUNIT_EXPECT_EQ(test, write_filled(p, 1ULL << 31, 16), 0U);
}

/* All stripes of a write fare alike, whatever is learned meanwhile. */
static void writes_are_not_torn(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	for (i = 0; i < 200; i++) {
		u32 held = i % 7 < 4 ? write_filled(p, i * 64 * STRIPE, 64) :
				       write_in_vain(p, i * 64 * STRIPE, 64);

		KUNIT_EXPECT_TRUE(test, held == 0 || held == 64);
	}
}

/* Each write counts once, however long it is. */
static void writes_count_once(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_write w = {
		.sectors = 64 * STRIPE,
		.rest = REST,
		.data_disks = DATA_DISKS,
	};
	int tickets = 0, i, n;

	for (n = 0; n < 100; n++, w.start += w.sectors) {
		for (i = 0; i < 64; i++) {
			struct r5d_ticket ticket;

			r5d_predict(p, &w, now, &ticket);
			tickets += r5d_is_ticket(&ticket);
		}
	}
	KUNIT_EXPECT_EQ(test, tickets, 100);
}

/* The same block written again and again is a write each time. */
static void rewrites_count(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i, held = 0;

	p->kinds[4] = 65535;
	for (i = 0; i < 100; i++)
		held += write_in_vain(p, 800, 16);
	KUNIT_EXPECT_LE(test, held, 4 * 16);
}

/* A writer that waits for each write: nothing is held if its pace shows that. */
static void lone_writer_pays_nothing(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i, held = 0;

	r5d_learn_service(&p->times, 10 * MSEC);
	for (i = 0; i < 10000; i++) {
		held += write_in_vain(p, i * 64 * STRIPE, 64);
		now += 10 * MSEC;
	}
	KUNIT_EXPECT_EQ(test, held, 0);
}

/* Random writes of all lengths, here and there. */
static void random_writes_pass(struct kunit *test)
{
	u32 span, seed;

	for (span = 1; span <= 256; span *= 2) {
		for (seed = 1; seed <= 20; seed++) {
			struct r5d_predictor *p = new_predictor(test);
			struct rnd_state rnd;
			u32 held = 0;
			int i;

			prandom_seed_state(&rnd, seed);
			for (i = 0; i < 1000; i++)
				held += write_in_vain(p, (u64)prandom_u32_state(&rnd) * STRIPE,
						      span);
			KUNIT_EXPECT_EQ_MSG(test, held, 0U, "span %u, seed %u", span, seed);
		}
	}
}

/* Beside a stream that fills, of the same length or another: one in a hundred waits. */
static void random_writes_pass_beside_a_stream(struct kunit *test)
{
	u32 span, seed;

	for (span = 1; span <= 256; span *= 4) {
		for (seed = 1; seed <= 20; seed++) {
			struct r5d_predictor *p = new_predictor(test);
			u32 held = 0, filled = 0;
			struct rnd_state rnd;
			int i;

			prandom_seed_state(&rnd, seed);
			for (i = 0; i < 2000; i++) {
				filled += write_filled(p, i * 64 * STRIPE, 64);
				held += write_in_vain(p, (1ULL << 31) +
						      (u64)prandom_u32_state(&rnd) * STRIPE,
						      span);
			}
			KUNIT_EXPECT_GE(test, filled, 1990U * 64);
			KUNIT_EXPECT_LE_MSG(test, held, 20 * span, "span %u, seed %u", span, seed);
		}
	}
}

/* The clock of the places wraps, and a stream beside random writes is recognised as ever. */
static void the_clock_wraps(struct kunit *test)
{
	u32 tick;

	for (tick = U32_MAX / 2 - 200; tick < U32_MAX / 2 + 201; tick += 100) {
		struct r5d_predictor *p = new_predictor(test);
		u32 held = 0, filled = 0;
		struct rnd_state rnd;
		int file, i;

		prandom_seed_state(&rnd, 1);
		p->tick = tick;
		/* Files of 64 writes: each is a stream of its own, after 40 random writes. */
		for (file = 0; file < 40; file++) {
			u64 place = (1ULL << 40) + ((u64)file << 24);

			for (i = 0; i < 64; i++) {
				filled += write_filled(p, place + i * 16 * STRIPE, 16);
				held += write_in_vain(p, (1ULL << 50) +
						      (u64)prandom_u32_state(&rnd) * STRIPE, 16);
			}
		}
		KUNIT_EXPECT_GE_MSG(test, filled, 40U * 48 * 16, "tick %u", tick);
		KUNIT_EXPECT_LE_MSG(test, held, 40U * 16, "tick %u", tick);
	}
}

/* A log of blocks written one by one between random blocks: its records are not held. */
static void a_log_passes(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	u64 log = 1ULL << 40;
	struct rnd_state rnd;
	u32 held = 0;
	int i, j;

	prandom_seed_state(&rnd, 3);
	for (i = 0; i < 2000; i++) {
		write_filled(p, i * 64 * STRIPE, 64);
		for (j = 0; j < 16; j++)
			write_in_vain(p, (1ULL << 31) + (u64)prandom_u32_state(&rnd) * STRIPE, 1);
		for (j = 0; j < 12; j++, log += STRIPE)
			held += write_in_vain(p, log, 1);
	}
	KUNIT_EXPECT_LE(test, held, 20U);
}

/*
 * Writes of 64 stripes at a distance of @between ns, @depth of which are on the disks at a time: so
 * all that is known is how far the stream gets. Held ones end as @held. Returns how many are held.
 */
static int write_slowly(struct r5d_predictor *p, u64 start, int nr, u64 between, int depth,
			enum r5d_outcome held)
{
	struct r5d_ticket tickets[16];
	int i, nr_held = 0;

	for (i = 0; i < 16; i++)
		tickets[i] = r5d_no_ticket();
	for (i = 0; i < nr; i++) {
		struct r5d_write w = { start + i * 64 * STRIPE, 64 * STRIPE, REST, DATA_DISKS };
		struct r5d_ticket *ticket = &tickets[i % 16];

		/* The oldest is done before this one begins. */
		r5d_learn(p, &tickets[(i - depth) & 15], R5D_OUTCOME_DONE, 0);
		tickets[(i - depth) & 15] = r5d_no_ticket();
		if (r5d_predict(p, &w, now, ticket) != R5D_UNLIKELY) {
			r5d_learn(p, ticket, held, 0);
			*ticket = r5d_no_ticket();
			nr_held++;
		}
		now += between;
	}
	return nr_held;
}

/* A stream that was tried in vain is tried ever more rarely, also beside one that fills. */
static void trials_become_rare(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	const u64 far = 1ULL << 40;
	int first = 0, later = 0, i;

	r5d_learn_service(&p->times, 10 * MSEC);
	for (i = 0; i < 1000; i++) {
		write_filled(p, i * 64 * STRIPE, 64);
		*(i < 500 ? &first : &later) += write_slowly(p, far + i * 16 * 64 * STRIPE, 16,
							     100 * USEC, 8, R5D_OUTCOME_EXPIRED);
	}
	KUNIT_EXPECT_GE(test, first, 1);
	KUNIT_EXPECT_LE(test, first, 16);
	KUNIT_EXPECT_LE(test, later, 4);
}

/* A stream slower than the disks: in time, so it is held, unless its writer waits. */
static int held_of_slow_stream(struct kunit *test, u64 between, int depth)
{
	struct r5d_predictor *p = new_predictor(test);

	r5d_learn_service(&p->times, 10 * MSEC);
	return write_slowly(p, 0, 1000, between, depth, R5D_OUTCOME_HELD_FILLED);
}

static void slow_streams(struct kunit *test)
{
	/* Four writes are a chunk. The row's other chunk follows after 8 ms; the disks take 10. */
	KUNIT_EXPECT_GE(test, held_of_slow_stream(test, 2 * MSEC, 5), 950);
	/* Writers that wait: with as many writes at a time as are a chunk, and fewer. */
	KUNIT_EXPECT_EQ(test, held_of_slow_stream(test, 2 * MSEC, 4), 0);
	KUNIT_EXPECT_EQ(test, held_of_slow_stream(test, 2 * MSEC, 1), 0);
	/* 20 ms later: stock is faster, however many there are at a time. */
	KUNIT_EXPECT_LE(test, held_of_slow_stream(test, 5 * MSEC, 5), 8);
}

/*
 * A machine so slow that no stripe is done before the stream fills it: how long raid456 takes is
 * not known, and the stream is tried. Once it is known, the pace counts.
 */
static void unmeasured_streams_are_tried(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_EQ(test, write_filled(p, i * 64 * STRIPE, 64), i ? 64U : 0U);
		/* 100 ms a row. */
		now += 25 * MSEC;
	}
	r5d_learn_service(&p->times, 10 * MSEC);
	KUNIT_EXPECT_EQ(test, write_filled(p, i * 64 * STRIPE, 64), 0U);
}

/* Where holding delays a stream, a write in 64 is not held, so that we know what stock does. */
static void a_control_passes(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, held_of_slow_stream(test, 2 * MSEC, 5), 1000 - 1000 / 64 + 1);
}

/* A stream is trusted again when its stripes would have been filled, although none is held. */
static void learns_from_those_that_passed(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	for (i = 0; i < 50; i++)
		write_in_vain(p, i * 64 * STRIPE, 64);
	KUNIT_EXPECT_EQ(test, write_in_vain(p, i++ * 64 * STRIPE, 64), 0U);
	write_filled(p, i++ * 64 * STRIPE, 64);
	KUNIT_EXPECT_EQ(test, write_filled(p, i * 64 * STRIPE, 64), 64U);
}

/* A proven stream survives a write in vain, and several end it. */
static void proven_streams_last(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i, held = 0;

	for (i = 0; i < 50; i++)
		write_filled(p, i * 64 * STRIPE, 64);
	KUNIT_EXPECT_EQ(test, write_in_vain(p, i++ * 64 * STRIPE, 64), 64U);
	KUNIT_EXPECT_EQ(test, write_filled(p, i++ * 64 * STRIPE, 64), 64U);
	for (; i < 100; i++)
		held += write_in_vain(p, i * 64 * STRIPE, 64) / 64;
	KUNIT_EXPECT_LE(test, held, 8);
}

/* An early release says nothing. */
static void early_releases_teach_nothing(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	write_filled(p, 0, 64);
	for (i = 1; i < 100; i++)
		KUNIT_EXPECT_EQ(test, write_stripes(p, i * 64 * STRIPE, 64, R5D_OUTCOME_UNKNOWN,
						    R5D_OUTCOME_UNKNOWN), 64U);
}

/* A stream that nobody wrote to for a second has ended. */
static void streams_end(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	int i;

	for (i = 0; i < 50; i++)
		write_filled(p, i * 64 * STRIPE, 64);
	p->kinds[6] = 0;
	now += 1001 * MSEC;
	KUNIT_EXPECT_EQ(test, write_filled(p, i * 64 * STRIPE, 64), 0U);
}

/* Writes may come somewhat out of order. */
static void gaps_are_allowed(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct rnd_state rnd;
	u32 held = 0;
	int i;

	prandom_seed_state(&rnd, 7);
	for (i = 0; i < 100; i++) {
		/* Pairs swapped, and a hole now and then. */
		held += write_filled(p, (i ^ 1) * 64 * STRIPE, 64);
		i += prandom_u32_state(&rnd) % 8 == 0;
	}
	KUNIT_EXPECT_GE(test, held, 80U * 64);
}

/* A ticket of a stream that another one has replaced changes nothing. */
static void a_place_taken_since(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test), *was;
	struct r5d_write w = { 0, 64 * STRIPE, REST };
	struct r5d_ticket ticket;
	int i;

	write_filled(p, 0, 64);
	w.start = 64 * STRIPE;
	r5d_predict(p, &w, now, &ticket);
	KUNIT_ASSERT_GE(test, (int)ticket.stream, 0);
	ticket.kind = -1;
	for (i = 0; i < 2 * R5D_STREAMS; i++) {
		write_filled(p, (i + 1ULL) << 32, 64);
		write_filled(p, ((i + 1ULL) << 32) + 64 * STRIPE, 64);
	}
	was = kunit_kzalloc(test, sizeof(*was), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, was);
	memcpy(was, p, sizeof(*p));
	r5d_learn(p, &ticket, R5D_OUTCOME_EXPIRED, 0);
	KUNIT_EXPECT_EQ(test, memcmp(was, p, sizeof(*p)), 0);
	ticket = r5d_no_ticket();
	r5d_learn(p, &ticket, R5D_OUTCOME_EXPIRED, 0);
	r5d_learn(p, &ticket, R5D_OUTCOME_HELD_FILLED, 0);
	KUNIT_EXPECT_EQ(test, memcmp(was, p, sizeof(*p)), 0);
}

/* One wait in vain, as long as a partial stripe takes, ends the trust of a filled stream. */
static void a_wait_weighs_more_than_a_fill(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_write w = {
		.sectors = 64 * STRIPE,
		.rest = REST,
		.data_disks = DATA_DISKS,
	};
	struct r5d_ticket ticket = {};
	int i, fills;

	for (fills = 8; fills <= 200; fills += 192) {
		for (i = 0; i < fills; i++)
			write_filled(p, (u64)fills << 32 | i * 64 * STRIPE, 64);
		w.start = (u64)fills << 32 | fills * 64 * STRIPE;
		KUNIT_EXPECT_NE(test, r5d_predict(p, &w, now, &ticket), R5D_UNLIKELY);
		r5d_learn(p, &ticket, R5D_OUTCOME_EXPIRED, p->times.service_ns);
		w.start += 64 * STRIPE;
		/* But not of one that was filled many times since the last. */
		KUNIT_EXPECT_EQ(test, r5d_predict(p, &w, now, &ticket) == R5D_UNLIKELY, fills == 8);
	}
}

/*
 * The end of a file that nobody waits for costs nothing, because the next one has begun by then.
 * But where writers wait for stripes, the next one waits for those.
 */
static void a_wait_weighs_where_stripes_are_scarce(struct kunit *test)
{
	int scarce, i;

	for (scarce = 0; scarce < 2; scarce++) {
		struct r5d_predictor *p = new_predictor(test);
		struct r5d_write w = {
			.sectors = 64 * STRIPE,
			.rest = REST,
			.data_disks = DATA_DISKS,
			.start = 8 * 64 * STRIPE,
		};
		struct r5d_ticket ticket = {};
		u32 trust;

		for (i = 0; i < 8; i++)
			write_filled(p, i * 64 * STRIPE, 64);
		KUNIT_EXPECT_NE(test, r5d_predict(p, &w, now, &ticket), R5D_UNLIKELY);
		/* The next file. */
		for (i = 0; i < 8; i++)
			write_filled(p, 1ULL << 32 | i * 64 * STRIPE, 64);
		trust = p->ends[r5d_kind_of(&w)];
		p->scarce = scarce;
		r5d_learn(p, &ticket, R5D_OUTCOME_EXPIRED, p->times.service_ns);
		KUNIT_EXPECT_EQ(test, p->ends[r5d_kind_of(&w)] < trust, scarce);
	}
}

/* A stream fills rows once it is longer than one; random writes near each other do not. */
static void what_fills_rows(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_write w = {
		.sectors = 4 * STRIPE,
		.rest = REST,
		.data_disks = DATA_DISKS,
	};
	struct r5d_ticket ticket;
	int i, streams = 0, fills = 0;

	for (i = 0; i < 200; i++) {
		w.start = (u64)(i * 37 % 64) * REST / 4;
		r5d_predict(p, &w, now, &ticket);
		streams += ticket.stream >= 0;
		fills += ticket.stream >= 0 && r5d_fills_rows(p, &ticket);
	}
	KUNIT_EXPECT_GT(test, streams, 0);
	KUNIT_EXPECT_EQ(test, fills, 0);
	w.start = 1ULL << 32;
	for (i = 0; w.start < (1ULL << 32) + 2 * REST; i++, w.start += w.sectors)
		r5d_predict(p, &w, now, &ticket);
	KUNIT_EXPECT_GE(test, ticket.stream, 0);
	KUNIT_EXPECT_TRUE(test, ticket.stream >= 0 && r5d_fills_rows(p, &ticket));
}

/* Writes near each other, of which several are on the disks, go far and fill nothing. */
static void writes_with_gaps_are_no_stream(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_ticket tickets[4] = {};
	struct r5d_write w = {
		.sectors = 4 * STRIPE,
		.rest = REST,
		.data_disks = DATA_DISKS,
	};
	int n, i;

	for (n = 0; n < 4; n++)
		tickets[n] = r5d_no_ticket();
	for (n = 0; n < 100; n++, w.start += 90 * STRIPE) {
		r5d_learn(p, &tickets[n % 4], R5D_OUTCOME_DONE, 0);
		now += MSEC;
		for (i = 0; i < 4; i++) {
			struct r5d_ticket ticket;

			KUNIT_EXPECT_EQ(test, r5d_predict(p, &w, now, &ticket), R5D_UNLIKELY);
			if (!i)
				tickets[n % 4] = ticket;
		}
	}
}

/* A file of 64 long writes, whose stripes were filled. Returns where it ends. */
static u64 write_file(struct r5d_predictor *p)
{
	int i;

	for (i = 0; i < 64; i++) {
		write_filled(p, i * 64 * STRIPE, 64);
		now += MSEC;
	}
	return 64 * 64 * STRIPE;
}

/* A file's end is no reason to hold a short write that somebody makes near it later. */
static void late_short_writes_follow_closely(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	u64 end = write_file(p);

	now += 50 * MSEC;
	KUNIT_EXPECT_EQ(test, write_filled(p, end + 100 * STRIPE, 4), 0U);
	/* The same write that follows closely, and one like the others, are the stream's. */
	KUNIT_EXPECT_EQ(test, write_filled(p, end, 4), 4U);
	now += 50 * MSEC;
	KUNIT_EXPECT_EQ(test, write_filled(p, end + 100 * STRIPE, 64), 64U);
	/* While the stream goes on, a short write may be in its next row. */
	now += MSEC;
	KUNIT_EXPECT_EQ(test, write_filled(p, end + 300 * STRIPE, 4), 4U);
}

/* Nor if the file's last write was a short one, or if such a write has come once. */
static void short_tails_draw_nobody_in(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	u64 end = write_file(p);
	int i;

	write_filled(p, end, 3);
	for (i = 1; i < 4; i++) {
		now += 50 * MSEC;
		KUNIT_EXPECT_EQ(test, write_filled(p, end + 100 * i * STRIPE, 2), 0U);
	}
}

/* A proven stream whose gaps are alike in each chunk fills the stripes of its writes. */
static void gaps_that_fill_are_held(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	u32 held = 0;
	int i;

	for (i = 0; i < 16; i++) {
		write_filled(p, i * 8 * STRIPE, 8);
		now += MSEC;
	}
	for (i = 2; i < 402; i++) {
		held += write_filled(p, i * 64 * STRIPE, 8);
		now += MSEC;
	}
	/* All but those that are not held to see what becomes of them. */
	KUNIT_EXPECT_GE(test, held, 380U * 8);
}

/* Any writes at all: indices and trust stay in their bounds. */
static void any_writes(struct kunit *test)
{
	struct r5d_predictor *p = new_predictor(test);
	struct r5d_ticket tickets[64] = {};
	struct rnd_state rnd;
	int i, j;

	for (i = 0; i < 64; i++)
		tickets[i] = r5d_no_ticket();
	prandom_seed_state(&rnd, 11);
	for (i = 0; i < 200000; i++) {
		u32 draw = prandom_u32_state(&rnd);
		struct r5d_write w = {
			.start = draw % 3 ? draw % 100000 : U64_MAX - draw % 100000,
			.sectors = 1 + (draw >> 8) % 4096,
			.rest = draw % 5 * 128,
			.data_disks = 1 + draw % 5,
		};
		int at = draw % 64;

		if (draw % 11 == 0)
			now += draw;
		r5d_learn(p, &tickets[at], (draw >> 4) % 5, draw);
		KUNIT_ASSERT_LE(test, (int)r5d_predict(p, &w, now, &tickets[at]), (int)R5D_LIKELY);
		KUNIT_ASSERT_LT(test, (int)tickets[at].stream, R5D_STREAMS);
		KUNIT_ASSERT_LT(test, (int)tickets[at].kind, R5D_KINDS);
	}
	for (j = 0; j < R5D_STREAMS; j++)
		KUNIT_EXPECT_LE(test, p->streams[j].trust, 65535U);
	for (j = 0; j < R5D_KINDS; j++)
		KUNIT_EXPECT_LE(test, p->kinds[j], 65535U);
}

static void trust_in_percent(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, r5d_trust_percent(0), 0U);
	KUNIT_EXPECT_EQ(test, r5d_trust_percent(65534), 99U);
	KUNIT_EXPECT_EQ(test, r5d_trust_percent(65535), 100U);
}

static struct kunit_case predict_cases[] = {
	KUNIT_CASE(streams_are_held),
	KUNIT_CASE(unmeasured_streams_are_tried),
	KUNIT_CASE(writes_are_not_torn),
	KUNIT_CASE(writes_count_once),
	KUNIT_CASE(rewrites_count),
	KUNIT_CASE(lone_writer_pays_nothing),
	KUNIT_CASE(random_writes_pass),
	KUNIT_CASE(random_writes_pass_beside_a_stream),
	KUNIT_CASE(the_clock_wraps),
	KUNIT_CASE(a_log_passes),
	KUNIT_CASE(trials_become_rare),
	KUNIT_CASE(slow_streams),
	KUNIT_CASE(a_control_passes),
	KUNIT_CASE(learns_from_those_that_passed),
	KUNIT_CASE(proven_streams_last),
	KUNIT_CASE(early_releases_teach_nothing),
	KUNIT_CASE(streams_end),
	KUNIT_CASE(gaps_are_allowed),
	KUNIT_CASE(a_place_taken_since),
	KUNIT_CASE(a_wait_weighs_more_than_a_fill),
	KUNIT_CASE(a_wait_weighs_where_stripes_are_scarce),
	KUNIT_CASE(what_fills_rows),
	KUNIT_CASE(writes_with_gaps_are_no_stream),
	KUNIT_CASE(late_short_writes_follow_closely),
	KUNIT_CASE(short_tails_draw_nobody_in),
	KUNIT_CASE(gaps_that_fill_are_held),
	KUNIT_CASE(any_writes),
	KUNIT_CASE(trust_in_percent),
	{}
};

static struct kunit_suite predict_suite = {
	.name = "raid5_predict",
	.test_cases = predict_cases,
};

kunit_test_suite(predict_suite);

MODULE_LICENSE("GPL");
