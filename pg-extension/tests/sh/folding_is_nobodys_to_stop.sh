#!/usr/bin/env bash
# Slices are folded while somebody who may not do anything to databases asks for it again and again, and after commands on databases that fail for those who may.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

split() {
  query 'SET abelian.split = always; UPDATE t SET c = c + 1'
  [ "$(query 'SELECT count(*) FROM abelian.slice WHERE slot <> 0')" -gt 0 ] || fail 'nothing was split'
}

wait_until_folded() { # after what
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    if [ "$(query 'SELECT count(*) FROM abelian.slice WHERE slot <> 0')" -eq 0 ]; then return; fi
    sleep 0.1
  done
  fail "not folded $1"
}

# Until there is a file.
disturb() { # file, commands
  while [ ! -e "$1" ]; do
    PGUSER=app PGPASSWORD=app "$bindir/psql" -X -q >/dev/null 2>&1 <<<"$2" || true
  done
}

main() {
  local stop strangers='ALTER DATABASE nowhere RENAME TO x; ALTER DATABASE postgres RENAME TO x; ALTER DATABASE postgres SET TABLESPACE x; DROP DATABASE nowhere; DROP DATABASE postgres; CREATE DATABASE x TEMPLATE postgres;'
  stop=$(mktemp -u)
  query 'CREATE EXTENSION abelian'
  query 'CREATE TABLE t (id int PRIMARY KEY, c abelian.counter)'
  query 'INSERT INTO t SELECT i, 0 FROM generate_series(1, 20) i'
  query 'ALTER SYSTEM SET abelian.fold_after = 0'
  query 'SELECT pg_reload_conf()' >/dev/null
  query 'UPDATE t SET c = c + 1'

  split
  # So many of them that no worker would come to its first round between two.
  (for _ in 1 2 3 4 5 6 7 8 9 10; do cat <<<"$strangers"; done) >"$stop.sql"
  disturb "$stop" "$(cat "$stop.sql")" &
  wait_until_folded 'while strangers disturb'
  touch "$stop"
  wait
  rm -f "$stop" "$stop.sql"

  # Commands of a superuser that fail late: the worker has left by then, and comes back.
  split
  "$bindir/psql" -X -q -c 'ALTER DATABASE postgres SET TABLESPACE nowhere' 2>/dev/null && fail 'there is no such tablespace'
  "$bindir/psql" -X -q -c 'CREATE DATABASE copy TEMPLATE postgres TABLESPACE nowhere' 2>/dev/null && fail 'there is no such tablespace'
  "$bindir/psql" -X -q -c 'DROP DATABASE postgres' 2>/dev/null && fail 'it is in use'
  "$bindir/psql" -X -q -d template1 -c 'ALTER DATABASE postgres RENAME TO template1' 2>/dev/null && fail 'that exists'
  wait_until_folded 'after commands that failed'

  # And one that succeeds.
  split
  "$bindir/psql" -X -q -d template1 -c 'CREATE DATABASE copy TEMPLATE postgres' -c 'ALTER DATABASE copy RENAME TO other' -c 'DROP DATABASE other'
  wait_until_folded 'after commands that succeeded'

  # A worker that is cancelled goes on.
  split
  query "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE backend_type LIKE 'abelian folding%'" >/dev/null
  wait_until_folded 'after cancelling the worker'
  [ "$(query 'SELECT sum(c) FROM t')" -eq $((20 * 5)) ] || fail 'operations were lost'
}

main
