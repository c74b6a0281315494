-- The hottest rows: those that sessions wait for now, those whose values are split, and the columns that would gain from a type whose operations commute.
-- Runs on: node, as a member of pg_monitor. It tells about that node alone.

-- Rows that sessions wait for at this moment.
SELECT w."table", w."column", w.key, count(DISTINCT w.pid) AS sessions, max(w.operation) AS operation
  FROM abelian.waits w WHERE w."table" IS NOT NULL
 GROUP BY w."table", w."column", w.key ORDER BY sessions DESC, w."table"::text LIMIT 10;

-- Values that several transactions added to lately, the most contended first.
SELECT s."table", s."column", s.slices FROM abelian.split_objects s ORDER BY s.slices DESC, s."table"::text, s."column" LIMIT 10;

-- Tables by rows that were updated, and the share of updates that needed no new index entries: tables with hot rows should have a high one.
SELECT t.relid::regclass AS "table", t.n_tup_upd AS updates, round(100.0 * t.n_tup_hot_upd / nullif(t.n_tup_upd, 0)) AS percent_without_index
  FROM pg_stat_user_tables t WHERE t.schemaname <> 'abelian' ORDER BY t.n_tup_upd DESC, t.relid::regclass::text LIMIT 5;

-- Under the usual load, with pg_stat_statements: SELECT * FROM abelian.advise_types();
