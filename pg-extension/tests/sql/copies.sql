-- A copy of a value is a value. Each way of copying is gone over plain columns and over Abelian ones, then the source is operated on: the copy must be
-- what the plain columns give, before as after. What is printed is the name of the way and `same`.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SET abelian.split = always;
CREATE SCHEMA plain;
CREATE SCHEMA parts;
CREATE DOMAIN plain.amount AS bigint CHECK (VALUE >= 0);
CREATE DOMAIN parts.amount AS abelian.counter CHECK (VALUE >= 0);
CREATE TABLE plain.page (id int PRIMARY KEY, gone int, likes bigint, total numeric, tags text[], best bigint, counts jsonb, large text[]);
CREATE TABLE parts.page (id int PRIMARY KEY, gone int, likes abelian.counter, total abelian.decimal_counter, tags abelian.set, best abelian.max, counts abelian.dict, large abelian.set);
ALTER TABLE plain.page DROP COLUMN gone;
ALTER TABLE parts.page DROP COLUMN gone;

-- Runs statements over the plain tables, then over the others.
CREATE PROCEDURE over_each(VARIADIC statements text[]) LANGUAGE plpgsql AS $$
DECLARE
  schema text;
  statement text;
BEGIN
  FOREACH schema IN ARRAY ARRAY['plain', 'parts'] LOOP
    PERFORM set_config('search_path', schema || ', public', false);
    FOREACH statement IN ARRAY statements LOOP
      EXECUTE statement;
    END LOOP;
  END LOOP;
END $$;

-- What the copy in table k is, with the columns' own text.
CREATE FUNCTION copied(schema text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  found text;
BEGIN
  EXECUTE format('SELECT string_agg(k::text, '' '' ORDER BY k::text) FROM %I.k', schema) INTO found;
  RETURN found;
END $$;

CREATE PROCEDURE operate() LANGUAGE plpgsql AS $$
BEGIN
  UPDATE plain.page SET likes = likes + 100, total = total + 0.5, best = greatest(best, likes), tags = array(SELECT DISTINCT x FROM unnest(tags || ('t' || likes)) x ORDER BY 1),
    counts = counts || jsonb_build_object('n' || likes, 'x'), large = array(SELECT DISTINCT x FROM unnest(large || repeat('y', 100)) x ORDER BY 1);
  UPDATE parts.page SET tags = abelian.add(tags, 't' || id), counts = abelian.put(counts, 'n' || id, 'x'), large = abelian.add(large, repeat('y', 100));
  UPDATE parts.page SET likes = likes + 60, total = total + 0.2, best = greatest(best, 1000 + id);
  UPDATE parts.page SET likes = likes + 40, total = total + 0.3, best = greatest(best, 2000 + id);
END $$;

-- Makes the tables of a way anew.
CREATE PROCEDURE begin_way() LANGUAGE plpgsql AS $$
BEGIN
  DROP TABLE IF EXISTS plain.k, parts.k;
  DELETE FROM plain.page;
  DELETE FROM parts.page;
  INSERT INTO plain.page SELECT i, i, i, '{a}', i, '{"k": "v"}', array(SELECT n || repeat('x', 1000) FROM generate_series(100, 119) n) FROM generate_series(1, 3) i;
  INSERT INTO parts.page SELECT i, i, i, '{a}', i, '{"k": "v"}', array(SELECT n || repeat('x', 1000) FROM generate_series(100, 119) n) FROM generate_series(1, 3) i;
  -- A part in the row, and a part in slices.
  UPDATE plain.page SET likes = likes + 20, total = total + 1.5, tags = tags || 'b'::text, best = best + 50, counts = counts || '{"l": "w"}', large = large || repeat('x', 50);
  UPDATE parts.page SET likes = likes + 10, total = total + 0.5;
  UPDATE parts.page SET likes = likes + 10, total = total + 1, tags = abelian.add(tags, 'b'), best = greatest(best, id + 50), counts = abelian.put(counts, 'l', 'w'), large = abelian.add(large, repeat('x', 50));
END $$;

CREATE PROCEDURE end_way(way text) LANGUAGE plpgsql AS $$
DECLARE
  plain text := copied('plain');
  before text := copied('parts');
  after text;
BEGIN
  COMMIT;
  CALL operate();
  COMMIT;
  after := copied('parts');
  IF after IS DISTINCT FROM plain OR before IS DISTINCT FROM plain OR plain IS NULL THEN
    RAISE WARNING '%: % over plain columns, % before and % after operations', way, left(plain, 200), left(before, 200), left(after, 200);
  ELSE
    RAISE WARNING '%: same', way;
  END IF;
END $$;

CREATE PROCEDURE way(name text, VARIADIC statements text[]) LANGUAGE plpgsql AS $$
BEGIN
  CALL begin_way();
  CALL over_each(VARIADIC statements);
  CALL end_way(name);
END $$;
-- Arrays.
CALL way('array_agg', 'CREATE TABLE k AS SELECT array_agg(likes ORDER BY id) a, array_agg(total ORDER BY id) b, array_agg(best ORDER BY id) c, array_agg(DISTINCT likes) d FROM page');
CALL way('array_agg of sets', 'CREATE TABLE k AS SELECT id, array_to_string(array_agg(tags::text), '' '') FROM page GROUP BY id');
CALL way('array in pieces', 'CREATE TABLE k AS SELECT ARRAY[likes, likes] a, ARRAY[[likes, 1], [2, likes]] b FROM page');
CALL way('array of a query', 'CREATE TABLE k AS SELECT ARRAY(SELECT likes FROM page ORDER BY id) a, ARRAY(SELECT likes FROM page UNION SELECT likes FROM page WHERE id = 1 ORDER BY 1) b');
CALL way('array of distinct', 'CREATE TABLE k AS SELECT ARRAY(SELECT DISTINCT likes FROM page ORDER BY likes) a, ARRAY(SELECT likes FROM page ORDER BY likes DESC) b');
CALL way('functions of arrays', 'CREATE TABLE k AS SELECT array_append(ARRAY[likes], likes), array_fill(likes, ARRAY[2]), array_cat(ARRAY[likes], ARRAY[likes]) FROM page');
CALL way('element of an array', 'CREATE TABLE k AS SELECT (array_agg(likes ORDER BY id))[2] FROM page');
CALL way('array changed by element', 'CREATE TABLE k AS SELECT id, array_agg(likes) a FROM page GROUP BY id', 'UPDATE k SET a[2] = page.likes, a[3:4] = ARRAY[page.likes, page.likes] FROM page WHERE page.id = k.id');
CALL way('windows', 'CREATE TABLE k AS SELECT id, array_agg(likes) OVER (ORDER BY id), lag(likes) OVER (ORDER BY id), first_value(page) OVER (ORDER BY id) FROM page');
CALL way('ordered-set', 'CREATE TABLE k AS SELECT mode() WITHIN GROUP (ORDER BY likes), percentile_disc(0.5) WITHIN GROUP (ORDER BY likes) FROM page');

-- Rows.
CALL way('whole rows', 'CREATE TABLE k AS SELECT page FROM page');
CALL way('whole row of a subquery', 'CREATE TABLE k AS SELECT (SELECT p FROM page p WHERE id = 1) AS p');
CALL way('large', 'CREATE TABLE k AS SELECT page, (SELECT array_agg(p ORDER BY id) FROM page p) FROM page WHERE id = 1');
CALL way('a row in pieces', 'CREATE TYPE t AS (a int, b page)', 'CREATE TABLE k AS SELECT ROW(id, page)::t AS r, ARRAY[ROW(1, page)::t] AS a FROM page', 'ALTER TABLE k ALTER r TYPE text USING r::text, ALTER a TYPE text USING a::text', 'DROP TYPE t');
CALL way('records', 'CREATE TABLE k AS SELECT (SELECT (s).likes FROM (SELECT p AS s FROM page p WHERE id = page.id OFFSET 0) s) FROM page');
CALL way('rows of joins', 'CREATE TABLE k AS SELECT a AS a, b AS b, c.p FROM page a JOIN page b USING (id) JOIN LATERAL (SELECT p FROM page p WHERE p.id = a.id) c ON true');
CALL way('outer join', 'CREATE TABLE k AS SELECT a.id, b AS b, coalesce(b, a) c FROM page a LEFT JOIN page b ON b.id = a.id AND b.id = 1');
CALL way('set operations', 'CREATE TABLE k AS SELECT page FROM page UNION ALL SELECT page FROM page');
CALL way('distinct', 'CREATE TABLE k AS SELECT DISTINCT likes FROM page');
CALL way('distinct on', 'CREATE TABLE k AS SELECT DISTINCT ON (likes) likes, total FROM page ORDER BY likes');
CALL way('grouped', 'CREATE TABLE k AS SELECT likes, ARRAY[likes] a, count(*) FROM page GROUP BY likes HAVING likes > 0');
CALL way('insert of rows', 'CREATE TABLE k (n int, p page, a page[])', 'INSERT INTO k SELECT 1, p, ARRAY[p] FROM page p', 'INSERT INTO k (n, p) VALUES (2, (SELECT p FROM page p WHERE id = 1)), (3, (SELECT p FROM page p WHERE id = 2))');
CALL way('update of rows', 'CREATE TABLE k (id int, p page)', 'INSERT INTO k SELECT id FROM page', 'UPDATE k SET p = page FROM page WHERE page.id = k.id', 'UPDATE k SET p.likes = page.likes FROM page WHERE page.id = 1', 'UPDATE k SET (id, p) = (SELECT 7, p FROM page p WHERE p.id = k.id)');
CALL way('upsert of rows', 'CREATE TABLE k (id int PRIMARY KEY, p page)', 'INSERT INTO k SELECT id FROM page', 'INSERT INTO k SELECT id, page FROM page ON CONFLICT (id) DO UPDATE SET p = excluded.p');
CALL way('merge of rows', 'CREATE TABLE k (id int PRIMARY KEY, p page)', 'INSERT INTO k VALUES (1)', 'MERGE INTO k USING page ON page.id = k.id WHEN MATCHED THEN UPDATE SET p = page WHEN NOT MATCHED THEN INSERT VALUES (page.id, page)');
CALL way('common table expressions', 'CREATE TABLE k AS WITH a AS MATERIALIZED (SELECT likes, page FROM page), b AS (SELECT * FROM a) SELECT ARRAY[likes] l, page FROM b');
CALL way('recursion', 'CREATE TABLE k AS WITH RECURSIVE r AS (SELECT 1 AS n, likes, ARRAY[likes] a FROM page WHERE id = 1 UNION ALL SELECT n + 1, page.likes, a || page.likes FROM r JOIN page ON page.id = n + 1) SELECT a FROM r');
CALL way('changes as sources', 'CREATE TABLE k (p page, a text)', 'WITH u AS (UPDATE page SET likes = likes + 1, total = total * 2 RETURNING page, likes) INSERT INTO k SELECT page, ARRAY[likes]::text FROM u', 'WITH d AS (DELETE FROM page WHERE id = 3 RETURNING page) INSERT INTO k SELECT page FROM d');
CALL way('inheritance', 'CREATE TABLE child (extra int) INHERITS (page)', 'INSERT INTO child SELECT id + 10, likes, total, tags, best, counts, large, 7 FROM ONLY page', 'CREATE TABLE k AS SELECT p, tableoid::regclass::text AS t FROM page p', 'DROP TABLE child');

-- Domains.
CALL way('domains', 'CREATE TABLE k (a amount, b amount[])', 'INSERT INTO k SELECT likes, ARRAY[likes::amount] FROM page', 'UPDATE k SET a = (SELECT likes FROM page WHERE id = 2) WHERE a > 22');
CALL way('domains over rows', 'CREATE DOMAIN whole AS page CHECK ((VALUE).id > 0)', 'CREATE DOMAIN several AS page[]', 'CREATE TABLE k AS SELECT page::whole AS w, ARRAY[page]::several AS s FROM page', 'ALTER TABLE k ALTER w TYPE text USING w::text, ALTER s TYPE text USING s::text', 'DROP DOMAIN whole, several');

-- Ranges.
CREATE TYPE parts.span AS RANGE (SUBTYPE = abelian.counter);
CREATE TYPE plain.span AS RANGE (SUBTYPE = bigint);
CALL way('ranges', 'CREATE TABLE k AS SELECT span(likes, NULL), multirange(span(NULL, likes)) AS several FROM page');
CALL way('ranges of one', 'CREATE TABLE k AS SELECT range_agg(span(likes, likes + 1)) FROM page WHERE id = 1');

-- Functions.
CALL over_each('CREATE FUNCTION one(c page) RETURNS page LANGUAGE sql STABLE AS ''SELECT c''',
          'CREATE FUNCTION rows() RETURNS SETOF page LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM page; END',
          'CREATE FUNCTION whole_rows() RETURNS SETOF page LANGUAGE sql STABLE BEGIN ATOMIC SELECT page FROM page; END',
          'CREATE FUNCTION arrays() RETURNS TABLE (a text, p page) LANGUAGE sql STABLE BEGIN ATOMIC SELECT array_agg(likes ORDER BY id)::text, (array_agg(page ORDER BY id))[1] FROM page; END',
          'CREATE FUNCTION quoted() RETURNS SETOF page LANGUAGE sql STABLE AS ''SELECT page FROM page''',
          'CREATE FUNCTION out_parameters(n int, OUT a page, OUT b page[]) LANGUAGE sql STABLE AS ''SELECT page, ARRAY[page] FROM page WHERE id = n''',
          'CREATE FUNCTION by_default(n int DEFAULT 1) RETURNS SETOF page LANGUAGE sql STABLE BEGIN ATOMIC SELECT page FROM page WHERE id = n; END',
          'CREATE FUNCTION returned() RETURNS SETOF page LANGUAGE plpgsql AS ''DECLARE r page; BEGIN FOR r IN SELECT * FROM page LOOP RETURN NEXT r; END LOOP; END''',
          'CREATE FUNCTION kept(p page) RETURNS page LANGUAGE plpgsql AS ''DECLARE q page := p; r record; BEGIN r := q; RETURN r; END''');
CALL way('functions', 'CREATE TABLE k AS SELECT one(page) AS a, kept(page) AS b FROM page');
CALL way('functions in FROM', 'CREATE TABLE k AS SELECT r AS r FROM rows() r UNION ALL SELECT r FROM whole_rows() r UNION ALL SELECT r FROM quoted() r UNION ALL SELECT r FROM returned() r UNION ALL SELECT r FROM by_default() r');
CALL way('arrays of functions', 'CREATE TABLE k AS SELECT a.a, a.p AS p, o.b FROM arrays() a, out_parameters(2) o');
CALL way('arrays over functions', 'CREATE TABLE k AS SELECT array_agg(likes ORDER BY id) FROM rows()');
CREATE FUNCTION parts.grouped() RETURNS SETOF abelian.counter LANGUAGE sql STABLE BEGIN ATOMIC SELECT likes FROM parts.page GROUP BY likes ORDER BY likes; END;
CREATE FUNCTION plain.grouped() RETURNS SETOF bigint LANGUAGE sql STABLE BEGIN ATOMIC SELECT likes FROM plain.page GROUP BY likes ORDER BY likes; END;
CREATE FUNCTION parts.joined() RETURNS SETOF abelian.counter[] LANGUAGE sql STABLE BEGIN ATOMIC SELECT array_agg(likes ORDER BY id) FROM parts.page; END;
CREATE FUNCTION plain.joined() RETURNS SETOF bigint[] LANGUAGE sql STABLE BEGIN ATOMIC SELECT array_agg(likes ORDER BY id) FROM plain.page; END;
CALL way('grouped in a function', 'CREATE TABLE k AS SELECT ARRAY(SELECT g FROM grouped() g ORDER BY g)');
CALL way('an array that a function makes', 'CREATE TABLE k AS SELECT joined, ARRAY[joined] j FROM joined()');

-- Variables, which outlive statements and transactions.
CALL over_each($$CREATE PROCEDURE remember() LANGUAGE plpgsql AS $body$
DECLARE
  one page;
  any_row record;
  scalar page.likes%TYPE;
  several text;
  strict_one page;
  p record;
  cursor_one CURSOR FOR SELECT page FROM page ORDER BY id;
  fetched record;
BEGIN
  SELECT * INTO one FROM page WHERE id = 1;
  SELECT page INTO any_row FROM page WHERE id = 2;
  SELECT page.* INTO STRICT strict_one FROM page WHERE id = 3;
  scalar := (SELECT likes FROM page WHERE id = 1);
  several := (SELECT array_agg(likes ORDER BY id) FROM page);
  OPEN cursor_one;
  FETCH cursor_one INTO fetched;
  CLOSE cursor_one;
  CREATE TABLE k (what text, content text);
  FOR p IN SELECT page FROM page ORDER BY id LOOP
    UPDATE page SET likes = likes + 1000;
    COMMIT;
    INSERT INTO k VALUES ('loop', p::text);
  END LOOP;
  UPDATE page SET likes = likes + 1, total = total + 1;
  COMMIT;
  UPDATE page SET likes = likes + 1, total = total + 1;
  INSERT INTO k VALUES ('one', one::text), ('any_row', any_row::text), ('scalar', scalar::text), ('several', several), ('strict', strict_one::text), ('fetched', fetched::text);
END $body$
$$);
CALL begin_way();
SET search_path = plain, public;
CALL remember();
SET search_path = parts, public;
CALL remember();
CALL end_way('variables');

-- Triggers.
CALL over_each('CREATE TABLE audit (n serial, what text, old_row page, new_row page, old_text text, content jsonb, likes text, several page[])',
          $$CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  o page := OLD;
BEGIN
  INSERT INTO audit (what, old_row, new_row, old_text, content, likes, several) VALUES (TG_OP, OLD, NEW, o::text, to_jsonb(OLD), ARRAY[OLD.likes]::text, ARRAY[OLD, NEW]);
  RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $body$
$$);
CALL way('triggers after', 'TRUNCATE audit RESTART IDENTITY', 'CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON page FOR EACH ROW EXECUTE FUNCTION note()',
  'UPDATE page SET likes = likes + 1 WHERE id = 1', 'UPDATE page SET likes = 7, total = 5 WHERE id = 2', 'DELETE FROM page WHERE id = 3', 'INSERT INTO page (id, likes) VALUES (9, 9)',
  'DROP TRIGGER t ON page', 'CREATE TABLE k AS TABLE audit');
CALL way('triggers before', 'TRUNCATE audit RESTART IDENTITY', 'CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON page FOR EACH ROW EXECUTE FUNCTION note()',
  'UPDATE page SET likes = likes + 1 WHERE id = 1', 'UPDATE page SET likes = 7, total = 5 WHERE id = 2', 'DELETE FROM page WHERE id = 3', 'INSERT INTO page (id, likes) VALUES (9, 9)',
  'DROP TRIGGER t ON page', 'CREATE TABLE k AS TABLE audit');
CALL way('deferred triggers', 'TRUNCATE audit RESTART IDENTITY', 'CREATE CONSTRAINT TRIGGER t AFTER UPDATE OR DELETE ON page DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note()',
  'UPDATE page SET likes = 7, total = 5 WHERE id = 2', 'DELETE FROM page WHERE id = 3', 'SET CONSTRAINTS ALL IMMEDIATE', 'DROP TRIGGER t ON page', 'CREATE TABLE k AS TABLE audit');
CALL over_each($$CREATE FUNCTION transition() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO audit (what, old_row, new_row, several) SELECT TG_OP, ROW(o.*)::page, ROW(n.*)::page, ARRAY[ROW(o.*), ROW(n.*)]::page[] FROM o JOIN n USING (id);
  RETURN NULL;
END $body$
$$);
CALL way('transition tables', 'TRUNCATE audit RESTART IDENTITY', 'CREATE TRIGGER t AFTER UPDATE ON page REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION transition()',
  'UPDATE page SET likes = likes + 1 WHERE id = 1', 'UPDATE page SET likes = 7, total = 5 WHERE id = 2', 'DROP TRIGGER t ON page', 'CREATE TABLE k AS TABLE audit');
CALL way('rules', 'CREATE TABLE k (o page, n text)', 'CREATE RULE r AS ON UPDATE TO page DO ALSO INSERT INTO k VALUES (OLD, ARRAY[OLD.likes]::text)', 'UPDATE page SET likes = 5 WHERE id = 1', 'DROP RULE r ON page');

-- Views, prepared statements, cursors, COPY.
CALL way('materialised views', 'CREATE MATERIALIZED VIEW m AS SELECT array_agg(likes ORDER BY id) a, (array_agg(page ORDER BY id))[1] p FROM page', 'REFRESH MATERIALIZED VIEW m', 'CREATE TABLE k AS TABLE m', 'DROP MATERIALIZED VIEW m');
CALL way('a materialised view', 'CREATE VIEW v AS SELECT page, likes FROM page', 'CREATE MATERIALIZED VIEW m AS SELECT page, likes, ARRAY[likes] FROM v', 'CREATE TABLE k AS TABLE m', 'DROP VIEW v CASCADE');
CALL way('prepared statements', 'PREPARE q AS SELECT page, ARRAY[likes] FROM page', 'CREATE TABLE k AS EXECUTE q', 'DEALLOCATE q');
CALL way('temporary tables', 'CREATE TEMP TABLE keep AS SELECT page, ARRAY[likes] a FROM page', 'CREATE TABLE k AS TABLE keep', 'DROP TABLE keep');
CALL way('dynamic statements', 'CREATE TABLE k (p page)', 'DO $$ DECLARE r record; BEGIN SELECT page INTO r FROM page WHERE id = 1; EXECUTE ''INSERT INTO k VALUES ($1)'' USING r.page; END $$');
CALL begin_way();
CALL over_each('DECLARE held SCROLL CURSOR WITH HOLD FOR SELECT page, ARRAY[likes], likes FROM page ORDER BY id', 'CREATE TABLE k (a text)', 'DO $$ DECLARE r record; c refcursor := ''held''; BEGIN FETCH FIRST FROM c INTO r; INSERT INTO k VALUES (r::text); END $$', 'CLOSE held');
CALL end_way('fetched');
CALL begin_way();
DECLARE held SCROLL CURSOR WITH HOLD FOR SELECT page, ARRAY[likes], likes FROM parts.page ORDER BY id;
DECLARE also SCROLL CURSOR WITH HOLD FOR SELECT page, ARRAY[likes], likes FROM plain.page ORDER BY id;
CALL operate();
CREATE TABLE plain.k (a text);
CREATE TABLE parts.k (a text);
DO $$ DECLARE r record; c refcursor := 'held'; d refcursor := 'also'; BEGIN FETCH FIRST FROM c INTO r; INSERT INTO parts.k VALUES (r::text); FETCH FIRST FROM d INTO r; INSERT INTO plain.k VALUES (r::text); END $$;
CALL end_way('held cursors');
CLOSE ALL;
CALL begin_way();
CALL over_each('CREATE TABLE kept AS SELECT page, ARRAY[likes] a FROM page', 'CREATE TABLE k (page page, a text)');
\copy plain.kept to program 'cat > /tmp/abelian_copies.text'
\copy plain.k from program 'cat /tmp/abelian_copies.text; rm /tmp/abelian_copies.text'
\copy parts.kept to program 'cat > /tmp/abelian_copies.text'
\copy parts.k from program 'cat /tmp/abelian_copies.text; rm /tmp/abelian_copies.text'
CALL end_way('COPY');
CALL over_each('DROP TABLE kept');
CALL begin_way();
CALL over_each('CREATE TABLE k (page page, a page[])');
\copy (SELECT page, ARRAY[page] FROM parts.page) to program 'cat > /tmp/abelian_copies.binary' (FORMAT binary)
INSERT INTO plain.k SELECT page, ARRAY[page] FROM plain.page;
\copy parts.k from program 'cat /tmp/abelian_copies.binary; rm /tmp/abelian_copies.binary' (FORMAT binary)
CALL end_way('binary COPY');

-- Definitions of tables.
CALL way('another type', 'CREATE TABLE k AS SELECT id, likes, 0 AS a FROM page', 'UPDATE k SET likes = likes + 1', 'UPDATE k SET likes = likes + 1', 'ALTER TABLE k ALTER a TYPE text USING ARRAY[likes]::text', 'UPDATE k SET likes = likes + 1');
CREATE TABLE u (id int, a abelian.counter, b abelian.counter, c text, d abelian.bounded_counter(0, 100));
INSERT INTO u VALUES (1, 5, 6, '', 7);
UPDATE u SET a = a + 1, b = b + 1, d = d + 1;
UPDATE u SET a = a + 1, b = b + 1, d = d + 1;
ALTER TABLE u ALTER b TYPE abelian.counter USING a, ALTER c TYPE abelian.counter[] USING ARRAY[a, b];
UPDATE u SET a = a + 10;
UPDATE u SET b = b + 100;
SELECT * FROM u;
ALTER TABLE u ALTER a TYPE parts.amount;
ALTER TABLE u ALTER d TYPE abelian.bounded_counter(0, 200);
SELECT * FROM u;
UPDATE u SET a = a + 1, d = d + 100;
SELECT * FROM u;
ALTER TABLE u ADD e abelian.counter DEFAULT 3, ADD f abelian.counter[] DEFAULT '{1,2}', ADD g parts.page DEFAULT ROW(1, 2, 3, '{}', 4, '{}', '{}');
UPDATE u SET e = e + 1;
SELECT * FROM u;
VACUUM FULL u;
UPDATE u SET e = e + 1;
SELECT * FROM u;
DROP TABLE u;
-- What would keep an object for as long as a row is refused.
CREATE TABLE u (a abelian.counter, b abelian.counter[] GENERATED ALWAYS AS (ARRAY[a]) STORED);
CREATE TABLE u (a abelian.counter, b abelian.counter GENERATED ALWAYS AS (a) STORED);
CREATE TABLE u (a abelian.counter, b boolean GENERATED ALWAYS AS (a IS NULL) STORED);
ALTER TABLE u ADD c parts.page GENERATED ALWAYS AS (ROW(1, a, NULL, NULL, NULL, NULL, NULL)) STORED;
CREATE INDEX ON u ((ARRAY[a]));
CREATE INDEX ON u ((a IS NULL));
CREATE TABLE of_groups AS SELECT DISTINCT likes FROM parts.page GROUP BY likes;
DROP TABLE u;

-- By hand.
SELECT abelian.detached(5), abelian.detached('x'::text), abelian.detached(NULL::abelian.counter), abelian.detached(ROW(1, 2)), abelian.detached(ARRAY[1, 2]);
CREATE TABLE u AS SELECT abelian.detached(page) p FROM parts.page;
SELECT count(*) FROM u WHERE abelian.counter_object((p).likes) <> 0 OR abelian.object_of((p).tags) <> 0;
