/* SPDX-License-Identifier: GPL-2.0-only */
/* Learns whether direct or cached writes are faster on a device. Pure. */
#ifndef NFSD_DIO_CHOOSE_H
#define NFSD_DIO_CHOOSE_H

#include <linux/time64.h>
#include <linux/types.h>

/**
 * enum nd_way - how a write is made that may be made either way
 * @ND_BY_CACHE: by the stock code, through the page cache
 * @ND_BY_DIRECT: by direct I/O
 */
enum nd_way {
	ND_BY_CACHE,
	ND_BY_DIRECT,
	ND_NR_WAYS,
};

/* So many writes of each way are measured before their latencies are compared. */
#define ND_MEASURED_FIRST	16
/* A mean is of about so many writes. */
#define ND_MEASURED_MOST	64
/* A trial of the other way waits for so many times what the last one took: at first, and later. */
#define ND_TRIAL_FIRST		8
#define ND_TRIAL_LATER		128
/* At most so long, because what was measured before says little by then. */
#define ND_TRIAL_NS		(4ULL * NSEC_PER_SEC)
/* Where the cache is faster, no write is looked at for so long after one that may not go direct. */
#define ND_PASS_NS	(10ULL * NSEC_PER_MSEC)
/* No direct write for so long after one has failed. */
#define ND_FAILED_NS		(60ULL * NSEC_PER_SEC)
/* The unit of &nd_choice.read_back. */
#define ND_READ_BACK_ALL	1024

/**
 * struct nd_choice - what is known of the writes of one size to one device
 * @way: the faster way; the other one has trials
 * @ns: per way, the mean latency of the writes that were measured lately, ns
 * @measured: per way, how many writes were measured since the way changed, %ND_MEASURED_MOST at most
 * @read_back: the share of the direct writes of lately that were soon read from the disk,
 * 0 to %ND_READ_BACK_ALL
 * @next_trial: no trial before this time, ns
 * @to_measure: how many more writes by the cache are to be measured
 */
struct nd_choice {
	enum nd_way way;
	u64 ns[ND_NR_WAYS];
	unsigned int measured[ND_NR_WAYS];
	unsigned int read_back;
	u64 next_trial;
	unsigned int to_measure;
};

bool nd_choice_wants(const struct nd_choice *choice, u64 now);
enum nd_way nd_choose(struct nd_choice *choice, u64 now);
void nd_chosen(struct nd_choice *choice, enum nd_way way, u64 took, u64 now);
void nd_choice_passes(struct nd_choice *choice, u64 now);
void nd_choice_failed(struct nd_choice *choice, u64 now);
void nd_choice_read_back(struct nd_choice *choice, bool was_read);

#endif
