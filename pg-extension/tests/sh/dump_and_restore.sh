#!/usr/bin/env bash
# pg_dump writes values, a restore makes objects of its own; databases with split objects can be copied, renamed and dropped while they are folded.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }

expect() { # what it is, expected, printed
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

# PostgreSQL waits 5 s for others to leave the database, in which the folding worker may need longer on a busy machine.
copy_database() {
  local try
  for try in 1 2 3; do
    query postgres 'CREATE DATABASE third TEMPLATE first' && return
    [ "$try" -lt 3 ] || fail 'the database could not be copied'
  done
}

main() {
  local look="SELECT string_agg(concat_ws(' ', id, high, any_of, round(mean, 1), total), ', ' ORDER BY id) FROM u" types='1 20 t 1.5 7, 2 20 1.5 7'
  local sums='SELECT sum(c), sum(d), count(*) FROM t'
  query postgres 'CREATE DATABASE first'
  query first 'CREATE EXTENSION abelian_cluster CASCADE'
  # A type of one's own depends on its aggregate, and what is not in its value is dumped too.
  query first "CREATE FUNCTION plus(int, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT \$1 + \$2'"
  query first 'CREATE AGGREGATE total(int) (SFUNC = plus, STYPE = int, COMBINEFUNC = plus, PARALLEL = SAFE)'
  query first "SELECT abelian.create_type('mean', 'avg(bigint)'), abelian.create_type('total', 'public.total(int)')" >/dev/null
  # shellcheck disable=SC2016 # the dollars are the function's
  query first 'CREATE FUNCTION twice(total, int) RETURNS total LANGUAGE sql AS $$ SELECT abelian.add(abelian.add($1, $2), $2) $$'
  query first "SECURITY LABEL FOR abelian ON FUNCTION twice(total, int) IS 'operation'"
  query first 'CREATE TABLE u (id int PRIMARY KEY, high abelian.max, any_of abelian.bool_or, mean mean, total total)'
  query first 'INSERT INTO u VALUES (1, 10, false), (2, NULL, NULL)'
  query first 'SET abelian.split = always; UPDATE u SET high = greatest(high, 20), any_of = any_of OR id = 1, mean = abelian.add(mean, 1), total = abelian.add(total, 5)'
  query first 'SET abelian.split = always; UPDATE u SET high = greatest(high, 15), mean = abelian.add(mean, 2), total = twice(total, 1)'
  expect 'values of types over aggregates' "$types" "$(query first "$look")"
  query first "CREATE TYPE mood AS ENUM ('bad', 'fair', 'good')"
  query first "SELECT abelian.create_type('best_mood', 'max(mood)')" >/dev/null
  query first 'CREATE TABLE k (id int PRIMARY KEY, d abelian.dict, s abelian.set, ticket abelian.unique_id, m abelian.lww_map, best best_mood)'
  query first "INSERT INTO k VALUES (1, '{\"a\": \"1\", \"b\": \"2\"}', '{a,b}', 0)"
  query first "SET abelian.split = always; UPDATE k SET d = abelian.remove(abelian.put(d, 'a', '3'), 'b'), s = abelian.remove(s, 'a'), ticket = abelian.draw(ticket)"
  query first "UPDATE k SET m = abelian.remove(abelian.put(m, 'a', 5, '[1]'), 'b', 7), best = abelian.add(best, 'fair')"
  local elements='SELECT d, s, m::jsonb, best FROM k' draw='UPDATE k SET ticket = abelian.draw(ticket) RETURNING ticket' drawn
  drawn=$(query first "$draw")
  query first "CREATE TABLE t (id int PRIMARY KEY, c abelian.counter DEFAULT 1, d abelian.decimal_counter DEFAULT '1.5')"
  query first 'INSERT INTO t SELECT i, i, i FROM generate_series(1, 100) i'
  query first 'SET abelian.split = always; UPDATE t SET c = c + 1, d = d + 0.01'
  expect 'values' '5150|5051.00|100' "$(query first "$sums")"

  "$bindir/pg_dump" -d first >"$repository/target/dump.sql"
  query postgres 'CREATE DATABASE second'
  "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -d second -f "$repository/target/dump.sql" >/dev/null
  rm "$repository/target/dump.sql"
  expect 'restored values' '5150|5051.00|100' "$(query second "$sums")"
  expect 'restored values of types over aggregates' "$types" "$(query second "$look")"
  expect 'restored elements' '{"a": "3"}|{b}|{"a": [1]}|fair' "$(query second "$elements")"
  query second "UPDATE k SET d = abelian.put(d, 'b', '4'), s = abelian.remove(abelian.add(s, 'c'), 'b')"
  query second "UPDATE k SET m = abelian.remove(abelian.put(m, 'b', 6, '2'), 'a', 5.5), best = abelian.add(best, 'bad')" # what is older than a removal stays out
  expect 'they can be removed' '{"a": "3", "b": "4"}|{c}|{}|fair' "$(query second "$elements")"
  [ "$(query second "$draw")" -gt "$drawn" ] || fail 'numbers are drawn again after a restore'
  query second 'SET abelian.split = always; UPDATE u SET high = greatest(high, 25), mean = abelian.add(mean, 9), total = twice(total, 1)'
  query second 'SET abelian.split = always; UPDATE u SET high = greatest(high, 30)'
  expect 'they go on' '1 30 t 4.0 9, 2 30 4.0 9' "$(query second "$look")"
  expect 'in slices' 't' "$(query second 'SELECT count(*) > 0 FROM abelian.slice')"
  query second 'UPDATE t SET c = c + 1'
  query second 'INSERT INTO t (id) VALUES (101)'
  expect 'restored values go on' '5251|5052.50|101' "$(query second "$sums")"
  expect 'the original does not' '5150|5051.00|100' "$(query first "$sums")"

  query first 'SET abelian.split = always; UPDATE t SET c = c + 1'
  copy_database
  query third 'SET abelian.split = always; UPDATE t SET c = c + 1'
  expect 'the copy' '5350|5051.00|100' "$(query third "$sums")"
  expect 'its template' '5250|5051.00|100' "$(query first "$sums")"
  query postgres 'ALTER DATABASE third RENAME TO fourth'
  query fourth 'SET abelian.split = always; UPDATE t SET c = c + 1'
  expect 'renamed' '5450|5051.00|100' "$(query fourth "$sums")"
  query postgres 'DROP DATABASE fourth'
  query postgres 'DROP DATABASE first'
  query postgres 'DROP DATABASE second'
  a_dump_of_a_node_is_no_node_until_it_is_asked_to_be
}

a_dump_of_a_node_is_no_node_until_it_is_asked_to_be() {
  local problems="SELECT count(*) FROM abelian.preflight() WHERE problem NOT LIKE 'fsync is off%'" catalog='SELECT abelian.catalog()::jsonb' placed
  query postgres 'CREATE DATABASE first'
  query first 'CREATE EXTENSION abelian_cluster CASCADE'
  query first "SET abelian.placement_version = 2147483647; SELECT abelian.add_node('127.0.0.1', 1), abelian.add_node('127.0.0.1', 2)" >/dev/null
  query first 'CREATE TABLE t (id int PRIMARY KEY, n int)'
  # shellcheck disable=SC2016 # the dollars are the procedure's
  query first 'CREATE PROCEDURE p(k int) LANGUAGE sql AS $$ UPDATE t SET n = 1 WHERE id = k $$'
  query first "SET abelian.placement_version = 2147483647; SELECT create_distributed_table('t', 'id')" >/dev/null
  query first "SET abelian.placement_version = 2147483647; SELECT create_distributed_procedure('p(int)', 'k', 't')" >/dev/null
  placed=$(query first "$catalog")
  expect 'problems of a node' 0 "$(query first "$problems")"

  "$bindir/pg_dump" -d first >"$repository/target/dump.sql"
  query postgres 'CREATE DATABASE second'
  "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -d second -f "$repository/target/dump.sql" >/dev/null
  rm "$repository/target/dump.sql"
  expect 'nodes and tables of a restored dump' '0 0' "$(query second 'SELECT concat_ws($$ $$, (SELECT count(*) FROM abelian.node), (SELECT count(*) FROM abelian.placement))')"
  expect 'its problem' 'this database was restored from a dump of one node, and has no placement, procedures and nodes' "$(query second "SELECT problem FROM abelian.preflight() WHERE problem NOT LIKE 'fsync is off%'")"
  query second 'SELECT abelian.install_catalog(catalog) FROM abelian.catalog_for_dumps' >/dev/null
  expect 'the node' "$placed" "$(query second "$catalog")"
  expect 'its problems' 0 "$(query second "$problems")"
  query postgres 'DROP DATABASE first'
  query postgres 'DROP DATABASE second'
}

main
