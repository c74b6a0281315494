#!/usr/bin/env bash
# Many clients operate on a few rows with every type over an aggregate, and write what they do into a journal in the same transaction; some roll back to a
# savepoint, some altogether, some prepare; the server is killed again and again. Afterwards each value is exactly what plain SQL makes of the journal.
# Arguments: name and port of the node.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib.sh"

node=$1
export PGHOST=127.0.0.1 PGPORT=$2 PGUSER=abelian PGPASSWORD=abelian PGDATABASE=postgres
rounds=3
seconds=3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

query() { "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }

# What a client does, as SQL over the number :v and the row :id; `operation` is also what the journal is checked against.
operations="high = greatest(high, :v), low = least(low, :v / 7.0), late = greatest(late, to_timestamp(:v)), name = greatest(name, md5(':v')), \
  any_of = any_of OR :v % 5 = 0, all_of = all_of AND :v % 900 <> 1, total = abelian.add(total, :v), mean = abelian.add(mean, :v), n = abelian.add(n), \
  tags = abelian.add(tags, (:v % 50)::text), counts = abelian.add(counts, (:v % 7)::text), scores = abelian.add(scores, (:v % 3)::text, :v / 8.0), \
  best = abelian.add(best, :v % 1000, (:v % 13)::text), lowest = abelian.add(lowest, :v % 1000, (:v % 13)::text), \
  leaders = abelian.add(leaders, :v % 1000, (:v % 13)::text), fastest = abelian.add(fastest, :v % 1000, (:v % 13)::text), newest = abelian.put(newest, :v % 5000, :v::text), \
  last = abelian.put(last, (:v % 4)::text, :v % 3000, to_jsonb(:v)), summary = abelian.add(summary, :v / 16.0)"

cat >"$work/blind.sql" <<SQL
\set id random(1, 6)
\set v random(1, 100000)
BEGIN;
UPDATE t SET $operations WHERE id = :id;
INSERT INTO journal VALUES (:id, :v);
COMMIT;
SQL
cat >"$work/savepoint.sql" <<SQL
\set id random(1, 6)
\set v random(1, 100000)
BEGIN;
UPDATE t SET $operations WHERE id = :id;
INSERT INTO journal VALUES (:id, :v);
SAVEPOINT s;
\set v random(100001, 200000)
UPDATE t SET $operations WHERE id = :id;
ROLLBACK TO s;
COMMIT;
SQL
cat >"$work/rollback.sql" <<SQL
\set id random(1, 6)
\set v random(100001, 200000)
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE t SET $operations WHERE id = :id;
ROLLBACK;
SQL
cat >"$work/prepared.sql" <<SQL
\set id random(1, 6)
\set v random(1, 100000)
\set gid random(1, 1000000000)
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE t SET $operations WHERE id = :id;
INSERT INTO journal VALUES (:id, :v);
PREPARE TRANSACTION 'types_:gid';
COMMIT PREPARED 'types_:gid';
SQL

differences() {
  query "
    SELECT count(*) FROM
      (SELECT id, high::bigint, low::numeric, late::timestamptz, name::text, any_of::boolean, all_of::boolean, total::numeric, mean::numeric, n::bigint, tags::text[], counts::jsonb,
              scores::jsonb, best::jsonb -> 'top' AS best, lowest::jsonb -> 'bottom' AS lowest, leaders::jsonb -> 'top' AS leaders, fastest::jsonb -> 'bottom' AS fastest, newest::text, last::jsonb, concat_ws(' ', abelian.count(summary), abelian.sum(summary), abelian.min(summary), abelian.max(summary),
              round(abelian.var_pop(summary), 6)) AS summary FROM t) t
      FULL JOIN
      (SELECT id, max(v) AS high, min(v / 7.0) AS low, max(to_timestamp(v)) AS late, max(md5(v::text)) AS name, bool_or(v % 5 = 0) AS any_of,
              bool_and(v % 900 <> 1) AS all_of, sum(v) AS total, avg(v::numeric) AS mean, count(*) AS n,
              array_agg(DISTINCT (v % 50)::text COLLATE \"C\" ORDER BY (v % 50)::text COLLATE \"C\") AS tags,
              (SELECT jsonb_object_agg(k, n) FROM (SELECT (v % 7)::text AS k, count(*) AS n FROM journal i WHERE i.id = o.id GROUP BY 1) x) AS counts,
              (SELECT jsonb_object_agg(k, n) FROM (SELECT (v % 3)::text AS k, sum(v / 8.0) AS n FROM journal i WHERE i.id = o.id GROUP BY 1) x) AS scores,
              (SELECT jsonb_agg(jsonb_build_object('score', score, 'item', item) ORDER BY score DESC, item COLLATE \"C\" DESC) FROM
                (SELECT DISTINCT v % 1000 AS score, (v % 13)::text COLLATE \"C\" AS item FROM journal i WHERE i.id = o.id ORDER BY 1 DESC, 2 DESC LIMIT 5) x) AS best,
              (SELECT jsonb_agg(jsonb_build_object('score', score, 'item', item) ORDER BY score, item COLLATE \"C\" DESC) FROM
                (SELECT DISTINCT v % 1000 AS score, (v % 13)::text COLLATE \"C\" AS item FROM journal i WHERE i.id = o.id ORDER BY 1, 2 DESC LIMIT 5) x) AS lowest,
              (SELECT jsonb_agg(jsonb_build_object('score', score, 'item', item) ORDER BY score DESC, item COLLATE \"C\" DESC) FROM
                (SELECT max(v % 1000) AS score, (v % 13)::text COLLATE \"C\" AS item FROM journal i WHERE i.id = o.id GROUP BY 2 ORDER BY 1 DESC, 2 DESC LIMIT 5) x) AS leaders,
              (SELECT jsonb_agg(jsonb_build_object('score', score, 'item', item) ORDER BY score, item COLLATE \"C\" DESC) FROM
                (SELECT min(v % 1000) AS score, (v % 13)::text COLLATE \"C\" AS item FROM journal i WHERE i.id = o.id GROUP BY 2 ORDER BY 1, 2 DESC LIMIT 5) x) AS fastest,
              (array_agg(v::text ORDER BY v % 5000 DESC, v::text COLLATE \"C\" DESC))[1] AS newest,
              (SELECT jsonb_object_agg(k, v) FROM (SELECT DISTINCT ON (v % 4) (v % 4)::text AS k, v FROM journal i WHERE i.id = o.id ORDER BY v % 4, v % 3000 DESC, v::text COLLATE \"C\" DESC) x) AS last,
              concat_ws(' ', count(*), sum(v / 16.0), min(v / 16.0), max(v / 16.0), round(var_pop(v / 16.0), 6)) AS summary
         FROM journal o GROUP BY id) j USING (id)
      WHERE (t.high, t.low, t.late, t.name, t.any_of, t.all_of, t.total, t.mean, t.n, t.tags, t.counts, t.scores, t.best, t.lowest, t.leaders, t.fastest, t.newest, t.last) IS DISTINCT FROM (j.high, j.low, j.late, j.name, j.any_of, j.all_of, j.total, j.mean, j.n, j.tags, j.counts, j.scores, j.best, j.lowest, j.leaders, j.fastest, j.newest, j.last)
            OR t.summary::text IS DISTINCT FROM j.summary::text"
}

main() {
  local round prepared found
  query 'CREATE EXTENSION abelian'
  query "SELECT abelian.create_type('total', 'sum(bigint)'), abelian.create_type('mean', 'avg(numeric)'), abelian.create_type('number', 'count(*)')" >/dev/null
  query 'CREATE TABLE journal (id int, v bigint)'
  query 'CREATE TABLE t (id int PRIMARY KEY, high abelian.max, low abelian.min_numeric, late abelian.max_timestamptz, name abelian.max_text, any_of abelian.bool_or,
                         all_of abelian.bool_and, total total, mean mean, n number, tags abelian.set, counts abelian.multiset, scores abelian.scored_set,
                         best abelian.top_k DEFAULT abelian.top_k(5), lowest abelian.bottom_k DEFAULT abelian.bottom_k(5), leaders abelian.top_items DEFAULT abelian.top_items(5),
                         fastest abelian.bottom_items DEFAULT abelian.bottom_items(5), newest abelian.ordered_put, last abelian.lww_map, summary abelian.summary_bag)'
  query 'INSERT INTO t (id, any_of, all_of) SELECT i, false, true FROM generate_series(1, 6) i'
  for ((round = 1; round <= rounds; round++)); do
    # Even rounds split always: every way of doing an operation meets a crash.
    PGOPTIONS="-c abelian.split=$([ $((round % 2)) -eq 0 ] && echo always || echo auto)" "$bindir/pgbench" -n -c 12 -j 2 -T 60 \
      -f "$work/blind.sql@6" -f "$work/savepoint.sql@2" -f "$work/rollback.sql@1" -f "$work/prepared.sql@1" >"$work/out" 2>"$work/err" &
    sleep $seconds
    "$repository/scripts/node" kill "$node"
    wait $! || true
    "$repository/scripts/node" start "$node"
    for prepared in $(query "SELECT gid FROM pg_prepared_xacts WHERE database = 'postgres'"); do query "COMMIT PREPARED '$prepared'"; done
    if grep -v 'server closed\|terminat\|Run was aborted\|could not\|connection\|before or while\|recovery mode\|starting up' "$work/err" | grep ERROR; then fail "the load met errors"; fi
    found=$(query 'SELECT count(*) FROM journal')
    [ "$found" -gt 0 ] || fail "no transaction committed"
    printf 'round %s: %s operations, %s slices\n' "$round" "$found" "$(query 'SELECT count(*) FROM abelian.slice')"
    [ "$(differences)" = 0 ] || fail "a value is not what its journal says"
  done
  # The check can fail.
  query "UPDATE t SET high = greatest(high, 1000000) WHERE id = 1"
  [ "$(differences)" = 1 ] || fail "the check does not notice a wrong value"
}

main
