// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ctxra's stream policy saves. Readers of a simulated page cache read one file in many
 * orders, with the stock code of each generation and with ctxra in front of it. The tests
 * compare I/Os and pages.
 */
#include <kunit/test.h>

#include "sim/simwork.h"

#define FILE_PAGES	16384UL	/* 64 MiB */
#define WIN		32UL	/* 128 KiB */
#define NR		16UL	/* 64 KiB */
#define SEED		20261121

/* The largest file has 2^63 - 1 bytes. */
#define LAST_INDEX	((unsigned long)(S64_MAX >> PAGE_SHIFT))

static void shape_desc(const struct sim_shape *shape, char *desc)
{
	strscpy(desc, shape->name, KUNIT_PARAM_DESC_SIZE);
}

/* One reader in order: ctxra changes nothing. */
#define IN_ORDER(nr_, win_, pages_) {						\
	.name = "requests of " #nr_ ", window " #win_ ", " #pages_ " pages",	\
	.nr = nr_, .win = win_, .pages = pages_,				\
}

static const struct sim_shape in_order_shapes[] = {
	IN_ORDER(1, 32, 16384),
	IN_ORDER(4, 32, 16384),
	IN_ORDER(8, 32, 16384),
	IN_ORDER(16, 32, 16384),
	IN_ORDER(32, 32, 16384),
	IN_ORDER(64, 32, 16384),
	IN_ORDER(16, 32, 16383),
	IN_ORDER(16, 32, 16369),
	IN_ORDER(3, 32, 16381),
	IN_ORDER(1, 1, 4096),
	IN_ORDER(16, 1, 4096),
	IN_ORDER(1, 4, 4096),
	IN_ORDER(4, 4, 4095),
	IN_ORDER(16, 4, 4096),
	IN_ORDER(1, 256, 16384),
	IN_ORDER(16, 256, 16384),
	IN_ORDER(16, 256, 16001),
	IN_ORDER(16, 24, 16384),
	IN_ORDER(16, 250, 16384),
	IN_ORDER(16, 16384, 65536),
	IN_ORDER(256, 16384, 65531),
	IN_ORDER(1, 32, 1),
	IN_ORDER(16, 32, 15),
};

KUNIT_ARRAY_PARAM(in_order, in_order_shapes, shape_desc);

static void one_reader_in_order(struct kunit *test)
{
	const struct sim_shape *shape = test->param_value;
	struct sim *sim = sim_alloc(test, 0, shape->pages);
	struct sim_work work = sim_work_create(test, shape, shape->pages);
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = sim_eval(sim, &work, way, shape->win, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, shape->win, SIM_ALL_PATTERNS);

		KUNIT_EXPECT_EQ(test, stock.read, shape->pages);
		KUNIT_EXPECT_EQ(test, ctxra.ios, stock.ios);
		KUNIT_EXPECT_EQ(test, ctxra.io_hash, stock.io_hash);
		KUNIT_EXPECT_EQ(test, ctxra.opened, 0UL);
		KUNIT_EXPECT_EQ(test, ctxra.markers_skipped, 0UL);
	}
}

/* Orders, and the most I/Os that each may take. */
struct figure {
	struct sim_shape shape;
	unsigned long most;
};

#define FIGURE(name_, most_, ...) {						\
	.shape = { .name = name_, .nr = NR, .win = WIN, .pages = FILE_PAGES,	\
		   .readers = 4, .seed = SEED, __VA_ARGS__ },			\
	.most = most_,								\
}

static const struct figure figures[] = {
	FIGURE("4 processes in turn", 530, .share = SIM_TURN),
	FIGURE("4 threads in turn", 530, .share = SIM_TURN, .shared_fd = true),
	FIGURE("4 processes free running", 540, .share = SIM_FREE),
	FIGURE("4 processes free running, again", 540, .share = SIM_FREE, .seed = 2),
	FIGURE("4 threads free running", 540, .share = SIM_FREE, .shared_fd = true),
	FIGURE("4 workers, neighbours swapped", 530, .share = SIM_TURN, .group = 2),
	FIGURE("4 free workers, neighbours swapped", 530, .share = SIM_POOL, .group = 2),
	FIGURE("8 readers, shuffled in windows of 8", 600, .share = SIM_POOL, .group = 8,
	       .readers = 8),
	FIGURE("8 readers in turn, shuffled in windows of 8", 600, .share = SIM_TURN, .group = 8,
	       .readers = 8),
	FIGURE("two streams on one descriptor, 4 threads", 540, .share = SIM_POOL,
	       .shared_fd = true, .streams = 2),
	FIGURE("two streams on one descriptor, 4 threads in turn", 540, .share = SIM_TURN,
	       .shared_fd = true, .streams = 2),
};

static void figure_desc(const struct figure *f, char *desc)
{
	shape_desc(&f->shape, desc);
}

KUNIT_ARRAY_PARAM(figures, figures, figure_desc);

static void figure(struct kunit *test)
{
	const struct figure *f = test->param_value;
	struct sim *sim = sim_alloc(test, 0, f->shape.pages);
	struct sim_work work = sim_work_create(test, &f->shape, f->shape.pages);
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		unsigned long pages = f->shape.win;
		struct sim_outcome stock = sim_eval(sim, &work, way, pages, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, pages, SIM_ALL_PATTERNS);

		sim_report(test, way, f->shape.name, &stock, &ctxra);
		KUNIT_EXPECT_LE(test, ctxra.ios, f->most);
		KUNIT_EXPECT_EQ(test, ctxra.read, f->shape.pages);
		KUNIT_EXPECT_EQ(test, ctxra.unfilled, 0UL);
	}
}

/* I/Os that a stream may take before its window has its full size. */
#define RAMP_UP		20

/*
 * Expect one I/O per window, 5 % more, and 12 for the start of each stream: one that begins up to
 * eight reaches ahead of another is taken for a part of that at first.
 */
static void expect_few_ios(struct kunit *test, const struct sim_shape *shape)
{
	struct sim *sim = sim_alloc(test, 0, shape->pages);
	struct sim_work work = sim_work_create(test, shape, shape->pages);
	/*
	 * What the slowest of many readers has not read yet looks unread, so trust grows late, and
	 * readers that run freely may lose each other. Stock makes twice as many.
	 */
	unsigned long slack = shape->readers >= 12 ? 3 : 20;
	unsigned long most = shape->pages / shape->win * (slack + 1) / slack +
			     12 * max(shape->streams, 1U);
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = sim_eval(sim, &work, way, shape->win, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, shape->win, SIM_ALL_PATTERNS);

		if (ctxra.ios > most)
			sim_report(test, way, shape->name, &stock, &ctxra);
		KUNIT_EXPECT_LE(test, ctxra.ios, most);
		KUNIT_EXPECT_LE(test, ctxra.read, shape->pages);
		KUNIT_EXPECT_EQ(test, ctxra.unfilled, 0UL);
	}
}

static const unsigned int numbers[] = { 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static void number_desc(const unsigned int *n, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u", *n);
}

KUNIT_ARRAY_PARAM(numbers, numbers, number_desc);

static unsigned int number(struct kunit *test)
{
	return *(const unsigned int *)test->param_value;
}

/* 2 to 16 readers share one stream in each way, by own descriptors and by one. */
static void shared_by_readers(struct kunit *test)
{
	struct sim_shape shape = {
		.nr = NR, .win = WIN, .pages = FILE_PAGES, .readers = number(test), .seed = SEED,
	};

	for (shape.share = SIM_TURN; shape.share <= SIM_POOL; shape.share++) {
		shape.name = sim_share_names[shape.share];
		shape.shared_fd = false;
		expect_few_ios(test, &shape);
		shape.shared_fd = true;
		expect_few_ios(test, &shape);
	}
}

/* Requests shuffled in groups of 2 to 16. */
static void shuffled_in_groups(struct kunit *test)
{
	struct sim_shape shape = {
		.nr = NR, .win = WIN, .pages = FILE_PAGES, .group = number(test), .seed = SEED,
	};

	shape.name = "4 readers in turn";
	shape.readers = 4;
	shape.share = SIM_TURN;
	expect_few_ios(test, &shape);
	shape.name = "8 free readers";
	shape.readers = 8;
	shape.share = SIM_POOL;
	expect_few_ios(test, &shape);
	shape.name = "8 free readers, one descriptor";
	shape.shared_fd = true;
	expect_few_ios(test, &shape);
}

/* 2 to 16 interleaved streams, in order and shuffled. */
static void interleaved_streams(struct kunit *test)
{
	struct sim_shape shape = {
		.nr = NR, .win = WIN, .pages = FILE_PAGES, .streams = number(test), .seed = SEED,
	};

	shape.name = "one reader";
	shape.readers = 1;
	expect_few_ios(test, &shape);
	shape.name = "4 threads, one descriptor";
	shape.readers = 4;
	shape.share = SIM_POOL;
	shape.shared_fd = true;
	expect_few_ios(test, &shape);
	shape.name = "8 free readers";
	shape.readers = 8;
	shape.shared_fd = false;
	expect_few_ios(test, &shape);
	shape.name = "8 free readers, groups of 4 shuffled";
	shape.group = 4;
	expect_few_ios(test, &shape);
}

/* A stream amid random requests is followed, and costs 1 % more pages at most. */
#define SPACIOUS	262144UL	/* 1 GiB */

#define NOISY(nr_, readers_, noise_) {						\
	.name = #noise_ " % noise, requests of " #nr_ ", readers " #readers_,	\
	.nr = nr_, .win = WIN, .first = 50000, .pages = FILE_PAGES,		\
	.readers = readers_, .share = SIM_POOL, .noise = noise_, .seed = SEED,	\
}

static const struct sim_shape noisy_shapes[] = {
	NOISY(1, 1, 25), NOISY(1, 4, 25), NOISY(1, 1, 50), NOISY(1, 4, 50),
	NOISY(4, 1, 25), NOISY(4, 4, 25), NOISY(4, 1, 50), NOISY(4, 4, 50),
	NOISY(16, 1, 25), NOISY(16, 4, 25), NOISY(16, 1, 50), NOISY(16, 4, 50),
};

KUNIT_ARRAY_PARAM(noisy, noisy_shapes, shape_desc);

static void stream_amid_noise(struct kunit *test)
{
	const struct sim_shape *shape = test->param_value;
	struct sim *sim = sim_alloc(test, 0, SPACIOUS);
	struct sim_work work = sim_work_create(test, shape, SPACIOUS);
	unsigned long asked = work.nr * shape->nr;
	unsigned long noise = work.nr - shape->pages / shape->nr;
	unsigned long bar = noise + shape->pages / shape->win * 21 / 20 + 16;
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = sim_eval(sim, &work, way, shape->win, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, shape->win, SIM_ALL_PATTERNS);

		sim_report(test, way, shape->name, &stock, &ctxra);
		/*
		 * One per random request, and 5 % more than the stream alone. Between two random
		 * requests a single reader is in order, and then the stock code's to follow; here
		 * that may cost 0.5 %.
		 */
		if (shape->readers == 1)
			bar = max(bar, stock.ios + stock.ios / 200);
		KUNIT_EXPECT_LE(test, ctxra.ios, bar);
		KUNIT_EXPECT_LE(test, ctxra.read, asked + asked / 100);
	}
}

/* Random reads of a file 100 times larger are no stream. */
#define RANDOM(nr_, win_, readers_) {						\
	.name = "requests of " #nr_ ", window " #win_ ", readers " #readers_,	\
	.nr = nr_, .win = win_, .pages = SPACIOUS / 100,			\
	.readers = readers_, .share = SIM_POOL, .noise = 100,			\
}

static const struct sim_shape random_shapes[] = {
	RANDOM(1, 32, 1), RANDOM(1, 32, 4), RANDOM(1, 32, 8), RANDOM(1, 256, 4), RANDOM(1, 1, 4),
	RANDOM(4, 32, 1), RANDOM(4, 32, 4), RANDOM(4, 256, 4),
	RANDOM(16, 32, 1), RANDOM(16, 32, 4), RANDOM(16, 256, 4),
};

KUNIT_ARRAY_PARAM(random, random_shapes, shape_desc);

#define RANDOM_SEEDS	16

static void random_reads(struct kunit *test)
{
	struct sim_shape shape = *(const struct sim_shape *)test->param_value;
	struct sim_outcome stock[SIM_NR_WAYS] = {}, ctxra[SIM_NR_WAYS] = {}, one;
	struct sim *sim = sim_alloc(test, 0, SPACIOUS);
	unsigned int way;

	/* Several runs, because two requests that chance to be neighbours weigh much in one run. */
	for (shape.seed = 0; shape.seed < RANDOM_SEEDS; shape.seed++) {
		struct sim_work work = sim_work_create(test, &shape, SPACIOUS);

		for (way = 0; way < SIM_NR_WAYS; way++) {
			one = sim_eval(sim, &work, way, shape.win, SIM_STOCK);
			stock[way].ios += one.ios;
			stock[way].read += one.read;
			one = sim_eval(sim, &work, way, shape.win, SIM_ALL_PATTERNS);
			ctxra[way].ios += one.ios;
			ctxra[way].read += one.read;
		}
	}
	for (way = 0; way < SIM_NR_WAYS; way++) {
		sim_report(test, way, shape.name, &stock[way], &ctxra[way]);
		KUNIT_EXPECT_LE(test, ctxra[way].read, stock[way].read + stock[way].read / 100);
		KUNIT_EXPECT_LE(test, ctxra[way].ios, stock[way].ios + stock[way].ios / 100);
	}
}

/*
 * Other sizes of window and request: never more than 2 % worse than stock, nor any page more.
 * Requests larger than the window are left to stock, but not what remains of them: 10 %.
 */
struct sizes {
	unsigned long nr;
	unsigned long win;
};

static const struct sizes sizes[] = {
	{ 1, 1 }, { 16, 1 }, { 1, 4 }, { 4, 4 }, { 16, 4 },
	{ 1, 32 }, { 3, 32 }, { 4, 32 }, { 8, 32 }, { 32, 32 }, { 64, 32 }, { 16, 24 },
	{ 1, 256 }, { 4, 256 }, { 8, 256 }, { 16, 256 }, { 32, 256 }, { 16, 250 },
	{ 16, 16384 }, { 256, 16384 },
};

static void sizes_desc(const struct sizes *s, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "requests of %lu, window %lu", s->nr, s->win);
}

KUNIT_ARRAY_PARAM(sizes, sizes, sizes_desc);

static const struct sim_shape sized_shapes[] = {
	{ .name = "pool", .readers = 4, .share = SIM_POOL },
	{ .name = "turn", .readers = 4 },
	{ .name = "swapped", .readers = 4, .group = 2, .share = SIM_POOL },
	{ .name = "shuffled", .readers = 8, .group = 8, .share = SIM_POOL },
	{ .name = "two streams", .readers = 4, .streams = 2, .shared_fd = true, .share = SIM_POOL },
};

static void window_sizes(struct kunit *test)
{
	const struct sizes *s = test->param_value;
	/* At least a few windows, and an end of the file that is not aligned. */
	unsigned long pages = max(FILE_PAGES, 4 * s->win) - 5;
	unsigned long worse = s->nr > s->win ? 10 : 50;
	struct sim *sim = sim_alloc(test, 0, pages);
	unsigned int n, way;

	for (n = 0; n < ARRAY_SIZE(sized_shapes); n++) {
		struct sim_shape shape = sized_shapes[n];
		struct sim_work work;

		shape.nr = s->nr;
		shape.pages = pages;
		shape.seed = SEED;
		work = sim_work_create(test, &shape, pages);
		for (way = 0; way < SIM_NR_WAYS; way++) {
			unsigned long win = s->win;
			struct sim_outcome stock = sim_eval(sim, &work, way, win, SIM_STOCK);
			struct sim_outcome ctxra = sim_eval(sim, &work, way, win,
							    SIM_ALL_PATTERNS);

			if (ctxra.ios > stock.ios)
				sim_report(test, way, shape.name, &stock, &ctxra);
			KUNIT_EXPECT_LE(test, ctxra.ios, stock.ios + stock.ios / worse + RAMP_UP);
			KUNIT_EXPECT_LE(test, ctxra.read, pages);
			KUNIT_EXPECT_EQ(test, ctxra.unfilled, 0UL);
		}
	}
}

/* With no pattern on, ctxra does nothing. With one on, no window of another opens. */
static void patterns_masked(struct kunit *test)
{
	static const struct sim_shape shape = {
		.nr = NR, .win = WIN, .pages = FILE_PAGES, .readers = 8, .share = SIM_POOL,
		.group = 8, .seed = SEED,
	};
	struct sim *sim = sim_alloc(test, 0, FILE_PAGES);
	struct sim_work work = sim_work_create(test, &shape, FILE_PAGES);
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		struct sim_outcome stock = sim_eval(sim, &work, way, WIN, SIM_STOCK);
		struct sim_outcome ctxra = sim_eval(sim, &work, way, WIN, 0);

		KUNIT_EXPECT_EQ(test, ctxra.io_hash, stock.io_hash);
		KUNIT_EXPECT_EQ(test, ctxra.opened, 0UL);
		KUNIT_EXPECT_EQ(test, ctxra.markers_skipped, 0UL);
		sim_eval(sim, &work, way, WIN, BIT(CTXRA_TRAIL));
		KUNIT_EXPECT_GT(test, sim->opened[CTXRA_TRAIL], 0UL);
		KUNIT_EXPECT_EQ(test, sim->opened[CTXRA_REORDER], 0UL);
		sim_eval(sim, &work, way, WIN, BIT(CTXRA_REORDER));
		KUNIT_EXPECT_EQ(test, sim->opened[CTXRA_TRAIL], 0UL);
		KUNIT_EXPECT_GT(test, sim->opened[CTXRA_REORDER], 0UL);
	}
}

/* At the end of the largest possible file nothing wraps, and no page behind it is read. */
static void end_of_largest_file(struct kunit *test)
{
	struct sim_shape shape = {
		.first = LAST_INDEX + 1 - 1024, .nr = NR, .win = WIN, .pages = 1024,
		.readers = 4, .seed = SEED,
	};
	struct sim *sim = sim_alloc(test, shape.first, LAST_INDEX + 1);
	unsigned int way;

	for (way = 0; way < SIM_NR_WAYS; way++) {
		for (shape.group = 1; shape.group <= 8; shape.group++) {
			struct sim_work work = sim_work_create(test, &shape, LAST_INDEX + 1);
			struct sim_outcome ctxra = sim_eval(sim, &work, way, WIN, SIM_ALL_PATTERNS);

			KUNIT_EXPECT_EQ(test, ctxra.read, shape.pages);
			KUNIT_EXPECT_LE(test, ctxra.ios, shape.pages / WIN * 21 / 20 + RAMP_UP);
			KUNIT_EXPECT_EQ(test, ctxra.unfilled, 0UL);
		}
	}
}

static struct kunit_case stream_cases[] = {
	KUNIT_CASE_PARAM(one_reader_in_order, in_order_gen_params),
	KUNIT_CASE_PARAM(figure, figures_gen_params),
	KUNIT_CASE_PARAM(shared_by_readers, numbers_gen_params),
	KUNIT_CASE_PARAM(shuffled_in_groups, numbers_gen_params),
	KUNIT_CASE_PARAM(interleaved_streams, numbers_gen_params),
	KUNIT_CASE_PARAM(stream_amid_noise, noisy_gen_params),
	KUNIT_CASE_PARAM(random_reads, random_gen_params),
	KUNIT_CASE_PARAM(window_sizes, sizes_gen_params),
	KUNIT_CASE(patterns_masked),
	KUNIT_CASE(end_of_largest_file),
	{}
};

static struct kunit_suite stream_suite = {
	.name = "ctxra_stream",
	.test_cases = stream_cases,
};

kunit_test_suite(stream_suite);

MODULE_LICENSE("GPL");
