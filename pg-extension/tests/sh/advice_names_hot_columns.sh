#!/usr/bin/env bash
# abelian.advise_types() names the columns whose updates wait for each other and would not under another type: a counter, also where a
# function adds to it, a bounded counter where something is taken if there is enough, and a greatest value; not a column
# that the update reads otherwise, nor one of a table where nobody waits. Whoever may not read the statements learns nothing.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGDATABASE=abelian

query() { # role, options of psql
  local role=$1
  shift
  PGUSER=$role PGPASSWORD=$role "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 "$@"
}

expect() { # what, expected, seen
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

prepare() {
  query abelian -c "ALTER SYSTEM SET shared_preload_libraries = abelian, pg_stat_statements"
  "$repository/scripts/node" stop "$node"
  "$repository/scripts/node" start "$node"
  query abelian -c 'CREATE EXTENSION pg_stat_statements' -c "ALTER DATABASE abelian SET pg_stat_statements.track = 'all'" -c "CREATE ROLE stranger LOGIN PASSWORD 'stranger'" -c 'CREATE SCHEMA shop AUTHORIZATION app' \
    -c 'ALTER ROLE app IN DATABASE abelian SET search_path = shop' -c 'SELECT pg_stat_statements_reset()' >/dev/null
  query app -c 'CREATE TABLE page (id bigint PRIMARY KEY, likes bigint NOT NULL DEFAULT 0)' -c 'CREATE TABLE auction (id bigint PRIMARY KEY, bid numeric(12, 2))' \
    -c 'CREATE TABLE item (id bigint PRIMARY KEY, stock bigint)' -c 'CREATE TABLE cold (id bigint PRIMARY KEY, n bigint)' \
    -c 'CREATE TABLE visit (day date PRIMARY KEY, n integer)' -c "INSERT INTO visit VALUES ('2024-05-05', 0)" \
    -c "CREATE FUNCTION visit(date) RETURNS void LANGUAGE plpgsql AS 'BEGIN UPDATE visit SET n = n + 1 WHERE day = \$1; END'" \
    -c 'CREATE INDEX ON auction (bid)' -c 'INSERT INTO page VALUES (1)' -c 'INSERT INTO auction VALUES (1)' -c 'INSERT INTO item VALUES (1, 10)' \
    -c 'INSERT INTO cold SELECT i, 0 FROM generate_series(1, 100) i'
}

# A statement that has been run before, as those of a usual load, and that two sessions wait to run beside a third.
contend() { # statement, how many there are by then
  query app -c "$1"
  PGAPPNAME=contender query app -c 'BEGIN' -c "$1" -c 'SELECT pg_sleep(60)' >/dev/null 2>&1 &
  until [ "$(query app -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'contender' AND wait_event = 'PgSleep'")" = "$2" ]; do sleep 0.1; done
  for _ in 1 2; do PGAPPNAME=contender query app -c "$1" >/dev/null 2>&1 & done
  until [ "$(query app -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'contender' AND wait_event_type = 'Lock'")" = $((2 * $2)) ]; do sleep 0.1; done
}

advice() { # role
  query "$1" -c 'SELECT "table", "column", type, advice, operation, waiting, relieved, at_most, statement, alter_table FROM abelian.advise_types('"'0.5 s')"
}

main() {
  local hindrance seen
  prepare
  query app -c 'UPDATE cold SET n = n + 1'
  expect "nobody waits" '' "$(advice app)"
  contend 'UPDATE page SET likes = likes + 1 WHERE id = 1' 1
  contend 'UPDATE auction SET bid = greatest(bid, 20.5) WHERE id = 1' 2
  contend 'UPDATE item SET stock = stock - 1 WHERE id = 1 AND stock > 0' 3
  contend "SELECT visit('2024-05-05')" 4
  for seen in app abelian; do
    expect "advice for $seen" "shop.auction|bid|numeric(12,2)|abelian.max_numeric|greatest|2.0|2.0|3.0|UPDATE auction SET bid = greatest(bid, \$1) WHERE id = \$2|ALTER TABLE shop.auction ALTER COLUMN bid TYPE abelian.max_numeric
shop.item|stock|bigint|abelian.bounded_counter(0)|take|2.0|2.0|3.0|UPDATE item SET stock = stock - \$1 WHERE id = \$2 AND stock > \$3|ALTER TABLE shop.item ALTER COLUMN stock TYPE abelian.bounded_counter(0)
shop.page|likes|bigint|abelian.counter|add|2.0|2.0|3.0|UPDATE page SET likes = likes + \$1 WHERE id = \$2|ALTER TABLE shop.page ALTER COLUMN likes TYPE abelian.counter
shop.visit|n|integer|abelian.counter|add|2.0|2.0|3.0|UPDATE visit SET n = n + \$2 WHERE day = \$1|ALTER TABLE shop.visit ALTER COLUMN n TYPE abelian.counter" \
      "$(PGOPTIONS='-c search_path=public -c client_min_messages=warning' advice $seen)"
  done
  expect "advice for a stranger" '' "$(PGOPTIONS='-c client_min_messages=warning' advice stranger)"
  hindrance=$(query app -c "SELECT hindrances FROM abelian.advise_types('0.1 s') WHERE \"column\" = 'bid'")
  expect "hindrances" 'index shop.auction_bid_idx: drop it, an Abelian column cannot be indexed
numeric(12,2): the new type does not round' "$hindrance"
  expect "another search path" '' "$(PGOPTIONS='-c client_min_messages=warning' query app -c "SELECT \"table\" FROM abelian.advise_types('0.1 s', search_path => 'public')")"
  query abelian -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'contender'" >/dev/null
  wait
  # What was advised is true of the column. The first operation on a row that was converted gives its value an identity.
  query app -c 'ALTER TABLE page ALTER COLUMN likes TYPE abelian.counter' -c 'UPDATE page SET likes = likes + 1'
  PGAPPNAME=contender query app -c 'BEGIN' -c 'UPDATE page SET likes = likes + 1 WHERE id = 1' -c 'SELECT pg_sleep(60)' >/dev/null 2>&1 &
  until [ "$(query app -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'contender' AND wait_event = 'PgSleep'")" = 1 ]; do sleep 0.1; done
  query app -c "SET lock_timeout = '20 s'" -c 'UPDATE page SET likes = likes + 1 WHERE id = 1'
  query abelian -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'contender'" >/dev/null
  wait
}

main
