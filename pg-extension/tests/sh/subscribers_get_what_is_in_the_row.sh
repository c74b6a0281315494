#!/usr/bin/env bash
# Logical decoding gives the part of a value that is in the row. Of a published table that is the value, whatever the settings of sessions: subscribers
# follow, with counters and with plain columns, from the first copy on. Where nothing is published, slices are decoded as the rows they are.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian
values="SELECT string_agg(concat_ws(' ', id, c, d, b, m), ', ' ORDER BY id) FROM t"

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }

expect() { # what it is, expected, printed
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

# What a decoder gets for the statements since the last time; without what differs from run to run.
decoded() {
  query source "SELECT data FROM pg_logical_slot_get_changes('reader', NULL, NULL, 'include-xids', 'false')" |
    { grep '^table' || true; } | sed -E 's/(relation|object|slot)\[[a-z]*\]:[0-9]+/\1/g; s/ amount.*//'
}

# Until every subscriber has what was committed before.
follow() {
  local target tries
  target=$(query source 'SELECT pg_current_wal_insert_lsn()')
  for ((tries = 0; tries < 300; tries++)); do
    if [ "$(query source "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= '$target' AND state = 'streaming'")" = 2 ] &&
      [ "$(query with_counters "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel")" = t ] &&
      [ "$(query with_columns "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel")" = t ]; then return; fi
    sleep 0.1
  done
  fail "a subscriber does not follow"
}

same() { # what was done
  local expected
  follow
  expected=$(query source "$values")
  expect "$1: counters" "$expected" "$(query with_counters "$values")"
  expect "$1: plain columns" "$expected" "$(query with_columns "$values")"
}

subscribe() { # database, types of the columns
  query "$1" "CREATE TABLE t (id int PRIMARY KEY, $2)"
  query source "SELECT pg_create_logical_replication_slot('$1', 'pgoutput')" >/dev/null
  query "$1" "CREATE SUBSCRIPTION $1 CONNECTION 'host=127.0.0.1 port=$PGPORT user=abelian password=abelian dbname=source'
    PUBLICATION p WITH (create_slot = false, slot_name = '$1')"
}

main() {
  local database
  "$repository/scripts/node" stop "$node"
  printf 'wal_level = logical\n' | as_database_user tee -a "$("$repository/scripts/node" data "$node")/postgresql.conf" >/dev/null
  "$repository/scripts/node" start "$node"
  for database in source with_counters with_columns; do query postgres "CREATE DATABASE $database"; done
  for database in source with_counters; do query "$database" 'CREATE EXTENSION abelian'; done
  query source 'CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter, b abelian.bounded_counter(0), m abelian.max)'
  query source 'INSERT INTO t SELECT i, 10, 10, 10, 10 FROM generate_series(1, 2) i'

  # Split: a decoder gets the slices, and with a change of the row the part that lies there.
  query source "SELECT pg_create_logical_replication_slot('reader', 'test_decoding')" >/dev/null
  query source 'SET abelian.split = always; UPDATE t SET c = c + 5, m = greatest(m, 15) WHERE id = 1'
  query source 'SET abelian.split = never; UPDATE t SET c = c + 1, d = d + 0.5 WHERE id = 1'
  expect 'what is decoded of a split object' \
    "table abelian.slice: INSERT: object slot relation attribute[smallint]:2 delta[bigint]:5
table abelian.slice: INSERT: object slot relation attribute[smallint]:5 delta[bigint]:null
table public.t: UPDATE: id[integer]:1 c[abelian.counter]:'11' d[abelian.decimal_counter]:'10.5' b[abelian.bounded_counter]:'10' m[abelian.max]:'10'" \
    "$(decoded)"
  query source "SELECT pg_drop_replication_slot('reader')"

  # Publishing joins what is split, and from then on nothing is split, whatever a session asks for.
  query source 'CREATE PUBLICATION p FOR TABLE t'
  expect 'slices after publishing' '0' "$(query source 'SELECT count(*) FROM abelian.slice')"
  query source 'ALTER DATABASE source SET abelian.split = always'
  subscribe with_counters 'c abelian.counter, d abelian.decimal_counter, b abelian.bounded_counter, m abelian.max'
  subscribe with_columns 'c bigint, d numeric, b bigint, m bigint'
  same 'first copy'
  query source 'UPDATE t SET c = c + 1, d = d - 0.25, b = b - 1, m = greatest(m, 40)'
  query source 'INSERT INTO t VALUES (3, 30, 30, 30, 30), (4, 40, 40, 40, 40)'
  query source 'UPDATE t SET c = c + 1 WHERE id = 3; UPDATE t SET b = 7 WHERE id = 3; DELETE FROM t WHERE id = 4'
  same 'operations'
  "$bindir/pgbench" -n -d source -c 4 -j 1 -t 50 -f <(printf 'UPDATE t SET c = c + 1, d = d + 0.01, m = greatest(m, 77) WHERE id = 1;\n') >/dev/null 2>&1
  same 'operations of several sessions'
  expect 'slices of a published table' '0' "$(query source 'SELECT count(*) FROM abelian.slice')"
  expect 'values' '1 217 12.25 9 77, 2 11 9.75 9 40, 3 31 30 7 30' "$(query with_columns "$values")"
  for database in with_counters with_columns; do query "$database" "DROP SUBSCRIPTION $database"; done
}

main
