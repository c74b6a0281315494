#!/usr/bin/env bash
# Kill -9 of all server processes under load, again and again: no acknowledged operation is lost, none is applied twice, whether it was done in
# the row, in a slice, or prepared; slices of prepared transactions survive, and folding goes on.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres
clients=16
rounds=4
seconds=2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

# Ten rows, so that some are contended and some are not; one operation in ten is prepared first.
cat >"$work/load.sql" <<'SQL'
\set id random(1, 10)
UPDATE t SET c = c + 1, d = d + 0.01 WHERE id = :id;
SQL
cat >"$work/prepared.sql" <<'SQL'
\set id random(1, 10)
\set n random(1, 1000000000)
BEGIN;
UPDATE t SET c = c + 1, d = d + 0.01 WHERE id = :id;
PREPARE TRANSACTION 'crash_:n';
COMMIT PREPARED 'crash_:n';
SQL

processed() { sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$1"; }

check() { # acknowledged so far, possible so far
  local sum same
  sum=$(query 'SELECT sum(c) FROM t')
  same=$(query 'SELECT bool_and(c::bigint = d * 100) FROM t')
  printf 'acknowledged %s, stored %s, at most %s\n' "$1" "$sum" "$2"
  [ "$sum" -ge "$1" ] || fail "acknowledged operations were lost"
  [ "$sum" -le "$2" ] || fail "operations were applied twice"
  [ "$same" = t ] || fail "a transaction is there in parts"
}

main() {
  local round acknowledged=0 in_doubt=0 prepared
  query 'CREATE EXTENSION abelian'
  query 'CREATE TABLE t (id int PRIMARY KEY, c abelian.counter NOT NULL, d abelian.decimal_counter NOT NULL)'
  query 'INSERT INTO t SELECT i, 0, 0 FROM generate_series(1, 10) i'
  for ((round = 1; round <= rounds; round++)); do
    "$bindir/pgbench" -n -c $clients -j 2 -T 60 -f "$work/load.sql@9" -f "$work/prepared.sql@1" >"$work/out" 2>"$work/err" &
    sleep $seconds
    "$repository/scripts/node" kill "$node"
    wait $! || true
    acknowledged=$((acknowledged + $(processed "$work/out")))
    in_doubt=$((in_doubt + clients))
    "$repository/scripts/node" start "$node"
    # Whoever was between PREPARE and COMMIT PREPARED is in doubt: resolve to commit.
    for prepared in $(query "SELECT gid FROM pg_prepared_xacts WHERE database = 'postgres'"); do
      query "UPDATE t SET c = c + 1, d = d + 0.01 WHERE id = 1" # beside the prepared one
      acknowledged=$((acknowledged + 1))
      query "COMMIT PREPARED '$prepared'"
    done
    check $acknowledged $((acknowledged + in_doubt))
  done
  [ "$(query 'SELECT count(*) > 0 FROM abelian.slice')" = t ] || fail "the load did not split anything"
}

main
