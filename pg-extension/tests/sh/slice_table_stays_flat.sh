#!/usr/bin/env bash
# Under operations on a few hot and many cold objects, with folding and vacuum on, the slice table and its index stop growing once every object has
# been split: the median size in the second half of the operations is at most one and a half times that in the first. Medians, because the number of
# slices at any moment depends on how far folding has come. No operation is lost on the way.
# Arguments: name and port of the node. ABELIAN_SOAK_OPERATIONS=5000000 makes a day's worth of it; it prints the sizes as it goes.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres
operations=${ABELIAN_SOAK_OPERATIONS:-96000}
samples=12
clients=4
hot=20 cold=2000
per_transaction=40 # cold objects
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

sample() {
  query "VACUUM abelian.slice"
  query "SELECT pg_relation_size('abelian.slice'), pg_relation_size('abelian.slice_key'), (SELECT count(*) FROM abelian.slice)" | tr '|' ' '
}

median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

main() {
  local n table index slices transactions before after
  local sizes=()
  query 'CREATE EXTENSION abelian'
  query 'CREATE TABLE t (id int PRIMARY KEY, c abelian.counter)'
  query "INSERT INTO t SELECT i, 0 FROM generate_series(1, $((hot + cold))) i"
  for n in fold_interval fold_after hot_for; do query "ALTER SYSTEM SET abelian.$n = '50ms'"; done
  query 'ALTER SYSTEM SET synchronous_commit = off'
  query "ALTER SYSTEM SET autovacuum_naptime = '1s'"
  query 'SELECT pg_reload_conf()' >/dev/null
  query 'ALTER ROLE abelian SET abelian.split = always'
  cat >"$work/load.sql" <<SQL
\\set from random($((hot + 1)), $((hot + cold - per_transaction + 1)))
UPDATE t SET c = c + 1 WHERE id <= $hot OR id BETWEEN :from AND :from + $((per_transaction - 1));
SQL
  transactions=$((operations / samples / clients / (hot + per_transaction)))
  # Everything is split once, so that the first half has as many slices as the second.
  query 'UPDATE t SET c = c + 1'
  for ((n = 1; n <= samples; n++)); do
    "$bindir/pgbench" -n -c $clients -j 1 -t $transactions -f "$work/load.sql" >/dev/null 2>&1
    read -r table index slices < <(sample)
    printf 'after %s operations: %s slices, %s bytes in the table, %s in its index\n' \
      $((n * transactions * clients * (hot + per_transaction))) "$slices" "$table" "$index"
    sizes+=("$((table + index))")
  done
  before=$(median "${sizes[@]:0:samples/2}")
  after=$(median "${sizes[@]:samples/2}")
  [ $((after * 2)) -le $((before * 3)) ] || fail "grows: $before bytes in the first half, $after in the second"
  [ "$(query 'SELECT sum(c) FROM t')" -eq $((hot + cold + samples * transactions * clients * (hot + per_transaction))) ] || fail "operations were lost"
  [ "$(query 'SELECT folds > 0 FROM abelian.statistics')" = t ] || fail "nothing was folded"
  # Left alone, an object keeps one slice at most.
  for ((n = 0; n < 300; n++)); do
    if [ "$(query 'SELECT bool_and(slot = 0) FROM abelian.slice')" = t ]; then return; fi
    sleep 0.1
  done
  fail "slices of idle objects stay"
}

main
