// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/mm.h>

#include "raid5-deadline/outcome.h"
#include "simraid.h"

#define TICK_NS		50000ULL
/* Stripes that raid456 takes in at a tick, of all writers: 330 MB/s. */
#define TICK_STRIPES	4
/* Stripes of the array. */
#define STRIPES		65536
/* The stripe cache; half of it may be held. */
#define CACHE		8192
/* A ring of ticks: no I/O takes longer. */
#define DUE		4096
#define SECTORS		8

struct simraid_stripe {
	struct hlist_node due;
	enum { ABSENT, HELD, BUSY, CACHED } state;
	u32 written;
	u64 allocated;
	u64 done;
	u32 nr_writes;
	struct simraid_ref {
		struct simraid_writer *writer;
		struct simraid_write *write;
	} writes[8];
};

struct simraid *simraid_create(struct kunit *test, u32 disk_us, u32 chunk_kib, u32 seed)
{
	struct simraid *a = kunit_kzalloc(test, sizeof(*a), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, a);
	a->data_disks = 2;
	a->chunk = chunk_kib / 4;
	a->disk_us = disk_us;
	prandom_seed_state(&a->rnd, seed);
	return a;
}

static u64 sector_of(const struct simraid *a, const struct simraid_stripe *sh)
{
	return (u64)(sh - a->stripes) * SECTORS;
}

static struct r5d_stripe *entry_of(struct simraid *a, struct simraid_stripe *sh)
{
	return r5d_stripe_find(&a->table, sh, sector_of(a, sh));
}

/* The disks begin with a stripe, which takes so many I/Os one after the other. */
static void begin_io(struct simraid *a, struct simraid_stripe *sh, u32 ios)
{
	u64 took = 0, tick;

	/* An I/O takes from 0.9 to 1.4 times as long. */
	while (ios--)
		took += (u64)a->disk_us * (900 + prandom_u32_state(&a->rnd) % 500);
	sh->done = max(sh->state == BUSY ? sh->done : 0, a->now) + took;
	if (sh->state == BUSY)
		hlist_del(&sh->due);
	sh->state = BUSY;
	tick = sh->done / TICK_NS + 1;
	hlist_add_head(&sh->due, &a->due[tick % DUE]);
}

static void begin_stripe(struct simraid *a, struct simraid_stripe *sh)
{
	bool full = hweight32(sh->written) == a->data_disks;

	a->full += full;
	a->pre_reads += !full;
	begin_io(a, sh, full ? 1 : 2);
}

/* A stripe of a write is done, or was not needed. */
static void put_write(struct simraid *a, struct simraid_writer *writer, struct simraid_write *write)
{
	u64 ms = div_u64(a->now - write->begun, 1000000);

	if (--write->left)
		return;
	writer->ms[min(ms, SIMRAID_MS - 1ULL)]++;
	writer->writes++;
	writer->held += write->was_held;
	writer->waited += write->has_waited;
	write->used = false;
	writer->in_flight--;
	/* The next burst begins when all of this one is done. */
	if (writer->waits && !writer->in_flight)
		writer->waits = false;
}

static void stripe_done(struct simraid *a, struct simraid_stripe *sh)
{
	struct r5d_stripe *entry = entry_of(a, sh);
	u32 i;

	hlist_del(&sh->due);
	sh->state = CACHED;
	if (entry) {
		r5d_outcome_idle(&a->predictor, entry, a->now);
		r5d_stripe_remove(&a->table, entry);
	}
	for (i = 0; i < sh->nr_writes; i++)
		put_write(a, sh->writes[i].writer, sh->writes[i].write);
	sh->nr_writes = 0;
}

/* A stripe that raid456 knows nothing of: is it held? */
static bool hold_new(struct simraid *a, struct simraid_stripe *sh, struct simraid_writer *writer,
		     struct simraid_write *write)
{
	struct r5d_write w = {
		.start = write->start,
		.sectors = writer->kib * 2,
		.rest = (a->data_disks - 1) * a->chunk * SECTORS,
		.data_disks = a->data_disks,
	};
	enum r5d_forecast forecast;
	struct r5d_ticket ticket;
	struct r5d_stripe *entry;

	if (a->stock || writer->meta || hweight32(sh->written) == a->data_disks ||
	    a->table.nr_held >= CACHE / 2)
		return false;
	forecast = r5d_predict(&a->predictor, &w, a->now, &ticket);
	if (forecast == R5D_UNLIKELY && !r5d_is_ticket(&ticket))
		return false;
	entry = r5d_stripe_add(&a->table, sh, sector_of(a, sh));
	if (!entry)
		return false;
	entry->first = a->now;
	entry->released = a->now;
	entry->written = sh->written;
	entry->ticket = ticket;
	entry->begun = forecast == R5D_UNLIKELY;
	if (forecast == R5D_UNLIKELY)
		return false;
	r5d_stripe_set_held(&a->table, entry, forecast == R5D_TRIAL);
	write->was_held = true;
	return true;
}

static void add_to_held(struct simraid *a, struct simraid_stripe *sh, bool meta)
{
	struct r5d_stripe *entry = entry_of(a, sh);
	bool full = hweight32(sh->written) == a->data_disks;

	if (!full && !meta)
		return;
	if (full)
		r5d_outcome_full_now(&a->predictor, entry, a->now);
	r5d_stripe_clear_held(&a->table, entry);
	entry->begun = true;
	begin_stripe(a, sh);
}

static void add_to_busy(struct simraid *a, struct simraid_stripe *sh)
{
	struct r5d_stripe *entry = entry_of(a, sh);

	if (entry && hweight32(sh->written) == a->data_disks)
		r5d_outcome_full_now(&a->predictor, entry, a->now);
	begin_io(a, sh, 1);
}

/* The disks of a stripe, from @disk with @page on, that a write covers. */
static u32 disks_covered(const struct simraid *a, u64 page, u64 end, u32 disk)
{
	u32 disks = 0;

	for (; disk < a->data_disks && page < end; disk++, page += a->chunk)
		disks |= BIT(disk);
	return disks;
}

/* A write comes to a stripe. Like md, it adds all disks of the stripe that it covers at once. */
static void add_write(struct simraid *a, u64 page, struct simraid_writer *writer,
		      struct simraid_write *write)
{
	u64 chunk = div_u64(page, a->chunk), row = div_u64(chunk, a->data_disks);
	u64 start = div_u64(write->start, SECTORS);
	u32 disk = chunk - row * a->data_disks;
	struct simraid_stripe *sh;

	/* It did so when it came to the first of them. */
	if (disk && page >= start + a->chunk) {
		put_write(a, writer, write);
		return;
	}
	sh = &a->stripes[(row * a->chunk + page - chunk * a->chunk) % STRIPES];
	if (sh->state == CACHED && a->allocated - sh->allocated > CACHE)
		sh->state = ABSENT;
	if (sh->state == ABSENT) {
		sh->allocated = ++a->allocated;
		sh->written = 0;
	}
	sh->written |= disks_covered(a, page, start + writer->kib / 4, disk);
	if (sh->nr_writes < ARRAY_SIZE(sh->writes))
		sh->writes[sh->nr_writes++] = (struct simraid_ref){ writer, write };
	else
		put_write(a, writer, write);
	switch (sh->state) {
	case ABSENT:
		if (hold_new(a, sh, writer, write))
			sh->state = HELD;
		else
			begin_stripe(a, sh);
		break;
	case HELD:
		add_to_held(a, sh, writer->meta);
		break;
	case BUSY:
		add_to_busy(a, sh);
		break;
	case CACHED:
		begin_io(a, sh, 1);
	}
}

/* Returns whether the writer has written. */
static bool write_once(struct simraid *a, struct simraid_writer *writer)
{
	u64 pages = (u64)STRIPES * a->data_disks, page;
	struct simraid_write *write = writer->pool;
	u32 i;

	if (writer->in_flight >= writer->depth || writer->waits)
		return false;
	if (writer->mb_s && writer->budget < writer->kib * 1024)
		return false;
	writer->budget -= writer->mb_s ? writer->kib * 1024 : 0;
	while (write->used)
		write++;
	if (writer->random)
		writer->next = prandom_u32_state(&a->rnd) % (u32)(pages / (writer->kib / 4)) *
			       (writer->kib / 4);
	if (writer->jump && !writer->made)
		writer->next = prandom_u32_state(&a->rnd) % (u32)(pages / writer->jump) *
			       writer->jump;
	else if (writer->gaps)
		writer->next += prandom_u32_state(&a->rnd) % (writer->gaps + 1) * writer->gap;
	page = writer->next % pages;
	writer->next = page + writer->kib / 4;
	*write = (struct simraid_write) {
		.used = true,
		.begun = a->now,
		.start = page * SECTORS,
		.left = writer->kib / 4,
	};
	writer->in_flight++;
	if (writer->burst && ++writer->made == writer->burst) {
		writer->waits = !writer->hurries;
		writer->made = 0;
	}
	for (i = 0; i < writer->kib / 4; i++)
		add_write(a, page + i, writer, write);
	return true;
}

static void expire(struct simraid *a)
{
	struct r5d_stripe *entry, *next;
	struct simraid_stripe *sh;
	int list;
	u32 i;

	for (list = 0; list < R5D_HELD_LISTS; list++) {
		u64 deadline = r5d_auto_deadline(&a->predictor.times, list == R5D_HELD_TRIAL);

		list_for_each_entry_safe(entry, next, &a->table.held[list], order) {
			if (entry->first + deadline > a->now)
				break;
			sh = entry->sh;
			r5d_stripe_clear_held(&a->table, entry);
			entry->released = a->now;
			entry->expired = true;
			entry->begun = true;
			for (i = 0; i < sh->nr_writes; i++)
				sh->writes[i].write->has_waited = true;
			begin_stripe(a, sh);
		}
	}
}

static void tick(struct simraid *a)
{
	struct hlist_head *due = &a->due[a->now / TICK_NS % DUE];
	struct simraid_writer *writer;
	struct simraid_stripe *sh;
	struct hlist_node *next;
	int stripes = TICK_STRIPES;
	bool wrote = true;

	hlist_for_each_entry_safe(sh, next, due, due)
		if (sh->done <= a->now)
			stripe_done(a, sh);
	expire(a);
	for (writer = a->writers; writer < a->writers + SIMRAID_WRITERS; writer++)
		writer->budget = min(writer->budget + writer->mb_s * (TICK_NS / 1000), 4ULL << 20);
	/* Longer writes than TICK_STRIPES are spread by chance. */
	while (wrote && stripes > 0) {
		wrote = false;
		for (writer = a->writers; writer < a->writers + SIMRAID_WRITERS; writer++) {
			u32 span = writer->kib / 4;

			if (!writer->depth ||
			    (span > TICK_STRIPES &&
			     prandom_u32_state(&a->rnd) % span >= TICK_STRIPES))
				continue;
			if (write_once(a, writer)) {
				stripes -= span;
				wrote = true;
			}
		}
	}
	a->now += TICK_NS;
}

/**
 * simraid_run - let the writers write, and forget what was before
 * @test: that of simraid_create()
 * @array: the array, with its writers set
 * @ms: for so long, after as much again that does not count
 */
void simraid_run(struct kunit *test, struct simraid *array, u32 ms)
{
	u32 i, round;

	r5d_predict_init(&array->predictor);
	r5d_stripes_init(&array->table);
	KUNIT_ASSERT_EQ(test, r5d_stripes_create(&array->table, 2 * CACHE), 0);
	array->stripes = kvcalloc(STRIPES, sizeof(*array->stripes), GFP_KERNEL);
	array->due = kvcalloc(DUE, sizeof(*array->due), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, array->stripes);
	KUNIT_ASSERT_NOT_NULL(test, array->due);
	array->now = 10 * 1000000000ULL;
	array->allocated = 2 * CACHE;
	for (round = 0; round < 2; round++) {
		array->pre_reads = 0;
		array->full = 0;
		for (i = 0; i < SIMRAID_WRITERS; i++) {
			struct simraid_writer *writer = &array->writers[i];

			writer->writes = 0;
			writer->held = 0;
			writer->waited = 0;
			memset(writer->ms, 0, sizeof(writer->ms));
		}
		for (i = 0; i < ms * (1000000 / (u32)TICK_NS); i++)
			tick(array);
	}
	r5d_stripes_destroy(&array->table);
	kvfree(array->stripes);
	kvfree(array->due);
}

/* The latency, in whole ms, that so many percent of the writes did not exceed. */
u32 simraid_percentile_ms(const struct simraid_writer *writer, u32 percent)
{
	u32 ms, sum = 0;

	for (ms = 0; ms < SIMRAID_MS - 1; ms++) {
		sum += writer->ms[ms];
		if (sum * 100 >= writer->writes * percent)
			break;
	}
	return ms;
}
