#!/usr/bin/env bash
# abelian.waits names the prepared transaction that a session waits for, for an object and for a row, before and after kill -9 of the server;
# and who keeps a session waiting before the gate of an object, where PostgreSQL knows of no wait.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

expect() { # what, expected, seen
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

# What the view says of somebody who runs the statement and gives up after it was looked at.
seen_waiting() { # statement
  local waiter seen
  PGAPPNAME=waiter query -c "SET statement_timeout = '60s'" -c "$1" >/dev/null 2>&1 &
  waiter=$!
  for _ in {1..300}; do
    seen=$(query -c 'SELECT "table", "column", key, operation, blocked_by, prepared, blocker_operation, blocker_waits, blocker_statement FROM abelian.waits')
    if [ -n "$seen" ]; then break; fi
    sleep 0.1
  done
  query -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waiter'" >/dev/null
  wait "$waiter" || true
  printf '%s\n' "$seen"
}

# Who waits before a gate, for whom; nobody once the session has given up.
check_gate() {
  local holder holder_pid gone
  PGAPPNAME=holder query -c 'SET abelian.phaser = on' -c 'BEGIN' -c 'UPDATE page SET likes = likes + 1 WHERE id = 2' -c 'SELECT pg_sleep(60)' >/dev/null 2>&1 &
  holder=$!
  for _ in {1..300}; do
    holder_pid=$(query -c "SELECT pid FROM pg_stat_activity WHERE application_name = 'holder' AND wait_event = 'PgSleep'")
    if [ -n "$holder_pid" ]; then break; fi
    sleep 0.1
  done
  expect "a gate" "page|likes|(id)=(2)|overwrite|$holder_pid||add|f|SELECT pg_sleep(60)" \
    "$(PGOPTIONS='-c abelian.phaser=on -c deadlock_timeout=60s' seen_waiting 'UPDATE page SET likes = 8 WHERE id = 2')"
  gone=$(query -c 'SELECT count(*) FROM abelian.waits')
  expect "a gate that was left" 0 "$gone"
  query -c "SELECT pg_terminate_backend($holder_pid)" >/dev/null
  wait "$holder" || true
}

check() { # when
  expect "an object, $1" 'page|likes|(id)=(1)|overwrite||object|add|f|' "$(seen_waiting 'UPDATE page SET likes = 8 WHERE id = 1')"
  expect "a row, $1" 'page||(id)=(2)|FOR NO KEY UPDATE||row||f|' "$(seen_waiting "UPDATE page SET title = 'c' WHERE id = 2")"
}

main() {
  query -c 'CREATE EXTENSION abelian' -c 'CREATE TABLE page (id int PRIMARY KEY, title text, likes abelian.counter)'
  query -c "INSERT INTO page VALUES (1, 'a', 0), (2, 'b', 0)"
  query -c 'ALTER DATABASE postgres SET abelian.split = always'
  check_gate
  query -c 'BEGIN' -c 'UPDATE page SET likes = likes + 1 WHERE id = 1' -c "PREPARE TRANSACTION 'object'"
  query -c 'BEGIN' -c "UPDATE page SET title = 'd' WHERE id = 2" -c "PREPARE TRANSACTION 'row'"
  check "before the crash"
  "$repository/scripts/node" kill "$node"
  "$repository/scripts/node" start "$node"
  check "after the crash"
}

main
