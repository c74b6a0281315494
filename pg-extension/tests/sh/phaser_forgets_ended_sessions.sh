#!/usr/bin/env bash
# Sessions that are terminated while they wait for their turn before an object, or hold it, leave nobody behind at its gate; nor does a crash.
# Under a load that has all of this, nothing is lost.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres
export PGOPTIONS='-c abelian.phaser=on -c abelian.strict_reads=on -c abelian.split=always'
clients=24
kills=16 # each ends a client, in turns by terminating and by cancelling
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

cat >"$work/load.sql" <<'SQL'
\set first random(0, 1)
BEGIN;
\if :first
UPDATE t SET c = c + 1 WHERE id = 1;
SELECT c FROM t WHERE id = 2;
UPDATE committed SET n = n + 1 WHERE client = :client_id;
\else
SELECT c FROM t WHERE id = 1;
UPDATE t SET c = c + 1 WHERE id = 2;
UPDATE committed SET n = n + 1 WHERE client = :client_id;
\endif
END;
SQL

nobody_left() {
  local left
  left=$(query "SELECT abelian.figure('in_phases')")
  [ "$left" = 0 ] || fail "$left are left at gates"
}

main() {
  local load i end
  query 'CREATE EXTENSION abelian'
  query 'CREATE TABLE t (id int PRIMARY KEY, c abelian.counter NOT NULL)'
  query 'INSERT INTO t VALUES (1, 0), (2, 0)'
  query 'CREATE TABLE committed (client int PRIMARY KEY, n bigint NOT NULL)'
  query "INSERT INTO committed SELECT i, 0 FROM generate_series(0, $((clients - 1))) i"
  "$bindir/pgbench" -n -c $clients -j 2 -T 6 --max-tries=100 -f "$work/load.sql" >"$work/out" 2>"$work/err" &
  load=$!
  for ((i = 0; i < kills; i++)); do
    sleep 0.2
    if ((i % 2)); then end=pg_terminate_backend; else end=pg_cancel_backend; fi
    query "SELECT $end(pid) FROM pg_stat_activity WHERE application_name = 'pgbench' ORDER BY random() LIMIT 1" >/dev/null
  done
  wait $load || true
  [ "$(query "SELECT abelian.figure('phaser_waits') > 0")" = t ] || fail "nobody waited for a turn"
  nobody_left
  [ "$(query 'SELECT (SELECT sum(c) FROM t) = (SELECT sum(n) FROM committed)')" = t ] || fail "operations were lost or applied twice"
  "$bindir/pgbench" -n -c $clients -j 2 -T 30 -f "$work/load.sql" >"$work/out" 2>"$work/err" &
  load=$!
  sleep 1
  "$repository/scripts/node" kill "$node"
  wait $load || true
  "$repository/scripts/node" start "$node"
  nobody_left
  [ "$(query 'SELECT (SELECT sum(c) FROM t) = (SELECT sum(n) FROM committed)')" = t ] || fail "operations were lost or applied twice"
}

main
