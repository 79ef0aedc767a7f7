/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameter servers: a multiple for each server. Pure. */
#ifndef NFS_RA_SERVERS_H
#define NFS_RA_SERVERS_H

#include <linux/types.h>

#include "rule.h"

#define NRA_SERVERS_MAX	16

/**
 * struct nra_server - one server of the list
 * @name: as it is mounted, without brackets
 * @multiple: as &nra_rule.multiple
 */
struct nra_server {
	char name[NRA_SERVER_LEN];
	unsigned int multiple;
};

/**
 * struct nra_servers - the parameter's value
 * @nr: entries in @servers
 * @servers: the servers
 */
struct nra_servers {
	unsigned int nr;
	struct nra_server servers[NRA_SERVERS_MAX];
};

const char *nra_servers_parse(const char *text, struct nra_servers *list);
int nra_servers_print(const struct nra_servers *list, char *buf, int size);
unsigned int nra_servers_multiple(const struct nra_servers *list, const char *name,
				  unsigned int other);

#endif
