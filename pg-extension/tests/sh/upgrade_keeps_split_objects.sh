#!/usr/bin/env bash
# Values survive pg_upgrade, pg_dumpall, and pg_dump with a parallel pg_restore, from a server with split objects of every type; operations and
# folding go on there. So does the choice of the schema where the names of what users of a cluster call lie.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

old=$1 old_port=$2
new=${old}_standby # the name under which an interrupted run's second node is found
new_port=$(free_port 0)
folder=$nodes/$new
export PGHOST=127.0.0.1 PGUSER=abelian PGPASSWORD=abelian
values="SELECT string_agg(concat_ws(' ', id, c, d, b, m, v), ', ' ORDER BY id) FROM t"
names="SELECT string_agg(DISTINCT pronamespace::regnamespace::text, ', ') FROM pg_proc WHERE proname LIKE 'create\_distributed\_%'"
work=$(mktemp -d)
trap '"$repository/scripts/node" drop "$new" 2>/dev/null || true; rm -rf "$work"' EXIT

at() { # port, database, statements
  "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -p "$1" -d "$2" -c "$3"
}

expect() { # what it is, expected, printed
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

# The same in every copy: operations on the objects that came with it, and on new ones, which must not meet them.
goes_on() { # what it is, port, database
  expect "$1: names" abelian_names "$(at "$2" "$3" "$names")"
  expect "$1: values" '1 209 110.25 9 200 14.25, 2 12 10.5 9 20 9.50, 3 209 110.25 9 200 14.25' "$(at "$2" "$3" "$values")"
  at "$2" "$3" 'SET abelian.split = always; UPDATE t SET c = c + 1, d = d + 1, b = b - 1, m = greatest(m, 210), v = v - 1'
  at "$2" "$3" 'INSERT INTO t SELECT i, 0, 0, 1, 0 FROM generate_series(4, 50) i; SET abelian.split = always; UPDATE t SET c = c + 1 WHERE id > 3'
  expect "$1: values after operations" '1 210 111.25 8 210 13.25, 2 13 11.5 8 210 8.50, 3 210 111.25 8 210 13.25' "$(at "$2" "$3" "${values/FROM t/FROM t WHERE id < 4}")"
  expect "$1: new objects" '47|47' "$(at "$2" "$3" 'SELECT sum(c), sum(b) FROM t WHERE id > 3')"
  if at "$2" "$3" 'UPDATE t SET b = b - 9 WHERE id = 1' 2>/dev/null; then fail "$1: the floor does not hold"; fi
  if at "$2" "$3" 'UPDATE t SET v = v - 0.01 WHERE id = 2' 2>/dev/null; then fail "$1: the CHECK does not hold"; fi
  wait_for_folding "$2" "$3"
  expect "$1: values after folding" '1 210 111.25 8 210 13.25, 2 13 11.5 8 210 8.50, 3 210 111.25 8 210 13.25' "$(at "$2" "$3" "${values/FROM t/FROM t WHERE id < 4}")"
}

wait_for_folding() { # port, database
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    if [ "$(at "$1" "$2" 'SELECT count(*) > 0 AND bool_and(slot = 0) FROM abelian.slice')" = t ]; then return; fi
    sleep 0.1
  done
  fail "slices are not folded on port $1"
}

# Rows 1 and 3 are split, 2 in the row.
fill() {
  "$repository/scripts/node" stop "$old"
  printf 'abelian.fold_interval = 0\n' | as_database_user tee -a "$(data "$old")/postgresql.conf" >/dev/null
  "$repository/scripts/node" start "$old"
  at "$old_port" postgres 'CREATE DATABASE first'
  at "$old_port" first 'CREATE EXTENSION abelian_cluster CASCADE; SELECT abelian.names_in_catalog(false)'
  at "$old_port" first 'CREATE TABLE t (id int PRIMARY KEY, c abelian.counter, d abelian.decimal_counter, b abelian.bounded_counter(0), m abelian.max, v abelian.bounded_decimal(2) DEFAULT 10 CHECK (v >= 8.5))'
  at "$old_port" first 'INSERT INTO t SELECT i, 10, 10, 10, 10 FROM generate_series(1, 3) i'
  at "$old_port" first 'SET abelian.split = never; UPDATE t SET c = c + 2, d = d + 0.5, b = b - 1, m = greatest(m, 20), v = v - 0.5'
  at "$old_port" first 'SET abelian.split = always; UPDATE t SET c = c + 200, d = d + 100, b = b + 5, m = greatest(m, 200), v = v + 5 WHERE id <> 2'
  at "$old_port" first 'SET abelian.split = always; UPDATE t SET c = c - 3, d = d - 0.25, b = b - 5, m = greatest(m, 50), v = v - 0.25 WHERE id <> 2'
  expect 'split objects' '10' "$(at "$old_port" first 'SELECT count(*) FROM abelian.split_objects')"
}

data() { "$repository/scripts/node" data "$1"; }

# A server of the new cluster's kind, with the settings of the old one but for the port, and with folding.
new_cluster() {
  as_database_user mkdir -p -m 700 "$folder"
  as_database_user rm -rf "$folder/data"
  as_database_user "$bindir/initdb" -D "$folder/data" -U abelian -E UTF8 --locale=C.UTF-8 --no-instructions --no-sync >/dev/null 2>&1
  as_database_user cp "$(data "$old")/postgresql.conf" "$(data "$old")/pg_hba.conf" "$folder/data"
  printf "port = %s\nabelian.fold_interval = 1s\n" "$new_port" | as_database_user tee -a "$folder/data/postgresql.conf" >/dev/null
  printf '%s\n' "$new_port" | as_database_user tee "$folder/port" >/dev/null
}

restore_dump() {
  "$bindir/pg_dump" -p "$old_port" -d first -F directory -f "$work/first"
  at "$old_port" postgres 'CREATE DATABASE second'
  "$bindir/pg_restore" -p "$old_port" -d second -j 2 --exit-on-error "$work/first"
  expect 'pg_restore: names' abelian_names "$(at "$old_port" second "$names")"
  expect 'pg_restore' "$(at "$old_port" first "$values")" "$(at "$old_port" second "$values")"
  at "$old_port" postgres 'DROP DATABASE second'
}

upgrade() {
  "$repository/scripts/node" stop "$old"
  as_database_user sh -c "cd '$folder' && exec pg_upgrade --no-sync -U abelian -b '$bindir' -B '$bindir' -d '$(data "$old")' -D '$folder/data' -p $old_port -P $new_port -s '$folder'" \
    >"$work/upgrade" 2>&1 || {
    cat "$work/upgrade"
    as_root find "$folder/data/pg_upgrade_output.d" -type f -name '*.log' -exec tail -n 30 {} +
    fail "pg_upgrade failed"
  }
  "$repository/scripts/node" start "$new"
  goes_on 'pg_upgrade' "$new_port" first
  expect 'the tables of split objects' 't' "$(at "$new_port" first 'SELECT string_agg(DISTINCT "table"::text, $$,$$) FROM abelian.split_objects')"
}

# Into the cluster that pg_upgrade made: its roles are there already.
restore_all() { # dump
  at "$new_port" postgres 'DROP DATABASE first'
  at "$new_port" postgres 'DROP DATABASE abelian'
  "$bindir/psql" -X -q -p "$new_port" -d postgres -f "$1" >/dev/null 2>"$work/restored"
  if grep 'ERROR' "$work/restored" | grep -v -E 'role "[a-z_]+" already exists'; then fail "the dump of all is not restored"; fi
  goes_on 'pg_dumpall' "$new_port" first
}

main() {
  fill
  restore_dump
  "$bindir/pg_dumpall" -p "$old_port" >"$work/all.sql"
  new_cluster
  upgrade
  restore_all "$work/all.sql"
}

main
