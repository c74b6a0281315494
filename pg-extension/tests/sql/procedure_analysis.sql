-- as: abelian
-- What abelian.explain_procedure() says of stored bodies: the class, and why, in words a user can act on.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('localhost', 5432);
CREATE TABLE shop (id int PRIMARY KEY, stock int, sold int, note text);
CREATE TABLE visit (shop int, what text);
CREATE TABLE price (item int PRIMARY KEY, amount int);
CREATE TABLE plain (x int);
SELECT create_distributed_table('shop', 'id');
SELECT create_distributed_table('visit', 'shop', colocate_with => 'shop');
SELECT create_reference_table('price');

-- Reads and plain changes: no participant can fail.
CREATE FUNCTION reads(a int) RETURNS SETOF shop LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM shop WHERE id = a; END;
SELECT abelian.explain_procedure('reads(int)');
CREATE PROCEDURE visits(a int, b int, w text) LANGUAGE sql BEGIN ATOMIC
  INSERT INTO visit VALUES (a, w);
  INSERT INTO visit VALUES (b, w);
  UPDATE shop SET note = w WHERE id = a;
END;
SELECT abelian.explain_procedure('visits(int, int, text)');
CREATE PROCEDURE visits_too(a int, b int, w text) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO visit VALUES (a, w), (b, w);
END $$;
SELECT abelian.explain_procedure('visits_too(int, int, text)');

-- A decision on arguments and reference tables is the same everywhere; one on rows is not.
CREATE PROCEDURE on_reference(a int, i int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM price WHERE item = i;
  IF NOT FOUND THEN RAISE EXCEPTION 'no such item'; END IF;
  INSERT INTO visit VALUES (a, 'bought');
END $$;
SELECT abelian.explain_procedure('on_reference(int, int)');
CREATE PROCEDURE on_rows(a int, b int) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT stock INTO n FROM shop WHERE id = a;
  IF n < 1 THEN RAISE EXCEPTION 'sold out'; END IF;
END $$;
SELECT abelian.explain_procedure('on_rows(int, int)');
-- A notice aborts nothing.
CREATE PROCEDURE notices(a int) LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'hello'; END $$;
SELECT abelian.explain_procedure('notices(int)');

-- What may fail: arithmetic, constraints.
CREATE PROCEDURE arithmetic(a int) LANGUAGE sql BEGIN ATOMIC UPDATE shop SET stock = stock / sold WHERE id = a; END;
SELECT abelian.explain_procedure('arithmetic(int)');
CREATE PROCEDURE opens(a int) LANGUAGE sql BEGIN ATOMIC INSERT INTO shop VALUES (a, 0, 0, ''); END;
SELECT abelian.explain_procedure('opens(int)');

-- What is read at one key may be used at that key, not at another.
CREATE PROCEDURE same_key(a int, b int) LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  SELECT note INTO t FROM shop WHERE id = a;
  INSERT INTO visit VALUES (a, t);
END $$;
SELECT abelian.explain_procedure('same_key(int, int)');
CREATE PROCEDURE other_key(a int, b int) LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  SELECT note INTO t FROM shop WHERE id = a;
  INSERT INTO visit VALUES (b, t);
END $$;
SELECT abelian.explain_procedure('other_key(int, int)');
CREATE PROCEDURE other_key_by_condition(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM shop WHERE id = a) THEN INSERT INTO visit VALUES (b, 'x'); END IF;
END $$;
SELECT abelian.explain_procedure('other_key_by_condition(int, int)');
CREATE PROCEDURE after_return(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM shop WHERE id = a) THEN RETURN; END IF;
  INSERT INTO visit VALUES (b, 'x');
END $$;
SELECT abelian.explain_procedure('after_return(int, int)');
CREATE PROCEDURE reassigned(a int, b int) LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  SELECT note INTO t FROM shop WHERE id = a;
  a := b;
  INSERT INTO visit VALUES (a, t);
END $$;
SELECT abelian.explain_procedure('reassigned(int, int)');
CREATE PROCEDURE joined(a int) LANGUAGE sql BEGIN ATOMIC
  UPDATE shop SET note = v.what FROM visit v WHERE v.shop = shop.id AND shop.id = a;
END;
SELECT abelian.explain_procedure('joined(int)');
CREATE PROCEDURE joined_otherwise(a int) LANGUAGE sql BEGIN ATOMIC
  UPDATE shop SET note = v.what FROM visit v WHERE v.what = shop.note AND shop.id = a;
END;
SELECT abelian.explain_procedure('joined_otherwise(int)');
CREATE PROCEDURE guarded(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  IF abelian.is_local('shop', a) THEN INSERT INTO visit VALUES (a, 'x'); END IF;
END $$;
SELECT abelian.explain_procedure('guarded(int, int)');
CREATE PROCEDURE guarded_otherwise(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  IF abelian.is_local('shop', a) THEN INSERT INTO visit VALUES (b, 'x'); END IF;
END $$;
SELECT abelian.explain_procedure('guarded_otherwise(int, int)');
CREATE PROCEDURE differs(a int) LANGUAGE plpgsql AS $$
DECLARE t text := now();
BEGIN
  INSERT INTO visit VALUES (a, t);
END $$;
SELECT abelian.explain_procedure('differs(int)');

-- What is not understood is not taken for harmless.
CREATE PROCEDURE dynamic(a int) LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'DELETE FROM shop'; END $$;
SELECT abelian.explain_procedure('dynamic(int)');
CREATE PROCEDURE text_body(a int) LANGUAGE sql AS 'DELETE FROM shop';
SELECT abelian.explain_procedure('text_body(int)');
CREATE PROCEDURE calls(a int) LANGUAGE plpgsql AS $$ BEGIN CALL dynamic(a); END $$;
SELECT abelian.explain_procedure('calls(int)');
CREATE PROCEDURE calls_function(a int) LANGUAGE plpgsql AS $$ BEGIN PERFORM * FROM reads(a); END $$;
SELECT abelian.explain_procedure('calls_function(int)');
CREATE PROCEDURE catches(a int) LANGUAGE plpgsql AS $$ BEGIN DELETE FROM visit WHERE shop = a; EXCEPTION WHEN OTHERS THEN NULL; END $$;
SELECT abelian.explain_procedure('catches(int)');

-- A declaration may make it safer; the other way takes a promise.
SELECT create_distributed_procedure('opens(int)', 'a', 'shop');
SELECT create_distributed_procedure('visits_too(int, int, text)', 'a, b', 'shop', class => 'coordinated');
SELECT create_distributed_procedure('on_rows(int, int)', 'a', 'shop', class => 'independent');
SELECT create_distributed_procedure('on_rows(int, int)', 'a', 'shop', class => 'independent', unsafe => true);
SELECT create_distributed_procedure('visits(int, int, text)', '$1, $2', 'shop', merge => 'union');
SELECT signature, arguments, merge, class, declared FROM abelian.procedure ORDER BY 1;
SELECT * FROM abelian.explain_procedure('visits_too(int, int, text)') LIMIT 1;

-- The wrong ones are refused.
SELECT create_distributed_procedure('nope(int)', 'a', 'shop');
SELECT create_distributed_procedure('opens(int)', 'b', 'shop');
SELECT create_distributed_procedure('opens(int)', '$2', 'shop');
SELECT create_distributed_procedure('opens(int)', 'a', 'plain');
SELECT create_distributed_procedure('opens(int)', 'a', 'shop', merge => 'last');
SELECT create_distributed_procedure('opens(int)', 'a', 'shop', class => 'fast');
SELECT create_distributed_procedure('lower(text)', '', 'shop');
SELECT undistribute_procedure('arithmetic(int)');
ALTER PROCEDURE opens(int) RENAME TO closes;

-- Who drops or replaces a procedure changes its record.
DROP PROCEDURE opens(int);
CREATE OR REPLACE PROCEDURE visits(a int, b int, w text) LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT 1'; END $$;
SELECT undistribute_procedure('on_rows(int, int)');
SELECT signature, class, declared FROM abelian.procedure ORDER BY 1;

-- What a router is told.
SELECT jsonb_pretty(abelian.analyze('CALL visits(1, $1, ''x'')')::jsonb -> 0 -> 'procedure');
SELECT abelian.analyze('SELECT * FROM reads(1)')::jsonb -> 0 -> 'procedure';
SELECT abelian.analyze('CALL visits(1, 2, ''x'' || now())')::jsonb -> 0 -> 'procedure' -> 'computed';
