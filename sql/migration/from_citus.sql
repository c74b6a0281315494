-- From Citus: prints the statements that give tables the same placement here, from the catalogue of a Citus coordinator (version 10 or newer).
-- Runs on: the coordinator, with psql; its output runs here, through a router:
--   psql -h coordinator -f sql/migration/from_citus.sql > placement.sql
--   pg_dump -h coordinator --schema-only ...    makes the tables here, without what belongs to Citus
--   ./abelian psql -f placement.sql
--   pg_dump -h coordinator --data-only ...      fills them, through the router
\pset format unaligned
\pset tuples_only on
\pset pager off

WITH citus AS (
  SELECT p.logicalrelid AS relation, p.partmethod, p.repmodel, p.colocationid, c.shardcount,
         a.attname AS key, a.atttypid AS key_type,
         first_value(p.logicalrelid) OVER (PARTITION BY p.partmethod, p.colocationid ORDER BY p.logicalrelid::oid) AS leader
    FROM pg_dist_partition p
    LEFT JOIN pg_dist_colocation c ON c.colocationid = p.colocationid
    -- The key is kept as the tree of an expression, which is a column of the table.
    LEFT JOIN pg_attribute a ON a.attrelid = p.logicalrelid AND a.attnum = substring(p.partkey FROM ':varattno (\d+)')::integer
)
SELECT CASE
         WHEN partmethod = 'n' AND repmodel = 't' THEN format('SELECT create_reference_table(%L);', relation::text)
         WHEN partmethod = 'n' THEN format('-- %s is on one node there: it stays on the first node', relation)
         WHEN partmethod <> 'h' THEN format('-- %s is distributed by %s there: give it a rule, see create_distributed_table', relation,
                                            CASE partmethod WHEN 'r' THEN 'range' ELSE 'append' END)
         WHEN key_type NOT IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'uuid'::regtype, 'bool'::regtype, 'date'::regtype)
              THEN format('-- %s is distributed by %I of type %s, which cannot be a distribution column here', relation, key, key_type::regtype)
         WHEN relation = leader THEN format('SELECT create_distributed_table(%L, %L, colocate_with => ''none'', shard_count => %s);', relation::text, key, shardcount)
         ELSE format('SELECT create_distributed_table(%L, %L, colocate_with => %L);', relation::text, key, leader::text)
       END
  FROM citus
 ORDER BY partmethod <> 'n' OR repmodel <> 't', colocationid, relation <> leader, relation::oid;
