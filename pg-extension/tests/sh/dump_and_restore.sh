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

main() {
  local sums='SELECT sum(c), sum(d), count(*) FROM t'
  query postgres 'CREATE DATABASE first'
  query first 'CREATE EXTENSION abelian'
  query first "CREATE TABLE t (id int PRIMARY KEY, c abelian.counter DEFAULT 1, d abelian.decimal_counter DEFAULT '1.5')"
  query first 'INSERT INTO t SELECT i, i, i FROM generate_series(1, 100) i'
  query first 'SET abelian.split = always; UPDATE t SET c = c + 1, d = d + 0.01'
  expect 'values' '5150|5051.00|100' "$(query first "$sums")"

  "$bindir/pg_dump" -d first >"$repository/target/dump.sql"
  query postgres 'CREATE DATABASE second'
  "$bindir/psql" -X -q -v ON_ERROR_STOP=1 -d second -f "$repository/target/dump.sql" >/dev/null
  rm "$repository/target/dump.sql"
  expect 'restored values' '5150|5051.00|100' "$(query second "$sums")"
  query second 'UPDATE t SET c = c + 1'
  query second 'INSERT INTO t (id) VALUES (101)'
  expect 'restored values go on' '5251|5052.50|101' "$(query second "$sums")"
  expect 'the original does not' '5150|5051.00|100' "$(query first "$sums")"

  query first 'SET abelian.split = always; UPDATE t SET c = c + 1'
  query postgres 'CREATE DATABASE third TEMPLATE first'
  query third 'SET abelian.split = always; UPDATE t SET c = c + 1'
  expect 'the copy' '5350|5051.00|100' "$(query third "$sums")"
  expect 'its template' '5250|5051.00|100' "$(query first "$sums")"
  query postgres 'ALTER DATABASE third RENAME TO fourth'
  query fourth 'SET abelian.split = always; UPDATE t SET c = c + 1'
  expect 'renamed' '5450|5051.00|100' "$(query fourth "$sums")"
  query postgres 'DROP DATABASE fourth'
  query postgres 'DROP DATABASE first'
  query postgres 'DROP DATABASE second'
}

main
