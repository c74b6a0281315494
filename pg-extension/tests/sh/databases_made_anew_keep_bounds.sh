#!/usr/bin/env bash
# What a server remembers of the sums of a database that is dropped is not held against, or in favour of, one that gets its number.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

port=$2
export PGHOST=127.0.0.1 PGUSER=abelian PGPASSWORD=abelian

at() { # database, statements
  "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -p "$port" -d "$1" -c "$2"
}

make_anew() {
  at postgres 'DROP DATABASE IF EXISTS anew'
  at postgres 'CREATE DATABASE anew TEMPLATE original OID 70000'
}

at postgres 'CREATE DATABASE original'
at original 'CREATE EXTENSION abelian' 2>/dev/null
at original 'CREATE TABLE item (id int PRIMARY KEY, stock abelian.bounded_counter(0, 100)); INSERT INTO item VALUES (1, 95)'
make_anew
export PGOPTIONS='-c abelian.split=always'
at anew 'UPDATE item SET stock = stock - 60'
at anew 'UPDATE item SET stock = stock + 30'
at anew 'UPDATE item SET stock = stock - 30'
make_anew
if at anew 'UPDATE item SET stock = stock + 30' 2>/dev/null; then
  fail "the ceiling does not hold: the stock is $(at anew 'SELECT stock FROM item')"
fi
[ "$(at anew 'SELECT stock FROM item')" = 95 ] || fail 'the stock has changed'
