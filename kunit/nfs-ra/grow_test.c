// SPDX-License-Identifier: GPL-2.0-only
/* The rules of nfs-ra's windows, one by one. */
#include <kunit/test.h>

#include "nfs-ra/grow.h"
#include "sim/simmount.h"

struct grown {
	unsigned int size;
	unsigned long run;
	bool from_start;
	unsigned int next;
};

static const struct grown growths[] = {
	/* In the middle of a file a run must cover the last window 64 times. */
	{ 32, 2047, false, 0 },
	{ 32, 2048, false, 64 },
	{ 32, 16384, false, 64 },
	{ 20, 1280, false, 40 },
	/* A large read opens a window of its own length at once. */
	{ 256, 16383, false, 0 },
	{ 256, 16384, false, 512 },
	/* From the start of the file it must cover half a window. */
	{ 32, 0, true, 0 },
	{ 32, 15, true, 0 },
	{ 32, 16, true, 64 },
	{ 256, 128, true, 512 },
	/* The stock code ramps up small windows. */
	{ 4, 2048, true, 0 },
	{ 15, 2048, true, 0 },
	/* The limit. */
	{ 1024, 65536, false, 2048 },
	{ 2048, 131072, false, 0 },
	{ 4096, 262144, false, 0 },
};

static void grown_desc(const struct grown *g, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u after %lu%s", g->size, g->run,
		 g->from_start ? " from the start" : "");
}

KUNIT_ARRAY_PARAM(grown, growths, grown_desc);

static const struct nra_limits growing = {
	.file_pages = MOUNT_PAGES,
	.mount_pages = MOUNT_PAGES,
	.usual = MOUNT_PAGES,
	.max_window = MAX_WINDOW,
	.memory = 2 * MAX_WINDOW,
	.smallest = MOUNT_PAGES,
	.from_start = ULONG_MAX,
};

static void grow(struct kunit *test)
{
	const struct grown *g = test->param_value;
	struct nra_run run = { g->run, g->from_start };

	KUNIT_EXPECT_EQ(test, g->next, nra_next_window(g->size, &growing, &run));
}

/* What bounds windows: the memory, and a run that ends at evicted pages. */
static void bounded(struct kunit *test)
{
	struct nra_limits limits = growing;
	struct nra_run run = { .pages = 120, .from_start = true };

	limits.memory = 80;
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 80U);
	KUNIT_EXPECT_EQ(test, nra_next_window(80, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(2048, &limits, &run), 80U);
	/* Never below the kernel's default. */
	limits.memory = 1;
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(2048, &limits, &run), 32U);

	limits.memory = 2048;
	run = (struct nra_run){ .pages = 600, .evicted = true };
	KUNIT_EXPECT_EQ(test, nra_next_window(128, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(2048, &limits, &run), 300U);
	/* Little memory: the run becomes no longer. */
	limits.memory = 200;
	run.pages = 16 * 200 - 1;
	KUNIT_EXPECT_EQ(test, nra_next_window(128, &limits, &run), 0U);
	run.pages++;
	KUNIT_EXPECT_EQ(test, nra_next_window(128, &limits, &run), 200U);
	/* However much memory there is in all. */
	limits.memory = 1UL << 20;
	run.pages = 10;
	KUNIT_EXPECT_EQ(test, nra_next_window(2048, &limits, &run), 32U);
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 0U);

	/* Files of the mount are left here: as the stock code, which keeps a window's size. */
	limits.memory = 2048;
	limits.from_start = 10;
	run = (struct nra_run){ .pages = 600, .from_start = true };
	KUNIT_EXPECT_EQ(test, nra_next_window(16, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(200, &limits, &run), 32U);
	limits.from_start = 70;
	KUNIT_EXPECT_EQ(test, nra_next_window(64, &limits, &run), 70U);
	limits.from_start = ULONG_MAX;
	run = (struct nra_run){ .pages = 10 };

	/* A constant of 4 MiB. */
	limits.file_pages = 1024;
	limits.mount_pages = 1024;
	limits.max_window = 0;
	limits.memory = 80;
	run.evicted = false;
	KUNIT_EXPECT_EQ(test, nra_next_window(16, &limits, &run), 0U);
	KUNIT_EXPECT_EQ(test, nra_next_window(64, &limits, &run), 80U);
	KUNIT_EXPECT_EQ(test, nra_next_window(1024, &limits, &run), 80U);
	limits.memory = 1024;
	run.evicted = true;
	KUNIT_EXPECT_EQ(test, nra_next_window(1024, &limits, &run), 32U);
	run.evicted = false;
	KUNIT_EXPECT_EQ(test, nra_next_window(1024, &limits, &run), 0U);
}

/* What nobody has read is no reason to keep a window. */
static void given_up(struct kunit *test)
{
	struct nra_run run = { .from_start = true };
	struct nra_limits limits = growing;

	KUNIT_EXPECT_EQ(test, nra_next_window(200, &limits, &run), 32U);
	/* A reader that drops what it has read keeps its window. */
	run.dropped = true;
	KUNIT_EXPECT_EQ(test, nra_next_window(200, &limits, &run), 0U);
	run = (struct nra_run){ .pages = 10, .unsure = true };
	KUNIT_EXPECT_EQ(test, nra_next_window(200, &limits, &run), 100U);
	KUNIT_EXPECT_EQ(test, nra_next_window(32, &limits, &run), 0U);
	/* posix_fadvise() has doubled the file's limit. */
	limits.file_pages = 2 * MOUNT_PAGES;
	limits.memory = 10;
	run = (struct nra_run){ .pages = 600, .evicted = true };
	KUNIT_EXPECT_EQ(test, nra_next_window(64, &limits, &run), 0U);
}

/* Large reads have windows of their own length from the stock code, up to a READ. */
static void smallest(struct kunit *test)
{
	struct nra_read read = { .index = 500, .folio_pages = 1, .req = 1 };

	/* A pread() after one elsewhere; one behind the last; a read() that began earlier. */
	KUNIT_EXPECT_EQ(test, nra_read_length(9000, 0, &read), 1UL);
	KUNIT_EXPECT_EQ(test, nra_read_length(480, 480, &read), 21UL);
	read.begin = 490;
	KUNIT_EXPECT_EQ(test, nra_read_length(480, 480, &read), 11UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(1024, 1024, 32, 16, 256), 32UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(1024, 16, 32, 32, 256), 16UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(80, 1024, 32, 200, 256), 200UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(256, 1024, 32, 33, 256), 256UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(512, 1024, 32, 128, 256), 256UL);
	KUNIT_EXPECT_EQ(test, nra_smallest_window(512, 32, 32, 1024, 16), 32UL);
}

/* After a steered window the stock code opens the wanted one, or a little less. */
static void steer(struct kunit *test)
{
	static const unsigned long files[] = { 32, 64, 1024, 2048 };
	unsigned int i, next;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		for (next = 4; next < 5000; next += next / 7 + 1) {
			struct nra_window last = { .start = 10, .size = 700, .async_size = 300 };
			unsigned long got;

			nra_steer_window(&last, next, files[i]);
			KUNIT_EXPECT_EQ(test, last.start + last.size, 710UL);
			got = nra_stock_window(last.size, files[i]);
			KUNIT_EXPECT_LE(test, got, (unsigned long)next);
			KUNIT_EXPECT_GT(test, got, (unsigned long)next - 4);
		}
	}
}

/* start may wrap below 0, and the marker may be on a large folio. */
static void enlarge(struct kunit *test)
{
	struct nra_window last = { .start = 16, .size = 32, .async_size = 32 };

	KUNIT_EXPECT_TRUE(test, nra_is_expected_marker(&last, 16, 1));
	KUNIT_EXPECT_FALSE(test, nra_is_expected_marker(&last, 17, 1));
	KUNIT_EXPECT_FALSE(test, nra_is_expected_marker(&last, 0, 1));
	nra_steer_window(&last, 128, MOUNT_PAGES);
	KUNIT_EXPECT_EQ(test, last.start + last.size, 48UL);
	KUNIT_EXPECT_EQ(test, last.size, 128U);
	KUNIT_EXPECT_TRUE(test, nra_is_expected_marker(&last, 16, 1));
	last.async_size = 29;
	KUNIT_EXPECT_TRUE(test, nra_is_expected_marker(&last, 16, 4));
	KUNIT_EXPECT_FALSE(test, nra_is_expected_marker(&last, 19, 4));
}

static enum nra_page below_1000(void *samples, unsigned long index)
{
	++*(unsigned int *)samples;
	return index >= 1000 ? NRA_PAGE_READ : NRA_PAGE_EVICTED;
}

/* A run is never measured too long, nor with many samples. */
static void run_length(struct kunit *test)
{
	unsigned long end;

	for (end = 0; end < 100000; end += end / 8 + 1) {
		unsigned int samples = 0;
		struct nra_run run = nra_run_measure(end, MOUNT_PAGES / 2, MAX_WINDOW, below_1000,
						     &samples);

		KUNIT_EXPECT_LE(test, run.pages, end > 1000 ? end - 1000 : 0);
		KUNIT_EXPECT_LE(test, run.pages, MAX_WINDOW);
		KUNIT_EXPECT_EQ(test, run.from_start, !end);
		KUNIT_EXPECT_EQ(test, run.evicted, end && run.pages < MAX_WINDOW);
		KUNIT_EXPECT_LE(test, samples, 9 * 16U);
		if (end >= 1000 + 2 * MOUNT_PAGES)
			KUNIT_EXPECT_GE(test, run.pages, min(2 * MOUNT_PAGES, MAX_WINDOW));
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(grow, grown_gen_params),
	KUNIT_CASE(bounded),
	KUNIT_CASE(given_up),
	KUNIT_CASE(smallest),
	KUNIT_CASE(steer),
	KUNIT_CASE(enlarge),
	KUNIT_CASE(run_length),
	{}
};

static struct kunit_suite suite = {
	.name = "nfs_ra_grow",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
