// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader - several processes read one file together, in a given order
 *
 * fio cannot make processes read a file's blocks in turn, nor shuffle the blocks within a
 * short reach; reader does only that. The file's contents are a function of the offset, and
 * every read is checked against it.
 *
 *   reader make FILE MIB
 *   reader read FILE [name=value]...
 *
 *	block=KIB	request size (64)
 *	mib=MIB		MiB to read, from the start (the whole file)
 *	readers=N	processes (1)
 *	stride=KIB	from one block to the next (block, so that there is no gap)
 *	order=ORDER	seq, reverse, swap (neighbours), shuffle:N (in groups of N), random
 *	share=HOW	turn: each reads every Nth block, strictly one after another
 *			free: each reads every Nth block, at its own pace
 *			pool: a reader that is free takes the next block, as nfsd does
 *	streams=N	disjoint areas of the file that are read at the same time (1)
 *	fd=HOW		own, or shared by all processes
 *	count=N		requests for order=random
 *	run=N		order=random: N adjacent blocks at each random place (1)
 *	noise=PERCENT	random requests, up to 50, between the others (0)
 *	seed=N		for shuffle and random (1)
 *	verify=HOW	page: two words of each page; full: every word; none
 *
 * Prints one line of JSON. Exit status: 0, 1 if a byte was wrong, 2 on errors.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL
#define MAX_READERS 256

struct shared {
	atomic_ulong next;	/* share=pool */
	atomic_ulong wrong;	/* words */
	atomic_ulong bytes;
	sem_t turn[MAX_READERS];	/* share=turn */
};

static struct {
	const char *file;
	unsigned long block, stride, mib, readers, streams, count, run, noise, seed, group;
	enum { SEQ, REVERSE, SWAP, SHUFFLE, RANDOM } order;
	enum { TURN, FREE, POOL } share;
	bool shared_fd, verify_full, verify_none;
} opt = { .block = 64 << 10, .readers = 1, .streams = 1, .run = 1, .seed = 1,
	.share = POOL };

static uint64_t word_at(uint64_t offset)
{
	return (offset + 8) * 0x9E3779B97F4A7C15ULL;
}

static uint64_t rng(uint64_t *state)	/* xorshift64*, Vigna 2016 */
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545F4914F6CDD1DULL;
}

static void make_file(const char *file, unsigned long mib)
{
	static uint64_t buf[(1 << 20) / 8];
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		err(2, "%s", file);
	for (uint64_t off = 0; off < (uint64_t)mib << 20; off += sizeof(buf)) {
		for (unsigned long i = 0; i < sizeof(buf) / 8; i++)
			buf[i] = word_at(off + 8 * i);
		if (write(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
			err(2, "write %s", file);
	}
	if (fsync(fd) || close(fd))
		err(2, "fsync %s", file);
}

static void shuffle(uint64_t *blocks, unsigned long n, uint64_t *state)
{
	for (unsigned long i = n; i > 1; i--) {
		unsigned long j = rng(state) % i;
		uint64_t t = blocks[i - 1];

		blocks[i - 1] = blocks[j];
		blocks[j] = t;
	}
}

/* Random blocks, each followed by the rest of its run. */
static uint64_t *schedule_random(unsigned long blocks, uint64_t *state)
{
	uint64_t *list = calloc(opt.count, sizeof(*list));

	for (unsigned long i = 0; list && i < opt.count; i++)
		list[i] = i % opt.run ? list[i - 1] + opt.block :
			  rng(state) % (blocks - opt.run + 1) * opt.block;
	return list;
}

/* Put random blocks between those of the list, so that they are opt.noise % of all. */
static uint64_t *add_noise(uint64_t *list, unsigned long *nr, unsigned long blocks,
			   uint64_t *state)
{
	uint64_t *all = calloc(2 * *nr, sizeof(*all));
	unsigned long n = 0;

	for (unsigned long i = 0; all && i < *nr; i++) {
		if (rng(state) % (100 - opt.noise) < opt.noise)
			all[n++] = rng(state) % blocks * opt.block;
		all[n++] = list[i];
	}
	free(list);
	*nr = n;
	return all;
}

/* The offsets to read, in the order in which readers take them. */
static uint64_t *schedule(uint64_t bytes, uint64_t size, unsigned long *nr)
{
	uint64_t state = opt.seed * 0x9E3779B97F4A7C15ULL + 1;
	unsigned long per = bytes / opt.stride / opt.streams;
	unsigned long group = opt.order == SWAP ? 2 : opt.order == SHUFFLE ? opt.group : 1;
	uint64_t *list, *one;

	if (opt.order == RANDOM) {
		*nr = opt.count;
		return schedule_random(bytes / opt.block, &state);
	}
	list = calloc(per * opt.streams, sizeof(*list));
	one = calloc(per, sizeof(*one));
	for (unsigned long s = 0; list && one && s < opt.streams; s++) {
		for (unsigned long i = 0; i < per; i++)
			one[i] = (s * per + (opt.order == REVERSE ? per - 1 - i : i)) * opt.stride;
		for (unsigned long i = 0; i + group <= per; i += group) {
			if (opt.order == SWAP) {
				one[i] += opt.stride;
				one[i + 1] -= opt.stride;
			} else if (opt.order == SHUFFLE) {
				shuffle(one + i, group, &state);
			}
		}
		for (unsigned long i = 0; i < per; i++)
			list[i * opt.streams + s] = one[i];
	}
	free(one);
	*nr = per * opt.streams;
	return list && opt.noise ? add_noise(list, nr, size / opt.block, &state) : list;
}

static unsigned long check(const uint64_t *buf, uint64_t offset, size_t len)
{
	unsigned long wrong = 0;
	size_t step = opt.verify_full ? 8 : PAGE;

	if (opt.verify_none)
		return 0;
	for (size_t at = 0; at < len; at += step) {
		wrong += buf[at / 8] != word_at(offset + at);
		if (step == PAGE && at + PAGE <= len)
			wrong += buf[(at + PAGE) / 8 - 1] != word_at(offset + at + PAGE - 8);
	}
	return wrong;
}

static void run_reader(struct shared *sh, const uint64_t *list, unsigned long nr,
		       unsigned long me, int fd)
{
	uint64_t *buf = aligned_alloc(PAGE, opt.block);
	unsigned long i = me;

	if (!buf)
		errx(2, "no memory");
	if (!opt.shared_fd)
		fd = open(opt.file, O_RDONLY);
	if (fd < 0)
		err(2, "%s", opt.file);
	for (;; i += opt.readers) {
		ssize_t got;

		if (opt.share == POOL)
			i = atomic_fetch_add(&sh->next, 1);
		if (i >= nr)
			break;
		if (opt.share == TURN)
			while (sem_wait(&sh->turn[me]))
				;
		got = pread(fd, buf, opt.block, list[i]);
		if (got < 0)
			err(2, "read %s at %llu", opt.file, (unsigned long long)list[i]);
		if (opt.share == TURN)
			sem_post(&sh->turn[(me + 1) % opt.readers]);
		if (got != (ssize_t)opt.block)
			atomic_fetch_add(&sh->wrong, 1);
		atomic_fetch_add(&sh->wrong, check(buf, list[i], got));
		atomic_fetch_add(&sh->bytes, got);
	}
	exit(0);
}

static int read_file(void)
{
	struct shared *sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = open(opt.file, O_RDONLY), status, failed = 0;
	struct timespec t0, t1;
	unsigned long nr;
	uint64_t *list, bytes;
	off_t size;
	double s;

	if (sh == MAP_FAILED)
		err(2, "mmap");
	/* Not fstat(): a block device's st_size is 0. */
	size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (size < 0)
		err(2, "%s", opt.file);
	bytes = opt.mib ? (uint64_t)opt.mib << 20 : (uint64_t)size;
	if (bytes > (uint64_t)size || bytes < opt.stride * opt.streams ||
	    bytes < opt.block * opt.run)
		errx(2, "%s is too small or mib= is", opt.file);
	list = schedule(bytes, size, &nr);
	if (!list)
		errx(2, "no memory");
	for (unsigned long i = 0; i < opt.readers; i++)
		sem_init(&sh->turn[i], 1, i == 0);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (unsigned long i = 0; i < opt.readers; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(2, "fork");
		if (!pid)
			run_reader(sh, list, nr, i, fd);
	}
	while (wait(&status) > 0)
		failed |= status;
	clock_gettime(CLOCK_MONOTONIC, &t1);
	s = t1.tv_sec - t0.tv_sec + (t1.tv_nsec - t0.tv_nsec) / 1e9;
	printf("{\"bytes\": %lu, \"seconds\": %.3f, \"mb_s\": %.2f, \"wrong\": %lu}\n",
	       sh->bytes, s, sh->bytes / s / 1e6, sh->wrong);
	return failed ? 2 : sh->wrong ? 1 : 0;
}

static unsigned long number(const char *arg, const char *value, unsigned long max)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!*value || *end || n > max)
		errx(2, "%s: not a number up to %lu", arg, max);
	return n;
}

static void parse(char *arg)
{
	char *v = strchr(arg, '=');

	if (!v)
		errx(2, "%s: not name=value", arg);
	*v++ = '\0';
	if (!strcmp(arg, "block"))
		opt.block = number(arg, v, 65536) << 10;
	else if (!strcmp(arg, "stride"))
		opt.stride = number(arg, v, 1 << 20) << 10;
	else if (!strcmp(arg, "mib"))
		opt.mib = number(arg, v, 1 << 20);
	else if (!strcmp(arg, "readers"))
		opt.readers = number(arg, v, MAX_READERS);
	else if (!strcmp(arg, "streams"))
		opt.streams = number(arg, v, 1024);
	else if (!strcmp(arg, "count"))
		opt.count = number(arg, v, 1 << 30);
	else if (!strcmp(arg, "run"))
		opt.run = number(arg, v, 1 << 20);
	else if (!strcmp(arg, "noise"))
		opt.noise = number(arg, v, 50);
	else if (!strcmp(arg, "seed"))
		opt.seed = number(arg, v, UINT32_MAX);
	else if (!strcmp(arg, "order") && !strcmp(v, "seq"))
		opt.order = SEQ;
	else if (!strcmp(arg, "order") && !strcmp(v, "reverse"))
		opt.order = REVERSE;
	else if (!strcmp(arg, "order") && !strcmp(v, "swap"))
		opt.order = SWAP;
	else if (!strcmp(arg, "order") && !strcmp(v, "random"))
		opt.order = RANDOM;
	else if (!strcmp(arg, "order") && !strncmp(v, "shuffle:", 8)) {
		opt.order = SHUFFLE;
		opt.group = number(arg, v + 8, 4096);
	} else if (!strcmp(arg, "share") && !strcmp(v, "turn"))
		opt.share = TURN;
	else if (!strcmp(arg, "share") && !strcmp(v, "free"))
		opt.share = FREE;
	else if (!strcmp(arg, "share") && !strcmp(v, "pool"))
		opt.share = POOL;
	else if (!strcmp(arg, "fd") && (!strcmp(v, "own") || !strcmp(v, "shared")))
		opt.shared_fd = *v == 's';
	else if (!strcmp(arg, "verify") && !strcmp(v, "full"))
		opt.verify_full = true;
	else if (!strcmp(arg, "verify") && !strcmp(v, "none"))
		opt.verify_none = true;
	else if (!strcmp(arg, "verify") && !strcmp(v, "page"))
		opt.verify_full = opt.verify_none = false;
	else
		errx(2, "%s=%s: unknown", arg, v);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "make")) {
		make_file(argv[2], number("MIB", argv[3], 1 << 20));
		return 0;
	}
	if (argc < 3 || strcmp(argv[1], "read"))
		errx(2, "usage: reader make FILE MIB | reader read FILE [name=value]...");
	opt.file = argv[2];
	for (int i = 3; i < argc; i++)
		parse(argv[i]);
	if (!opt.stride)
		opt.stride = opt.block;
	if (!opt.block || !opt.readers || !opt.streams || !opt.run || (opt.order == SHUFFLE && !opt.group))
		errx(2, "block, readers, streams, run and shuffle must be at least 1");
	if (opt.stride < opt.block)
		errx(2, "stride must be at least block");
	if (opt.order == RANDOM && !opt.count)
		errx(2, "order=random needs count=");
	return read_file();
}
