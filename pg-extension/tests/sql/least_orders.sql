-- put_least of ordered_put: the payload with the least order, in the row and in slices, by numbers and by times; it is an operation.
CREATE TABLE least (way text PRIMARY KEY, n abelian.ordered_put, t abelian.ordered_put);
INSERT INTO least VALUES ('row'), ('slices');
EXPLAIN (COSTS off) UPDATE least SET n = abelian.put_least(n, 2, 'two') WHERE way = 'row';
CREATE PROCEDURE put_all(chosen text) LANGUAGE sql AS $$
  UPDATE least SET n = abelian.put_least(n, 2, 'two'), t = abelian.put_least(t, timestamptz '2024-01-02 00:00Z', 'second') WHERE way = chosen;
  UPDATE least SET n = abelian.put_least(n, 1.5, 'less') WHERE way = chosen;
  UPDATE least SET n = abelian.put_least(n, 3, 'three'), t = abelian.put_least(t, timestamptz '2024-01-01 00:00Z', 'first') WHERE way = chosen;
  UPDATE least SET n = abelian.put_least(n, NULL::numeric, 'none'), t = abelian.put_least(t, timestamptz '2024-01-03 00:00Z', 'third') WHERE way = chosen;
$$;
CALL put_all('row');
SET abelian.split = always;
CALL put_all('slices');
RESET abelian.split;
SELECT way, n, abelian.least_order_of(n) AS least, t, to_timestamp(abelian.least_order_of(t)) = '2024-01-01 00:00Z' AS at_first FROM least ORDER BY way;
-- As array_agg would have it, of many.
UPDATE least SET n = NULL;
DO $$ BEGIN FOR i IN 1..50 LOOP UPDATE least SET n = abelian.put_least(n, (i * 37) % 51, 'p' || i); END LOOP; END $$;
SELECT n::text = (SELECT 'p' || i FROM generate_series(1, 50) i ORDER BY (i * 37) % 51 LIMIT 1) AS same FROM least;
