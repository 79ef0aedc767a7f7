// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>

#include "nfs-ra/rule.h"

#define KB		1024
#define MB		(1024 * KB)
#define DEFAULT_KB	128

/* A rule, an rsize in bytes, and the readahead in KiB that follows from them. */
struct sized {
	const char *name;
	struct nra_rule rule;
	unsigned int rsize;
	unsigned int page_size;
	unsigned long kb;
};

static const struct sized cases[] = {
	{ "default rule, 1M", { 4, 0, 0 }, 1 * MB, 4096, 4096 },
	{ "default rule, 512K", { 4, 0, 0 }, 512 * KB, 4096, 2048 },
	{ "default rule, 32K", { 4, 0, 0 }, 32 * KB, 4096, 128 },
	{ "below the kernel's default", { 4, 0, 0 }, 4 * KB, 4096, 128 },
	{ "once", { 1, 0, 0 }, 1 * MB, 4096, 1024 },
	{ "once, small", { 1, 0, 0 }, 32 * KB, 4096, 128 },
	{ "15 times", { 15, 0, 0 }, 512 * KB, 4096, 7680 },
	{ "greatest multiple", { NRA_MULTIPLE_MAX, 0, 0 }, 4 * MB, 4096, NRA_KB_MAX },
	{ "a floor", { 4, 512, 0 }, 32 * KB, 4096, 512 },
	{ "a floor below the default", { 1, 64, 0 }, 32 * KB, 4096, 64 },
	{ "a floor below the multiple", { 4, 512, 0 }, 1 * MB, 4096, 4096 },
	{ "a ceiling", { 4, 0, 1000 }, 1 * MB, 4096, 1000 },
	{ "a ceiling above the multiple", { 4, 0, 8192 }, 1 * MB, 4096, 4096 },
	{ "a ceiling below the default", { 4, 0, 64 }, 32 * KB, 4096, 64 },
	{ "a ceiling below the floor", { 4, 512, 256 }, 32 * KB, 4096, 256 },
	{ "a ceiling between pages", { 4, 0, 9 }, 1 * MB, 4096, 8 },
	{ "a ceiling below a page", { 4, 0, 1 }, 1 * MB, 4096, 4 },
	{ "a floor between pages", { 1, 513, 0 }, 32 * KB, 4096, 516 },
	{ "an odd rsize", { 4, 0, 0 }, 1047672, 4096, 4096 },
	{ "an odd rsize, once", { 1, 0, 0 }, 262145, 4096, 260 },
	{ "no rsize", { 4, 0, 0 }, 0, 4096, 128 },
	{ "64K pages", { 4, 0, 0 }, 1 * MB, 65536, 4096 },
	{ "64K pages, a floor of less", { 4, 4, 0 }, 1 * KB, 65536, 64 },
	{ "64K pages, a ceiling of less", { 4, 0, 32 }, 1 * MB, 65536, 64 },
};

static void sized_desc(const struct sized *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(sized, cases, sized_desc);

static void pages(struct kunit *test)
{
	const struct sized *c = test->param_value;
	unsigned long per_page = c->page_size / KB;

	KUNIT_EXPECT_EQ(test, c->kb, per_page *
			nra_rule_pages(&c->rule, c->rsize, DEFAULT_KB / per_page, c->page_size));
}

/* Whatever the parameters: never 0, never beyond the limits, never less for a larger rsize. */
static void bounds(struct kunit *test)
{
	static const unsigned int kbs[] = { 0, 1, 127, 128, 1000, NRA_KB_MAX };
	unsigned int multiple, i, j, rsize;

	for (multiple = 1; multiple <= NRA_MULTIPLE_MAX; multiple += 9) {
		for (i = 0; i < ARRAY_SIZE(kbs); i++) {
			for (j = 0; j < ARRAY_SIZE(kbs); j++) {
				struct nra_rule rule = { multiple, kbs[i], kbs[j] };
				unsigned long last = 1;

				for (rsize = 1024; rsize <= 4 * MB; rsize *= 2) {
					unsigned long got = nra_rule_pages(&rule, rsize, 32, 4096);

					KUNIT_EXPECT_GE(test, got, last);
					KUNIT_EXPECT_LE(test, got, NRA_KB_MAX / 4UL);
					last = got;
				}
			}
		}
	}
}

struct automatic {
	const char *name;
	struct nra_rule rule;
	unsigned int rsize;
	unsigned long mount_kb;
	unsigned long max_window_kb;
};

static const struct automatic automatics[] = {
	{ "1M", { NRA_AUTO, 0, 0 }, 1 * MB, 128, 8192 },
	{ "32K", { NRA_AUTO, 0, 0 }, 32 * KB, 128, 8192 },
	{ "4M", { NRA_AUTO, 0, 0 }, 4 * MB, 128, 32768 },
	{ "a floor", { NRA_AUTO, 512, 0 }, 1 * MB, 512, 8192 },
	{ "a floor beyond the limit", { NRA_AUTO, 16384, 0 }, 1 * MB, 16384, 16384 },
	{ "a ceiling", { NRA_AUTO, 0, 2048 }, 1 * MB, 128, 2048 },
	{ "a ceiling below the default", { NRA_AUTO, 0, 64 }, 1 * MB, 64, 64 },
	{ "a constant", { 4, 0, 0 }, 1 * MB, 4096, 0 },
};

static void automatic_desc(const struct automatic *a, char *desc)
{
	strscpy(desc, a->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(automatic, automatics, automatic_desc);

static void auto_pages(struct kunit *test)
{
	const struct automatic *a = test->param_value;

	KUNIT_EXPECT_EQ(test, a->mount_kb, 4 * nra_rule_pages(&a->rule, a->rsize, 32, 4096));
	KUNIT_EXPECT_EQ(test, a->max_window_kb, 4 * nra_rule_max_window(&a->rule, a->rsize, 4096));
}

struct owned {
	unsigned long before;
	unsigned long set;
	unsigned long now;
	bool written;
	enum nra_owner owner;
};

static const struct owned owners[] = {
	{ 32, 1024, 1024, false, NRA_OURS },
	{ 32, 16, 16, false, NRA_OURS },
	{ 32, 32, 32, false, NRA_KERNEL },
	{ 32, 1024, 32, false, NRA_OTHERS },
	{ 32, 1024, 2048, false, NRA_OTHERS },
	{ 32, 1024, 0, false, NRA_OTHERS },
	{ 32, 32, 64, false, NRA_OTHERS },
	/* Somebody had set it before, so the rule left it. */
	{ 64, 1024, 64, false, NRA_OTHERS },
	/* Somebody wrote the value that was there. */
	{ 32, 1024, 1024, true, NRA_OTHERS },
	{ 32, 32, 32, true, NRA_OTHERS },
};

static void owned_desc(const struct owned *o, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%lu to %lu, is %lu%s", o->before, o->set, o->now,
		 o->written ? ", written" : "");
}

KUNIT_ARRAY_PARAM(owned, owners, owned_desc);

static void owner(struct kunit *test)
{
	const struct owned *o = test->param_value;

	KUNIT_EXPECT_EQ(test, nra_readahead_owner(o->before, o->set, o->now, o->written), o->owner);
}

static void is_nfs(struct kunit *test)
{
	static const char *const others[] = {
		"", "nf", "nfsd", "nfs3", "nfs41", "NFS", "ncpfs", "cifs", "smb3", "9p", "fuse",
		"fuse.nfs", "ceph", "afs", "ext4", "rpc_pipefs",
	};
	unsigned int i;

	KUNIT_EXPECT_TRUE(test, nra_is_nfs("nfs", "nfs"));
	KUNIT_EXPECT_TRUE(test, nra_is_nfs("nfs4", "nfs"));
	KUNIT_EXPECT_TRUE(test, nra_is_nfs("nfs", NULL));
	KUNIT_EXPECT_TRUE(test, nra_is_nfs("nfs4", NULL));
	KUNIT_EXPECT_FALSE(test, nra_is_nfs("nfs", "nfsd"));
	KUNIT_EXPECT_FALSE(test, nra_is_nfs("nfs4", "nfsv4"));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		KUNIT_EXPECT_FALSE_MSG(test, nra_is_nfs(others[i], "nfs"), "%s", others[i]);
		KUNIT_EXPECT_FALSE_MSG(test, nra_is_nfs(others[i], NULL), "%s", others[i]);
	}
}

static void server_name(struct kunit *test)
{
	static const char *const sources[][2] = {
		{ "nas:/data", "nas" }, { "nas.example.org:/", "nas.example.org" },
		{ "10.0.0.5:/a:b", "10.0.0.5" }, { "[fe80::1%eth0]:/x", "fe80::1%eth0" },
		{ "nas", "" }, { "", "" }, { ":/x", "" }, { "[::1", "" },
		{ "a-name-of-eight-bytes-or-more:/x", "" },
	};
	char name[16];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		nra_server_name(sources[i][0], name, sizeof(name));
		KUNIT_EXPECT_STREQ(test, name, sources[i][1]);
	}
}

static struct kunit_case rule_cases[] = {
	KUNIT_CASE(server_name),
	KUNIT_CASE_PARAM(pages, sized_gen_params),
	KUNIT_CASE(bounds),
	KUNIT_CASE_PARAM(auto_pages, automatic_gen_params),
	KUNIT_CASE_PARAM(owner, owned_gen_params),
	KUNIT_CASE(is_nfs),
	{}
};

static struct kunit_suite rule_suite = {
	.name = "nfs_ra_rule",
	.test_cases = rule_cases,
};

kunit_test_suite(rule_suite);

MODULE_LICENSE("GPL");
