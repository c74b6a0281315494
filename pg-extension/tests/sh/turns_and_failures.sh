#!/usr/bin/env bash
# A transaction that has gone before others and is prepared then stays before them until it has ended, also over kill -9 of the server, and no longer:
# then additions look for nobody any more. Who waits for its turn keeps to statement_timeout.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres
export PGOPTIONS='-c abelian.split=always -c statement_timeout=60s'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

expect() { # what, expected, seen
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

ahead() { query "SELECT abelian.figure('ahead')"; }

# The SQLSTATE of an addition that waits for 100 ms at most.
add() {
  "$bindir/psql" -X -q -A -t -v VERBOSITY=sqlstate -c "SET lock_timeout = '100ms'" -c 'UPDATE page SET likes = likes + 1' 2>&1 || true
}

until_there() { # what there must be in pg_locks
  query "DO \$\$ BEGIN LOOP EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE $1); PERFORM pg_sleep(0.01); END LOOP; END \$\$"
}

# Two add to one object and read it; the first one goes before the second, and is prepared.
go_before() {
  cat >"$work/first.sql" <<'SQL'
SET abelian.split = never; -- in the row, for which the other waits
BEGIN;
UPDATE page SET likes = likes + 1;
DO $$ BEGIN LOOP EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted); PERFORM pg_sleep(0.01); END LOOP; END $$;
SELECT likes FROM page;
PREPARE TRANSACTION 'first';
SQL
  "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -f "$work/first.sql" >"$work/first" &
  first=$!
  until_there "granted AND mode = 'RowExclusiveLock' AND relation = 'page'::regclass"
  "$bindir/psql" -X -q -A -t -c 'BEGIN' -c 'UPDATE page SET likes = likes + 1' -c 'SELECT likes FROM page' -c 'COMMIT' >"$work/second" 2>&1 &
  second=$!
  wait "$first"
}

# Who waits looks again and again by a timeout of its own. If the statement's fires at the same time, since the process got no time meanwhile,
# the statement is cancelled all the same.
check_statement_timeout() {
  local holder waiter pid
  "$bindir/psql" -X -q -c 'BEGIN' -c 'UPDATE page SET likes = likes + 1' -c "DO \$\$ BEGIN LOOP EXIT WHEN EXISTS (SELECT FROM pg_class WHERE relname = 'over'); PERFORM pg_sleep(0.01); END LOOP; END \$\$" &
  holder=$!
  until_there 'granted AND objsubid = 11001'
  "$bindir/psql" -X -q -A -t -v VERBOSITY=sqlstate -c "SET statement_timeout = '2s'" -c 'BEGIN' -c 'UPDATE page SET likes = likes + 1' -c 'SELECT likes FROM page' >"$work/waiter" 2>&1 &
  waiter=$!
  until_there 'NOT granted AND objsubid = 11001'
  pid=$(query 'SELECT pid FROM pg_locks WHERE NOT granted AND objsubid = 11001')
  kill -STOP "$pid"
  sleep 2.5
  kill -CONT "$pid"
  wait "$waiter" || true
  query 'CREATE TABLE over ()'
  wait "$holder"
  expect "the read" 'ERROR:  57014' "$(cat "$work/waiter")"
}

main() {
  query 'CREATE EXTENSION abelian'
  query 'CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter NOT NULL)'
  query 'INSERT INTO page VALUES (1, 0)'
  expect "an addition" '' "$(add)"
  expect "nobody has gone before anybody" 0 "$(ahead)"

  go_before
  expect "the first read" 2 "$(cat "$work/first")"
  expect "prepared before the second" 1 "$(ahead)"
  expect "who comes while it is prepared" 'ERROR:  55P03' "$(add)"
  query "COMMIT PREPARED 'first'"
  wait "$second"
  expect "the second read" 3 "$(cat "$work/second")"
  expect "after its commit" 0 "$(ahead)"

  check_statement_timeout

  go_before
  expect "the third read" 4 "$(cat "$work/first")"
  "$repository/scripts/node" kill "$node"
  wait "$second" || true
  "$repository/scripts/node" start "$node"
  expect "who comes after the crash" 'ERROR:  55P03' "$(add)"
  expect "still prepared" 1 "$(ahead)"
  query "ROLLBACK PREPARED 'first'"
  expect "after its end" 0 "$(ahead)"
  expect "who comes then" '' "$(add)"
  expect "all that was committed" 4 "$(query 'SELECT likes FROM page')"
}

main
