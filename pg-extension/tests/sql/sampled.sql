-- What ANALYZE keeps of split columns are copies: they do not change with the rows, and whoever looks at them looks at no row.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SET abelian.split = always;
CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter, total abelian.decimal_counter, stock abelian.bounded_counter(0), best abelian.max, tags abelian.set);
INSERT INTO page SELECT i, i, i, i, i, ARRAY['t' || i] FROM generate_series(1, 4) i;
-- Frequent values as well as bounds of a histogram.
INSERT INTO page SELECT i, 10, 10, 10, 10, '{ten}' FROM generate_series(10, 15) i;
CREATE PROCEDURE operate() LANGUAGE sql AS $$
  UPDATE page SET likes = likes + 100, total = total + 100.5, stock = stock + 100, best = greatest(best, 100), tags = abelian.add(tags, 'x')
$$;
CALL operate();
ANALYZE page;
CREATE VIEW kept AS
  SELECT attname, most_common_vals::text, histogram_bounds::text FROM pg_stats WHERE tablename = 'page' AND attname <> 'id';
SELECT * FROM kept ORDER BY attname;
CREATE TABLE before AS TABLE kept;
-- Operations of others go by unnoticed.
CALL operate();
SELECT likes::bigint, total::numeric, stock::bigint, best::numeric, tags FROM page WHERE id = 1;
TABLE kept EXCEPT TABLE before;
-- And when their rows are gone.
DELETE FROM page;
TABLE kept EXCEPT TABLE before;
-- A type that is made later is sampled in the same way.
\setenv PGPASSWORD abelian
\connect - abelian
SELECT abelian.create_type('public.highest', 'max(bigint)');
GRANT USAGE ON TYPE highest TO app;
\setenv PGPASSWORD app
\connect - app
SET abelian.split = always;
CREATE TABLE bid (id int PRIMARY KEY, high highest);
INSERT INTO bid SELECT i, i FROM generate_series(1, 3) i;
UPDATE bid SET high = greatest(high, 10 * id);
ANALYZE bid;
SELECT histogram_bounds FROM pg_stats WHERE tablename = 'bid' AND attname = 'high';
UPDATE bid SET high = greatest(high, 100);
SELECT histogram_bounds FROM pg_stats WHERE tablename = 'bid' AND attname = 'high';
