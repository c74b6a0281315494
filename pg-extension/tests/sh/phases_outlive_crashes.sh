#!/usr/bin/env bash
# With abelian.phaser, locks are released before the commit is on disk. Kill -9 of all server processes: no acknowledged operation is lost, and nothing is
# lost that a transaction has read whose end was acknowledged.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres
rounds=3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

in_phases='-c abelian.phaser=on -c abelian.strict_reads=on -c abelian.split=always'

# All processes of the server.
find_server() {
  local postmaster
  postmaster=$(as_root head -n 1 "$("$repository/scripts/node" data "$node")/postmaster.pid")
  mapfile -t server < <(printf '%s\n' "$postmaster" && pgrep -P "$postmaster")
}

cat >"$work/load.sql" <<'SQL'
BEGIN;
SELECT c FROM t WHERE id = 1;
UPDATE t SET c = c + 1 WHERE id = 2;
END;
SQL

operations_under_load() {
  local acknowledged sum load
  PGOPTIONS=$in_phases "$bindir/pgbench" -n -c 8 -j 2 -T 60 -f "$work/load.sql" >"$work/out" 2>"$work/err" &
  load=$!
  sleep 2
  find_server
  as_root kill -KILL "${server[@]}"
  wait $load || true
  acknowledged=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$work/out")
  "$repository/scripts/node" start "$node"
  sum=$(query 'SELECT c FROM t WHERE id = 2')
  printf 'acknowledged %s, stored %s\n' "$acknowledged" "$sum"
  [ "$sum" -ge "$acknowledged" ] || fail "acknowledged operations were lost"
}

# Reads again and again until the value is there that a transaction has just added, whose flush takes a tenth of a second; then kills at once, so that
# nobody has the time to write anything.
reads_of_what_is_not_yet_on_disk() { # what must be read
  local seen=-1 stored tries writer client
  rm -f "$work/writer"
  mkfifo "$work/writer"
  PGOPTIONS=$in_phases "$bindir/psql" -X -q <"$work/writer" >/dev/null 2>&1 &
  writer=$!
  exec 7>"$work/writer"
  coproc reader { exec "$bindir/psql" -X -q -A -t; }
  client=${reader_PID:-}
  sleep 1
  find_server
  printf 'UPDATE t SET c = c + 1 WHERE id = 1;\n' >&7
  for ((tries = 0; tries < 10000 && seen < $1; tries++)); do
    printf 'SELECT c FROM t WHERE id = 1;\n' >&"${reader[1]}"
    read -r seen <&"${reader[0]}"
  done
  as_root kill -KILL "${server[@]}"
  exec 7>&-
  kill "$writer" "$client" 2>/dev/null || true
  wait "$writer" "$client" || true
  [ "$seen" = "$1" ] || fail "read $seen, not $1"
  "$repository/scripts/node" start "$node"
  stored=$(query 'SELECT c FROM t WHERE id = 1')
  printf 'read %s, stored %s\n' "$seen" "$stored"
  [ "$stored" -ge "$seen" ] || fail "what was read is lost"
}

main() {
  local round
  query 'CREATE EXTENSION abelian'
  query 'CREATE TABLE t (id int PRIMARY KEY, c abelian.counter NOT NULL)'
  query 'INSERT INTO t VALUES (1, 0), (2, 0)'
  operations_under_load
  query 'ALTER SYSTEM SET commit_delay = 100000'
  query 'ALTER SYSTEM SET commit_siblings = 0'
  query "ALTER SYSTEM SET wal_writer_delay = '10s'"
  query 'SELECT pg_reload_conf()' >/dev/null
  for ((round = 1; round <= rounds; round++)); do reads_of_what_is_not_yet_on_disk $round; done
}

main
