-- Bulk statements over columns of every type stay below a bound of locks: operations in slices and in rows, overwrites, locking clauses, deletes.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SET abelian.lock_escalation = 50;
CREATE TABLE kind (type text PRIMARY KEY, literal text, operation text, other text);
INSERT INTO kind VALUES
  ('counter', '5', 'c + 1', 'c - 2'),
  ('decimal_counter', '5', 'c + 0.5', 'c - 1'),
  ('bounded_counter(0)', '5', 'c - 1', 'c + 3'),
  ('bounded_decimal(2)', '5', 'c - 1.25', 'c + 3'),
  ('max', '5', 'greatest(c, 9)', NULL),
  ('min', '5', 'least(c, 1)', NULL),
  ('bool_or', 'false', 'c OR true', NULL),
  ('bool_and', 'true', 'c AND false', NULL),
  ('ordered_put', NULL, $$abelian.put(c, 1, 'x')$$, $$abelian.put_least(c, 1, 'y')$$),
  ('top_k', NULL, $$abelian.add(c, 1, 'x')$$, NULL),
  ('set', '{x}', $$abelian.add(c, 'y')$$, $$abelian.remove(c, 'x')$$),
  ('multiset', '{"x": 1}', $$abelian.add(c, 'y')$$, $$abelian.remove(c, 'x')$$),
  ('scored_set', '{"x": 1}', $$abelian.add(c, 'y', 1)$$, $$abelian.put(c, 'x', 2)$$),
  ('dict', '{"x": "y"}', $$abelian.put(c, 'y', 'z')$$, $$abelian.remove(c, 'x')$$),
  ('lww_map', NULL, $$abelian.put(c, 'y', 1::numeric, '1')$$, $$abelian.remove(c, 'x', 2::numeric)$$),
  ('summary_bag', NULL, $$abelian.add(c, 1)$$, NULL);
-- No type is forgotten: the rest are like max, min and top_k, or have no operations.
SELECT typname FROM pg_type WHERE typnamespace = 'abelian'::regnamespace AND typtype = 'b' AND typcategory <> 'A' AND NOT typname::text IN (SELECT split_part(type, '(', 1) FROM kind) ORDER BY 1;

-- Abstract locks that the transaction holds.
CREATE FUNCTION held() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND objsubid > 11000 $$;
CREATE TABLE result (type text, what text, split text, held bigint);
CREATE PROCEDURE bulk(one kind, what text, statement text) LANGUAGE plpgsql AS $$
DECLARE
  mode text;
BEGIN
  FOREACH mode IN ARRAY ARRAY['auto', 'always', 'never'] LOOP
    PERFORM set_config('abelian.split', mode, false);
    EXECUTE format('CREATE TABLE bulk (id int PRIMARY KEY, note text, c abelian.%s)', one.type);
    EXECUTE format('INSERT INTO bulk SELECT i, ''n'', %s FROM generate_series(1, 400) i', CASE one.type WHEN 'top_k' THEN 'abelian.top_k(3)' ELSE format('%L::abelian.%s', one.literal, one.type) END);
    COMMIT;
    EXECUTE 'UPDATE bulk SET c = ' || one.operation || ' WHERE id <= 10'; -- some are split
    COMMIT;
    EXECUTE statement;
    INSERT INTO result VALUES (one.type, what, mode, held());
    COMMIT;
    DROP TABLE bulk;
  END LOOP;
END $$;
CREATE PROCEDURE every_bulk() LANGUAGE plpgsql AS $$
DECLARE
  one kind;
BEGIN
  FOR one IN SELECT * FROM kind ORDER BY type LOOP
    CALL bulk(one, 'operation', 'UPDATE bulk SET c = ' || one.operation);
    CALL bulk(one, 'conditional', format('UPDATE bulk SET c = %s WHERE note = ''n''', one.operation));
    CALL bulk(one, 'operation beside a plain column', format('UPDATE bulk SET c = %s, note = ''m''', one.operation));
    CALL bulk(one, 'other operation', 'UPDATE bulk SET c = ' || coalesce(one.other, one.operation));
    CALL bulk(one, 'overwrite', format('UPDATE bulk SET c = %L', one.literal));
    CALL bulk(one, 'plain column', 'UPDATE bulk SET note = ''m''');
    CALL bulk(one, 'locking clause', 'DO ''BEGIN PERFORM 1 FROM bulk FOR UPDATE; END''');
    CALL bulk(one, 'sharing clause', 'DO ''BEGIN PERFORM 1 FROM bulk FOR SHARE; END''');
    CALL bulk(one, 'delete', 'DELETE FROM bulk');
  END LOOP;
END $$;
CALL every_bulk();
SELECT what, split, max(held) <= 160 AS bounded, max(held) FILTER (WHERE held > 160), string_agg(type, ' ' ORDER BY type) FILTER (WHERE held > 160) FROM result GROUP BY what, split ORDER BY what, split;
SELECT count(*) FROM result;
-- The same beside strict reads, from the first of which on operations in rows are known by locks on their objects, too.
TRUNCATE result;
CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter);
INSERT INTO page VALUES (1, 5);
SET abelian.strict_reads = on;
SELECT likes FROM page;
RESET abelian.strict_reads;
CALL every_bulk();
SELECT what, split, max(held) <= 160 AS bounded, max(held) FILTER (WHERE held > 160), string_agg(type, ' ' ORDER BY type) FILTER (WHERE held > 160) FROM result GROUP BY what, split ORDER BY what, split;
SELECT count(*) FROM result;
