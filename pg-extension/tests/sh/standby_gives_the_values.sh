#!/usr/bin/env bash
# A streaming standby gives the values of the primary, split and not, also in a session that has read the object before it was split, and what an
# open or prepared transaction has added only once it has committed. Promoted, it goes on: operations, prepared transactions, folding.
# Arguments: name and port of the node, which becomes the primary.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

primary=$1 primary_port=$2
standby=${primary}_standby
standby_port=$(free_port 0)
folder=$nodes/$standby
export PGHOST=127.0.0.1 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres
values="SELECT string_agg(concat_ws(' ', id, c, d, b, m), ', ' ORDER BY id) FROM t"
work=$(mktemp -d)
trap '"$repository/scripts/node" drop "$standby" 2>/dev/null || true; rm -rf "$work"' EXIT

at() { # port, statements
  "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -p "$1" -c "$2"
}

expect() { # what it is, expected, printed
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

start_standby() {
  as_database_user mkdir -m 700 "$folder"
  as_database_user "$bindir/pg_basebackup" -d "host=127.0.0.1 port=$primary_port user=abelian password=abelian" -D "$folder/data" -R -c fast
  printf "port = %s\n" "$standby_port" | as_database_user tee -a "$folder/data/postgresql.conf" >/dev/null
  printf '%s\n' "$standby_port" | as_database_user tee "$folder/port" >/dev/null
  "$repository/scripts/node" start "$standby"
}

# Until the standby has replayed all that the primary has written.
catch_up() {
  local target tries
  target=$(at "$primary_port" 'SELECT pg_current_wal_insert_lsn()')
  for ((tries = 0; tries < 300; tries++)); do
    if [ "$(at "$standby_port" "SELECT pg_last_wal_replay_lsn() >= '$target'")" = t ]; then return; fi
    # What was written without a COMMIT is sent with the next one.
    at "$primary_port" 'SELECT txid_current()' >/dev/null
    sleep 0.1
  done
  fail "the standby does not catch up"
}

same() { # what was done
  catch_up
  expect "$1" "$(at "$primary_port" "$values")" "$(at "$standby_port" "$values")"
}

# Row 1 is split, 2 folded, 3 in the row, 4 split in the course of the test.
fill() {
  at "$primary_port" 'CREATE EXTENSION abelian'
  at "$primary_port" 'CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter, b abelian.bounded_counter(0), m abelian.max)'
  at "$primary_port" 'INSERT INTO t SELECT i, 10, 10, 10, 10 FROM generate_series(1, 4) i'
  at "$primary_port" 'SET abelian.split = never; UPDATE t SET c = c + 1, d = d + 0.5, b = b - 1'
  split 2
  wait_for_folding "$primary_port"
  at "$primary_port" 'ALTER SYSTEM SET abelian.fold_interval = 0'
  at "$primary_port" 'SELECT pg_reload_conf()' >/dev/null
  split 1
}

split() { # id
  at "$primary_port" "SET abelian.split = always; UPDATE t SET c = c + 100, d = d + 100, b = b + 100, m = greatest(m, 100) WHERE id = $1"
  at "$primary_port" "SET abelian.split = always; UPDATE t SET c = c - 1, d = d - 0.25, b = b - 1, m = greatest(m, 50) WHERE id = $1"
}

wait_for_folding() { # port
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    if [ "$(at "$1" 'SELECT bool_and(slot = 0) FROM abelian.slice')" = t ]; then return; fi
    sleep 0.1
  done
  fail "slices are not folded on port $1"
}

# One session on the standby reads row 4 before and after the primary splits it, then sees the promotion through.
long_session() {
  cat >"$work/later" <<LATER
set -eu
source '$repository/scripts/lib.sh'
at() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -p "\$1" -c "\$2"; }
$(declare -f split catch_up)
primary_port=$primary_port standby_port=$standby_port
split 4
catch_up
LATER
  "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -p "$standby_port" <<SESSION
SELECT c, d, b, m FROM t WHERE id = 4;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT c, d, b, m FROM t WHERE id = 4;
\\! bash $work/later
SELECT c, d, b, m FROM t WHERE id = 4;
COMMIT;
SELECT c, d, b, m FROM t WHERE id = 4;
\\! $repository/scripts/node kill $primary
SELECT pg_promote();
SET abelian.split = always;
UPDATE t SET c = c + 1 WHERE id = 4;
SELECT c, d, b, m FROM t WHERE id = 4;
SESSION
}

main() {
  fill
  start_standby
  same 'after the base backup'
  split 1
  at "$primary_port" 'UPDATE t SET c = c + 7, b = b - 1'
  same 'after operations in rows and slices'
  at "$primary_port" "SET abelian.split = always; BEGIN; UPDATE t SET c = c + 1000, b = b - 5, m = greatest(m, 1000) WHERE id = 1; PREPARE TRANSACTION 'later'"
  same 'beside a prepared transaction'
  at "$primary_port" 'SET abelian.split = always; BEGIN; UPDATE t SET c = c + 5000, d = d + 5000, m = greatest(m, 5000); SELECT txid_current(); ROLLBACK' >/dev/null
  same 'after a rollback'
  at "$primary_port" 'UPDATE t SET c = 3, b = 30 WHERE id = 3'
  same 'after an overwrite'
  expect 'values' '1 216 210.00 206 100, 2 117 110.25 107 100, 3 3 10.5 30 10, 4 18 10.5 8 10' "$(at "$standby_port" "$values")"
  if at "$standby_port" 'UPDATE t SET c = c + 1' 2>"$work/refused"; then fail "a standby took an operation"; fi
  grep -q 'read-only transaction' "$work/refused" || fail "a standby refuses operations with: $(cat "$work/refused")"

  expect 'a session on the standby, and through its promotion' '18|10.5|8|10 18|10.5|8|10 18|10.5|8|10 117|110.25|107|100 t 118|110.25|107|100' \
    "$(long_session | tr '\n' ' ' | sed 's/ $//')"
  at "$standby_port" "COMMIT PREPARED 'later'"
  at "$standby_port" 'UPDATE t SET d = d + 1 WHERE id = 3'
  expect 'values after the promotion' '1 1216 210.00 201 1000, 2 117 110.25 107 100, 3 3 11.5 30 10, 4 118 110.25 107 100' "$(at "$standby_port" "$values")"
  if at "$standby_port" 'UPDATE t SET b = b - 202 WHERE id = 1' 2>"$work/refused"; then fail "the floor does not hold after the promotion"; fi
  at "$standby_port" 'ALTER SYSTEM RESET abelian.fold_interval'
  at "$standby_port" 'SELECT pg_reload_conf()' >/dev/null
  wait_for_folding "$standby_port"
  expect 'values after folding' '1 1216 210.00 201 1000, 2 117 110.25 107 100, 3 3 11.5 30 10, 4 118 110.25 107 100' "$(at "$standby_port" "$values")"
}

main
