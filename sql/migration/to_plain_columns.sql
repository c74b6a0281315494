-- Back from Abelian columns to plain ones, for one table or for all of them. Parts of values that lie in slices are added up on the way.
-- Runs on: node; through a router the same statements convert a table on all nodes.
CREATE SCHEMA migration;
SET search_path = migration;

-- What is there.
CREATE TABLE page (id bigint PRIMARY KEY, likes abelian.counter NOT NULL DEFAULT 0, tags abelian.set, seen abelian.max_timestamptz);
CREATE TABLE account (id bigint PRIMARY KEY, balance abelian.decimal_counter DEFAULT 0, credit abelian.bounded_counter(0, 500) DEFAULT 100);
INSERT INTO page VALUES (1, 40, '{red,green}', '2024-05-05Z');
INSERT INTO account VALUES (1);
UPDATE page SET likes = likes + 2;
UPDATE account SET balance = balance + 12.50, credit = credit - 30;

-- One table. Bounds become a CHECK again.
ALTER TABLE account
  ALTER COLUMN balance TYPE numeric(12, 2),
  ALTER COLUMN credit TYPE bigint,
  ADD CHECK (credit BETWEEN 0 AND 500);
SELECT * FROM account;

-- All that is left in this schema: a statement for each table, from the catalogue. Leave out \gexec to see them first.
SELECT format('ALTER TABLE %s %s', c.oid::regclass, string_agg(format('ALTER COLUMN %I TYPE %s', a.attname, t.plain), ', ' ORDER BY a.attnum))
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  -- The plain type is the one to which the column is cast without being asked.
  JOIN LATERAL (SELECT format_type(k.casttarget, NULL) AS plain FROM pg_cast k
                 WHERE k.castsource = a.atttypid AND k.castcontext = 'i' AND k.casttarget <> k.castsource
                   AND EXISTS (SELECT FROM pg_cast b WHERE b.castsource = k.casttarget AND b.casttarget = k.castsource)
                 ORDER BY k.casttarget LIMIT 1) t ON true
  JOIN pg_type y ON y.oid = a.atttypid AND y.typnamespace = 'abelian'::regnamespace
 WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'migration'::regnamespace AND NOT c.relispartition
 GROUP BY c.oid
 ORDER BY c.oid::regclass::text
\gexec

SET timezone = 'UTC';
SELECT * FROM page;
SELECT attrelid::regclass AS table, attname AS column, format_type(atttypid, atttypmod) AS type
  FROM pg_attribute WHERE attrelid IN ('page'::regclass, 'account'::regclass) AND attnum > 0 ORDER BY 1, attnum;

DROP SCHEMA migration CASCADE;
