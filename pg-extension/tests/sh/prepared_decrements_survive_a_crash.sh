#!/usr/bin/env bash
# What a prepared transaction has taken from a bounded counter, in a slice or in the row, stays taken over kill -9 of the server: others can
# take what is left beside it, wait for what it may give back, and are refused what is not there however it ends.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

# The SQLSTATE of taking so much from an item, 00000 if it was done.
take() { # item, amount
  local said
  said=$("$bindir/psql" -X -q -A -t -v VERBOSITY=sqlstate -c "SET abelian.split = always" -c "SET lock_timeout = '100ms'" \
    -c "UPDATE item SET stock = stock - $2 WHERE id = $1" 2>&1) || true
  case $said in
    'ERROR:  '*) printf '%s\n' "${said#ERROR:  }" ;;
    *) printf '%s\n' "${said:-00000}" ;;
  esac
}

expect() { # what, expected, seen
  [ "$2" = "$3" ] || fail "$1: expected $2, got $3"
}

check() { # item; 5 in stock, 3 of them taken by the prepared transaction
  expect "6 of 5" 23514 "$(take "$1" 6)"
  expect "3 while 3 are prepared" 55P03 "$(take "$1" 3)"
  expect "1 of the 2 left" 00000 "$(take "$1" 1)"
  expect "2 of the 1 left" 55P03 "$(take "$1" 2)"
}

main() {
  query 'CREATE EXTENSION abelian'
  query 'CREATE TABLE item (id int PRIMARY KEY, stock abelian.bounded_counter(0))'
  query 'INSERT INTO item SELECT i, 5 FROM generate_series(1, 2) i'
  printf '%s\n' "SET abelian.split = always; BEGIN; UPDATE item SET stock = stock - 3 WHERE id = 1; PREPARE TRANSACTION 'slice';" \
    "SET abelian.split = auto; BEGIN; UPDATE item SET stock = stock - 3 WHERE id = 2; PREPARE TRANSACTION 'row';" |
    "$bindir/psql" -X -q -v ON_ERROR_STOP=1
  "$repository/scripts/node" kill "$node"
  "$repository/scripts/node" start "$node"
  check 1
  check 2
  query "ROLLBACK PREPARED 'slice'"
  query "COMMIT PREPARED 'row'"
  expect "4 after the rollback" 00000 "$(take 1 4)"
  expect "2 after the commit" 23514 "$(take 2 2)"
  expect "1 after the commit" 00000 "$(take 2 1)"
  expect "what is left" 0,0 "$(query "SELECT string_agg(stock::text, ',' ORDER BY id) FROM item")"
}

main
