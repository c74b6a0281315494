-- What it has printed runs through the router.
\set ECHO none
\o :scratch/placement.sql
\i sql/migration/from_citus.sql
\o
\set ECHO all
\i :scratch/placement.sql
SELECT relation, method, columns, colocation_id = min(colocation_id) OVER () AS in_the_first_group,
       (SELECT count(*) FROM abelian.partition p WHERE p.colocation_id = t.colocation_id) AS partitions
  FROM abelian.distributed_tables t WHERE relation::text IN ('tenant', 'invoice', 'event', 'currency', 'note') ORDER BY relation::text;
INSERT INTO tenant VALUES (1, 'acme');
INSERT INTO invoice VALUES (7, 1, 99);
SELECT name, total FROM tenant JOIN invoice USING (tenant_id);
DROP SCHEMA citus_catalogue CASCADE;
