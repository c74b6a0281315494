-- What is split: values of which a part lies in slices beside their rows, since several transactions added to them at once.
-- Runs on: node, as a member of pg_monitor. It tells about that node alone.

-- By column. A few are a sign of hot rows; many that stay say that nothing folds them, or that an old transaction needs their parts.
SELECT s."table", s."column", count(*) AS values, sum(s.slices) AS slices, max(s.slices) AS most_slices
  FROM abelian.split_objects s
 GROUP BY s."table", s."column"
 ORDER BY slices DESC, s."table"::text, s."column";

-- What was done since the server started: in rows, in slices, and how often transactions met at a value.
SELECT * FROM abelian.statistics;

-- Who keeps parts from being folded: transactions that are older than a minute, and prepared ones.
SELECT a.pid::text AS who, a.usename, date_trunc('second', clock_timestamp() - a.xact_start) AS age, a.state
  FROM pg_stat_activity a WHERE a.xact_start < clock_timestamp() - interval '1 minute' AND a.datname = current_database()
UNION ALL
SELECT x.gid, x.owner, date_trunc('second', clock_timestamp() - x.prepared), 'prepared'
  FROM pg_prepared_xacts x WHERE x.prepared < clock_timestamp() - interval '1 minute' AND x.database = current_database()
 ORDER BY age DESC;
