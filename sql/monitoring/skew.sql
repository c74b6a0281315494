-- Skew of nodes: how many partitions and rows of a table each node has, and which keys have most rows.
-- Runs on: cluster. Give the table and its distribution column: psql -v table=sale -v key=shop_id -f sql/monitoring/skew.sql

SELECT p.node_id, p.host, count(*) AS partitions
  FROM abelian.partitions p JOIN abelian.placement t ON t.colocation_id = p.colocation_id
 WHERE t.relation = :'table'::regclass
 GROUP BY p.node_id, p.host ORDER BY p.node_id;

-- Rows by node. The share should be about the same everywhere; a node with much more has keys with many rows.
SELECT abelian.node_of(:'table', k.key::text) AS node_id, count(*) AS keys, sum(k.rows) AS rows,
       round(100 * sum(k.rows) / sum(sum(k.rows)) OVER (), 1) AS percent
  FROM (SELECT :"key" AS key, count(*) AS rows FROM :"table" GROUP BY :"key") k
 GROUP BY 1 ORDER BY 1;

-- The keys with most rows: a partition of their own helps them (distribution by lookup, abelian.place_key).
SELECT :"key" AS key, count(*) AS rows FROM :"table" GROUP BY :"key" ORDER BY rows DESC, key LIMIT 5;
