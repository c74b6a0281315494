-- Who waits for a lock, for whom, and who is at the root of it: sessions that wait for nobody and keep others waiting.
-- Runs on: node, as a member of pg_monitor. It tells about that node alone.

-- Each pair, the longest waits first.
SELECT w.pid, date_trunc('second', w.waiting) AS waiting, w."table", w."column", w.key, w.part, w.operation,
       coalesce(w.prepared, w.blocked_by::text) AS blocked_by, w.blocker_operation, w.blocker_state, left(w.statement, 60) AS statement
  FROM abelian.waits w
 ORDER BY w.waiting DESC, w.pid, w.blocked_by;

-- Whom to look at first: how many sessions would go on if that one ended. Whoever is `idle in transaction` has forgotten to commit.
WITH RECURSIVE behind AS (
  SELECT w.blocked_by AS root, w.pid FROM abelian.waits w
   WHERE w.blocked_by IS NOT NULL AND NOT EXISTS (SELECT FROM abelian.waits b WHERE b.pid = w.blocked_by)
  UNION
  SELECT b.root, w.pid FROM behind b JOIN abelian.waits w ON w.blocked_by = b.pid
)
SELECT b.root AS pid, count(DISTINCT b.pid) AS sessions_behind, a.usename, a.state, date_trunc('second', clock_timestamp() - a.xact_start) AS transaction_age,
       left(a.query, 60) AS last_statement
  FROM behind b JOIN pg_stat_activity a ON a.pid = b.root
 GROUP BY b.root, a.usename, a.state, a.xact_start, a.query
 ORDER BY sessions_behind DESC, pid;
