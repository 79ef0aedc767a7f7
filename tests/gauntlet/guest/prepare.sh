# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What prepare() of a case may call, in a chroot of the host.

# Start Debian's PostgreSQL in $DIR/pg, with small buffers, and stop it when prepare() ends. pg_prepare
pg_prepare() {
	local bin
	bin=$(echo /usr/lib/postgresql/*/bin)
	mkdir -p /run/postgresql "$DIR/pg"
	chmod 755 /root "$DIR"
	chown postgres: /run/postgresql "$DIR/pg"
	su postgres -c "$bin/initdb -D $DIR/pg -A trust --no-sync > /dev/null"
	cat >> "$DIR/pg/postgresql.conf" <<- 'END'
		listen_addresses = ''
		shared_buffers = 8MB
		max_wal_size = 64MB
		min_wal_size = 32MB
		wal_level = minimal
		max_wal_senders = 0
		autovacuum = off
		jit = off
		fsync = off
		effective_io_concurrency = 1
	END
	su postgres -c "$bin/pg_ctl -D $DIR/pg -w -l /run/postgresql/log start > /dev/null"
}

pg_prepared() {
	local bin
	bin=$(echo /usr/lib/postgresql/*/bin)
	su postgres -c "psql -q -c 'VACUUM (FREEZE, ANALYZE)'"
	su postgres -c "$bin/pg_ctl -D $DIR/pg -w stop > /dev/null"
}


# The tables of most PostgreSQL cases: t of 84 MiB with a random column k, d1 to d4, and pgbench's. The answer of the
# queries for a range of k is in the file answer.
pg_tables() {
	pg_prepare
	su postgres -c "psql -q -v ON_ERROR_STOP=1" <<- 'END'
		CREATE TABLE t WITH (parallel_workers = 8) AS
		    SELECT i, (i * 7919::bigint % 1000003)::int AS k, repeat(md5(i::text), 16) AS pad FROM generate_series(1, 150000) i;
		CREATE INDEX t_k ON t (k);
		CREATE TABLE d1 AS SELECT i, repeat(md5(i::text), 16) || 'x' AS pad FROM generate_series(1, 20000) i;
		CREATE TABLE d2 AS SELECT * FROM d1;
		CREATE TABLE d3 AS SELECT * FROM d1;
		CREATE TABLE d4 AS SELECT * FROM d1;
	END
	su postgres -c "$(echo /usr/lib/postgresql/*/bin)/pgbench -i -q -s 2 postgres" > /dev/null 2>&1
	su postgres -c "psql -qAt" > "$DIR/answer" <<< "SELECT count(*), sum(i) FROM t WHERE k BETWEEN 100000 AND 115000"
	pg_prepared
}

# A table of rows of nearly 8 KiB, which hardly cost CPU time. pg_fat_table [ROWS]
pg_fat_table() {
	local rows=${1:-65536}
	pg_prepare
	su postgres -c "psql -q -v ON_ERROR_STOP=1" <<- END
		CREATE TABLE t (i int, pad text) WITH (parallel_workers = 8);
		ALTER TABLE t ALTER pad SET STORAGE PLAIN;
		INSERT INTO t SELECT i, repeat(md5(i::text), 240) FROM generate_series(1, $rows) i;
	END
	pg_prepared
}

# A table of sysbench, about 60 MiB.
mariadb_tables() {
	mkdir base
	chmod 755 /root "$DIR"
	chown mysql: base
	mariadb-install-db --no-defaults --user=mysql "--datadir=$DIR/base" --auth-root-authentication-method=normal > /dev/null
	mariadbd --no-defaults --user=mysql "--datadir=$DIR/base" --socket=/run/mysqld.sock --pid-file=/run/mysqld.pid --skip-networking \
		> /dev/null 2>&1 &
	for _ in $(seq 100); do
		! mariadb -S /run/mysqld.sock -e "SELECT 1" > /dev/null 2>&1 || break
		sleep 0.2
	done
	mariadb -S /run/mysqld.sock -e "CREATE DATABASE IF NOT EXISTS test"
	sysbench oltp_read_only --mysql-socket=/run/mysqld.sock --mysql-user=root --mysql-db=test --tables=1 --table-size=250000 \
		--rand-seed=1 prepare > /dev/null
	mariadb -S /run/mysqld.sock -N -e "SELECT count(*), sum(k) FROM test.sbtest1" > answer
	mariadb-admin -S /run/mysqld.sock shutdown
	wait
}
