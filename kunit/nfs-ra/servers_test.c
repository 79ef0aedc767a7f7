// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/string.h>

#include "nfs-ra/servers.h"

static void parsed(struct kunit *test)
{
	struct nra_servers *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	char text[256];

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_EXPECT_NULL(test, nra_servers_parse(" nas1:8, nas2.example.org:auto ,[fe80::1]:64\n",
						  list));
	KUNIT_EXPECT_EQ(test, list->nr, 3U);
	KUNIT_EXPECT_EQ(test, nra_servers_multiple(list, "nas1", 4), 8U);
	KUNIT_EXPECT_EQ(test, nra_servers_multiple(list, "NAS2.example.org", 4),
			(unsigned int)NRA_AUTO);
	KUNIT_EXPECT_EQ(test, nra_servers_multiple(list, "fe80::1", 4), 64U);
	KUNIT_EXPECT_EQ(test, nra_servers_multiple(list, "nas", 4), 4U);
	KUNIT_EXPECT_EQ(test, nra_servers_multiple(list, "", 4), 4U);
	KUNIT_EXPECT_EQ(test, nra_servers_print(list, text, sizeof(text)), (int)strlen(text));
	KUNIT_EXPECT_STREQ(test, text, "nas1:8,nas2.example.org:auto,[fe80::1]:64\n");
	KUNIT_EXPECT_NULL(test, nra_servers_parse("\n", list));
	KUNIT_EXPECT_EQ(test, list->nr, 0U);
}

static void refused(struct kunit *test)
{
	static const char *const lists[] = {
		"nas", ":4", "[]:4", "nas:", "nas:0", "nas:65", "nas:-1", "nas:4x", "nas:4,",
		",nas:4", "nas:4,nas:5", "nas:4,NAS:5",
		"a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1,j:1,k:1,l:1,m:1,n:1,o:1,p:1,q:1",
		"fe80::1", "fe80::1:4", "[:4", "nas:4:4",
	};
	struct nra_servers *list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	char *name = kunit_kzalloc(test, NRA_SERVER_LEN + 8, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_NOT_NULL(test, name);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, nra_servers_parse(lists[i], list), "%s", lists[i]);
	/* The longest name, and names that are too long to be kept in full. */
	for (i = NRA_SERVER_LEN - 1; i < NRA_SERVER_LEN + 6; i++) {
		memset(name, 'n', i);
		strscpy(name + i, ":8", 3);
		KUNIT_EXPECT_EQ_MSG(test, !nra_servers_parse(name, list), i < NRA_SERVER_LEN,
				    "%u characters", i);
	}
}

static struct kunit_case servers_cases[] = {
	KUNIT_CASE(parsed),
	KUNIT_CASE(refused),
	{}
};

static struct kunit_suite servers_suite = {
	.name = "nfs_ra_servers",
	.test_cases = servers_cases,
};

kunit_test_suite(servers_suite);

MODULE_LICENSE("GPL");
