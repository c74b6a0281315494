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

-- What a VOLATILE function gives may be stored at one key, which one node has; at two, each node would have drawn its own.
CREATE PROCEDURE draws(a int, b int) LANGUAGE plpgsql AS $$
DECLARE t text := random();
BEGIN
  INSERT INTO visit VALUES (a, t);
  UPDATE visit SET what = t WHERE shop = a;
END $$;
SELECT abelian.explain_procedure('draws(int, int)');
CREATE PROCEDURE draws_for_two(a int, b int) LANGUAGE plpgsql AS $$
DECLARE t text := random();
BEGIN
  INSERT INTO visit VALUES (a, t);
  INSERT INTO visit VALUES (b, t);
END $$;
SELECT abelian.explain_procedure('draws_for_two(int, int)');
CREATE PROCEDURE draws_a_key(a int, b int) LANGUAGE plpgsql AS $$
DECLARE k int := trunc(random() * b);
BEGIN
  UPDATE visit SET what = 'x' WHERE shop = k;
END $$;
SELECT abelian.explain_procedure('draws_a_key(int, int)');
CREATE PROCEDURE draws_the_way(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  IF random() < 0.5 THEN
    UPDATE visit SET what = 'x' WHERE shop = a;
    UPDATE visit SET what = 'x' WHERE shop = b;
  END IF;
END $$;
SELECT abelian.explain_procedure('draws_the_way(int, int)');
-- Drawn where the row is, it is no matter.
CREATE PROCEDURE draws_there(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO visit VALUES (a, random());
  INSERT INTO visit VALUES (b, random());
END $$;
SELECT abelian.explain_procedure('draws_there(int, int)');
-- A sum over rows of two nodes is on no node; an absent row is NULL.
CREATE PROCEDURE of_several(a int, b int) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT count(*) INTO n FROM visit WHERE shop IN (a, b);
  UPDATE shop SET note = n WHERE id = a;
END $$;
SELECT abelian.explain_procedure('of_several(int, int)');
CREATE PROCEDURE two_keys_at_once(a int, b int) LANGUAGE sql BEGIN ATOMIC
  UPDATE shop SET note = s.note FROM shop s WHERE shop.id = a AND s.id = b;
END;
SELECT abelian.explain_procedure('two_keys_at_once(int, int)');
-- Rows that an INSERT takes from another key; a decision over two; what a statement has counted; a record's field.
CREATE PROCEDURE moves(a int, b int) LANGUAGE sql BEGIN ATOMIC
  INSERT INTO visit SELECT b, what FROM visit WHERE shop = a;
  DELETE FROM visit WHERE shop = a;
END;
SELECT abelian.explain_procedure('moves(int, int)');
-- Rows that an INSERT makes of rows: only the node of these sees them. Elsewhere the new ones may lie by constants, by other columns, or by NULL.
CREATE FUNCTION inserts(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE PROCEDURE inserting(a int, b int) LANGUAGE sql BEGIN ATOMIC INSERT INTO visit (shop, what) %s; END', query);
  RETURN QUERY SELECT t FROM abelian.explain_procedure('inserting(int, int)') t WHERE t LIKE 'class%' OR t LIKE '%crosses%';
END $$;
SELECT inserts('SELECT a, note FROM shop WHERE id = a');
SELECT inserts('SELECT id, note FROM shop WHERE id = a');
SELECT inserts('SELECT id, note FROM shop');
SELECT inserts('SELECT v.shop, note FROM shop s JOIN visit v ON v.shop = s.id');
SELECT inserts('SELECT id, max(note) FROM shop GROUP BY id');
SELECT inserts('SELECT s.id, v.what FROM (SELECT id, note FROM shop WHERE stock > 0) s, LATERAL (SELECT what FROM visit WHERE shop = s.id LIMIT 1) v');
SELECT inserts('SELECT id, note FROM shop UNION ALL SELECT shop, what FROM visit');
SELECT inserts('WITH s AS (SELECT id, note FROM shop) SELECT id, note FROM s');
SELECT inserts('WITH RECURSIVE s AS (SELECT id, note FROM shop UNION ALL SELECT id, note || ''x'' FROM s WHERE length(note) < 9) SELECT id, note FROM s');
SELECT inserts('SELECT s.id, v.what FROM shop s, LATERAL (SELECT w.what FROM (SELECT what FROM visit WHERE shop = s.id) w LIMIT 1) v');
SELECT inserts('SELECT s.id, v.what FROM shop s, LATERAL (SELECT what FROM visit WHERE shop = s.stock LIMIT 1) v');
SELECT inserts('SELECT item, note FROM price LEFT JOIN shop ON id = item');
SELECT inserts('VALUES (7, NULL), (a, NULL)');
SELECT inserts('SELECT 7, note FROM shop WHERE id = 7');
SELECT inserts('SELECT 8, note FROM shop WHERE id = 7');
SELECT inserts('SELECT 7, note FROM shop WHERE id = a');
SELECT inserts('SELECT a, note FROM shop WHERE id = 7');
SELECT inserts('SELECT NULL, note FROM shop WHERE id = a');
SELECT inserts('SELECT stock, note FROM shop WHERE id = a');
SELECT inserts('SELECT id + 1, note FROM shop');
SELECT inserts('SELECT a, max(note) FROM shop');
SELECT inserts('SELECT b, note FROM (SELECT note FROM shop) s');
SELECT inserts('SELECT id, note FROM shop UNION ALL SELECT 7, what FROM visit');
SELECT inserts('WITH s AS (SELECT stock, note FROM shop) SELECT stock, note FROM s');
SELECT inserts('SELECT item, note FROM price, shop WHERE id = a');
-- The same in subqueries, in outer joins, in queries of WITH that change rows, and where all rows decide on each.
SELECT inserts('SELECT id, note FROM shop WHERE id IN (SELECT shop FROM visit)');
SELECT inserts('SELECT id, note FROM shop s WHERE NOT EXISTS (SELECT FROM visit WHERE shop = s.id)');
SELECT inserts('SELECT a, ''x'' WHERE NOT EXISTS (SELECT FROM visit WHERE shop = a)');
SELECT inserts('VALUES (a, (SELECT note FROM shop WHERE id = a)), (b, (SELECT note FROM shop WHERE id = b))');
SELECT inserts('SELECT id, s.note FROM shop s LEFT JOIN visit v ON v.shop = s.id');
SELECT inserts('SELECT id, note FROM shop s FULL JOIN (SELECT shop AS id, what FROM visit) v USING (id)');
SELECT inserts('SELECT v.s, note FROM (SELECT id AS s, note FROM shop WHERE id = a) v, LATERAL (SELECT what FROM visit WHERE shop = v.s LIMIT 1) w');
SELECT inserts('SELECT a, note FROM (SELECT id, note FROM shop) s WHERE id = a');
SELECT inserts('SELECT id, note FROM shop WHERE id = a ORDER BY note LIMIT 1');
SELECT inserts('SELECT DISTINCT ON (id) id, note FROM shop ORDER BY id, note');
SELECT inserts('SELECT id, rank() OVER (PARTITION BY id)::text FROM shop');
SELECT inserts('WITH RECURSIVE r AS (SELECT id, note FROM shop WHERE id = a UNION ALL SELECT s.id, s.note FROM shop s JOIN r ON s.id = r.id WHERE false) SELECT id, note FROM r');
SELECT inserts('SELECT id, note FROM shop WHERE stock IN (SELECT shop FROM visit)');
SELECT inserts('SELECT id, note FROM shop WHERE EXISTS (SELECT FROM visit WHERE shop = stock)');
SELECT inserts('SELECT id, (SELECT max(what) FROM visit) FROM shop');
SELECT inserts('VALUES (a, (SELECT note FROM shop WHERE id = a)), (b, (SELECT note FROM shop WHERE id = a))');
SELECT inserts('SELECT id, s.note FROM shop s LEFT JOIN visit v ON v.shop = s.stock');
SELECT inserts('SELECT v.shop, s.note FROM shop s LEFT JOIN visit v ON v.shop = s.id');
SELECT inserts('SELECT s.stock, s.note FROM shop s FULL JOIN visit v ON v.shop = s.id');
SELECT inserts('SELECT id, note FROM shop ORDER BY stock LIMIT 10');
SELECT inserts('SELECT DISTINCT ON (stock) id, note FROM shop');
SELECT inserts('SELECT id, rank() OVER (ORDER BY stock)::text FROM shop');
SELECT inserts('WITH RECURSIVE r AS (SELECT id, stock FROM shop WHERE id = a UNION ALL SELECT s.id, s.stock FROM shop s JOIN r ON s.id = r.stock) SELECT id, ''x'' FROM r');
SELECT inserts('SELECT s.id, b.what FROM shop s LEFT JOIN visit v ON v.shop = s.id LEFT JOIN visit b ON b.shop = v.shop');
SELECT inserts('SELECT s.id, v.what FROM shop s JOIN visit v ON v.shop = s.id LEFT JOIN visit b ON b.shop = v.shop');
SELECT inserts('SELECT id, note FROM shop WHERE (id, note) IN (SELECT shop, what FROM visit)');
SELECT inserts('(SELECT a, note FROM shop WHERE id = a UNION ALL SELECT a, what FROM visit WHERE shop = a) LIMIT 1');
SELECT inserts('SELECT id, x.note FROM shop x FULL JOIN (SELECT shop AS id, what FROM visit) y USING (id) FULL JOIN (SELECT id FROM shop) z USING (id)');
SELECT inserts('WITH s AS (SELECT item FROM price) SELECT item, ''x'' FROM s ORDER BY item LIMIT 10');
SELECT inserts('WITH s AS (SELECT id, note FROM shop) SELECT id, note FROM s ORDER BY note LIMIT 10');
SELECT inserts('WITH s AS (SELECT id, stock FROM shop) SELECT id, rank() OVER (ORDER BY stock)::text FROM s');
SELECT inserts('SELECT item, ''x'' FROM price WHERE NOT EXISTS (SELECT FROM visit WHERE shop = item) ORDER BY amount LIMIT 1');
SELECT inserts('SELECT item, ''x'' FROM price ORDER BY amount LIMIT (SELECT count(*) FROM shop)');
SELECT inserts('SELECT s.id, ''x'' FROM price p LEFT JOIN shop s ON s.id = p.item');
SELECT inserts('SELECT s.id, ''x'' FROM shop s FULL JOIN price p ON p.item = s.id');
SELECT inserts('SELECT s.id, ''x'' FROM price p LEFT JOIN shop s ON s.id = p.item WHERE s.id = a');
SELECT inserts('SELECT id, count(*)::text FROM shop GROUP BY ROLLUP (id)');
SELECT inserts('SELECT id, note FROM shop WHERE id NOT IN (SELECT shop FROM visit)');
SELECT inserts('WITH RECURSIVE r(stock, id) AS (SELECT stock, id FROM shop WHERE id = a UNION ALL SELECT NULL::int, q.k FROM (SELECT r.stock AS k FROM r) q WHERE q.k IS NOT NULL) SELECT id, ''x'' FROM r');
CREATE FUNCTION in_with(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE PROCEDURE changing(a int, b int) LANGUAGE sql BEGIN ATOMIC %s; END', statement);
  RETURN QUERY SELECT t FROM abelian.explain_procedure('changing(int, int)') t WHERE t LIKE 'class%' OR t LIKE '%from rows%';
END $$;
SELECT in_with('WITH gone AS (DELETE FROM shop WHERE id = a RETURNING *) INSERT INTO visit SELECT id, note FROM gone');
SELECT in_with('WITH gone AS (DELETE FROM shop WHERE stock = a RETURNING id, note) INSERT INTO visit SELECT id, note FROM gone');
SELECT in_with('WITH new AS (INSERT INTO visit VALUES (a, ''x'') RETURNING shop, what) INSERT INTO visit SELECT shop, what FROM new');
SELECT in_with('WITH old AS (UPDATE shop SET stock = 0 RETURNING id, note) INSERT INTO visit SELECT id, note FROM old');
SELECT in_with('WITH s AS (SELECT id, note FROM shop WHERE id = a), i AS (INSERT INTO visit SELECT id, note FROM s) UPDATE shop SET stock = 0 WHERE id = a');
SELECT in_with('WITH s AS (SELECT stock, note FROM shop WHERE id = a), i AS (INSERT INTO visit SELECT stock, note FROM s) UPDATE shop SET stock = 0 WHERE id = a');
SELECT in_with('WITH gone AS (DELETE FROM shop WHERE id = a RETURNING stock, note) INSERT INTO visit SELECT stock, note FROM gone');
SELECT in_with('WITH gone AS (DELETE FROM shop WHERE stock = 0 RETURNING id, note) INSERT INTO visit SELECT id, note FROM gone ORDER BY note LIMIT 10');
SELECT in_with('WITH gone AS (DELETE FROM shop WHERE stock = 0 RETURNING id, (SELECT max(what) FROM visit WHERE shop = stock) AS w) INSERT INTO visit SELECT id, w FROM gone');
SELECT in_with('WITH old AS (UPDATE shop SET stock = b WHERE stock = a RETURNING stock, note) INSERT INTO visit SELECT stock, note FROM old');
SELECT in_with('WITH i AS (INSERT INTO visit SELECT id, stock::text FROM shop WHERE id = a RETURNING what::int, shop) INSERT INTO visit (shop) SELECT i.what FROM i');
-- One key, whatever the types of the constants.
CREATE TABLE wide (id bigint, code varchar(10), n int);
SELECT create_distributed_table('wide', 'id');
CREATE PROCEDURE of_types(a int) LANGUAGE plpgsql AS $$
DECLARE t int;
BEGIN
  SELECT n INTO t FROM wide WHERE id = 7;
  INSERT INTO wide VALUES (7, 'x', t);
END $$;
SELECT t FROM abelian.explain_procedure('of_types(int)') t LIMIT 1;
ALTER TABLE visit ALTER shop SET DEFAULT 7;
CREATE OR REPLACE PROCEDURE inserting(a int, b int) LANGUAGE sql BEGIN ATOMIC INSERT INTO visit (what) SELECT note FROM shop WHERE id = a; END;
SELECT t FROM abelian.explain_procedure('inserting(int, int)') t LIMIT 1;
ALTER TABLE visit ALTER shop DROP DEFAULT;
-- What was read at one constant decides on another.
CREATE PROCEDURE of_constants(a int) LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  SELECT note INTO t FROM shop WHERE id = 7;
  UPDATE visit SET what = t WHERE shop = 8;
END $$;
SELECT abelian.explain_procedure('of_constants(int)');
CREATE PROCEDURE of_one_constant(a int) LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  SELECT note INTO t FROM shop WHERE id = 7;
  UPDATE visit SET what = t WHERE shop = 7;
END $$;
SELECT abelian.explain_procedure('of_one_constant(int)');
CREATE PROCEDURE compares(a int, b int) LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT stock INTO x FROM shop WHERE id = a;
  SELECT stock INTO y FROM shop WHERE id = b;
  IF x > y THEN RAISE EXCEPTION 'more'; END IF;
END $$;
SELECT abelian.explain_procedure('compares(int, int)');
CREATE PROCEDURE counts(a int, b int) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  DELETE FROM visit WHERE shop = a;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n > 0 THEN DELETE FROM visit WHERE shop = b; END IF;
END $$;
SELECT abelian.explain_procedure('counts(int, int)');
CREATE PROCEDURE fields(a int, b int) LANGUAGE plpgsql AS $$
DECLARE v visit;
BEGIN
  v.shop := b;
  SELECT what INTO v.what FROM visit WHERE shop = a;
  INSERT INTO visit VALUES (v.*);
END $$;
SELECT abelian.explain_procedure('fields(int, int)');
CREATE FUNCTION gives(a int, b int) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT what FROM visit WHERE shop = a;
  IF NOT FOUND THEN DELETE FROM visit WHERE shop = b; END IF;
END $$;
SELECT abelian.explain_procedure('gives(int, int)');
-- A row that the statement has made itself is no other; rows of a table without placement are on one node.
CREATE PROCEDURE counted(a int) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  INSERT INTO shop VALUES (a, 1) ON CONFLICT (id) DO UPDATE SET stock = shop.stock + excluded.stock RETURNING stock INTO n;
  UPDATE shop SET sold = n WHERE id = a;
END $$;
SELECT abelian.explain_procedure('counted(int)');
-- The idiom of loops over keys.
CREATE PROCEDURE for_each(keys int[]) LANGUAGE plpgsql AS $$
DECLARE k int;
BEGIN
  FOREACH k IN ARRAY keys LOOP
    IF abelian.is_local('shop', k) THEN UPDATE shop SET note = 'x' WHERE id = k; END IF;
  END LOOP;
END $$;
SELECT abelian.explain_procedure('for_each(int[])');
-- A constraint is violated by the columns that are assigned, and by values that may be NULL; near misses stay what they were.
CREATE TABLE member (
  shop int NOT NULL, id int, points int NOT NULL, name varchar NOT NULL, nick text, since timestamptz DEFAULT now(),
  PRIMARY KEY (shop, id));
CREATE TABLE badge (shop int, member int, what text, rank int CHECK (rank > 0), FOREIGN KEY (shop, member) REFERENCES member);
CREATE INDEX ON badge (what);
SELECT create_distributed_table('member', 'shop', colocate_with => 'shop');
SELECT create_distributed_table('badge', 'shop', colocate_with => 'shop');
CREATE FUNCTION class_of(body text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE PROCEDURE tried(a int, n int, w text) LANGUAGE sql BEGIN ATOMIC %s; END', body);
  RETURN QUERY SELECT t FROM abelian.explain_procedure('tried(int, int, text)') t WHERE t NOT LIKE 'it %' AND t NOT LIKE 'every %' AND t NOT LIKE 'not commuting%';
END $$;
-- Columns that may be NULL, and that no index, CHECK or foreign key has.
SELECT class_of('UPDATE member SET nick = w WHERE shop = a');
SELECT class_of('UPDATE member SET points = n WHERE shop = a');
SELECT class_of('UPDATE member SET points = coalesce(n, 0) WHERE shop = a');
SELECT class_of('UPDATE member SET points = greatest(points, n) WHERE shop = a');
SELECT class_of('UPDATE member SET points = coalesce(n, length(nick)) WHERE shop = a');
SELECT class_of('UPDATE member SET points = CASE WHEN n > 5 THEN 1 ELSE 0 END WHERE shop = a');
SELECT class_of('UPDATE member SET points = CASE WHEN n > 5 THEN 1 END WHERE shop = a');
SELECT class_of('UPDATE member SET points = points + 1 WHERE shop = a');
-- Only a change of the columns of a constraint can violate it.
SELECT class_of('UPDATE badge SET rank = n WHERE shop = a');
SELECT class_of('UPDATE member SET id = 1 WHERE shop = a');
SELECT class_of('UPDATE badge SET member = n WHERE shop = a');
SELECT class_of('UPDATE badge SET what = w WHERE shop = a');
SELECT class_of('UPDATE badge SET what = NULL WHERE shop = a');
CREATE TABLE note (shop int, what varchar(100));
SELECT create_distributed_table('note', 'shop', colocate_with => 'shop');
CREATE INDEX ON note (what);
SELECT class_of('INSERT INTO note SELECT a, what FROM note WHERE shop = a');
SELECT class_of('DELETE FROM badge WHERE shop = a');
SELECT class_of('DELETE FROM member WHERE shop = a');
-- Rows with a NULL key are refused by all; other keys may be taken.
SELECT class_of('INSERT INTO member (shop, id, points, name) VALUES (a, 1, 0, ''x'') ON CONFLICT DO NOTHING');
SELECT class_of('INSERT INTO member (shop, id, points, name) VALUES (a, 1, 0, ''x'')');
SELECT class_of('INSERT INTO member (shop, id, points, name) VALUES (a, n, 0, ''x'') ON CONFLICT DO NOTHING');
SELECT class_of('INSERT INTO member (shop, id, points) VALUES (a, 1, 0) ON CONFLICT DO NOTHING');
SELECT class_of('INSERT INTO badge (shop, member) VALUES (a, n)');
-- One conflict that is looked for is not every conflict that there may be.
SELECT class_of('INSERT INTO member (shop, id, points, name) VALUES (a, 1, 0, ''x'') ON CONFLICT (shop, id) DO NOTHING');
CREATE UNIQUE INDEX ON member (shop, since);
SELECT class_of('INSERT INTO member (shop, id, points, name) VALUES (a, 1, 0, ''x'') ON CONFLICT (shop, id) DO NOTHING');
SELECT class_of('INSERT INTO member (shop, id, points, name) VALUES (a, 1, 0, ''x'') ON CONFLICT DO NOTHING');
-- What computes values: indexes over expressions, defaults, sequences.
CREATE TABLE event (shop int, at timestamptz, amount int DEFAULT length(current_user), number int GENERATED ALWAYS AS IDENTITY);
SELECT create_distributed_table('event', 'shop', colocate_with => 'shop');
SELECT class_of('INSERT INTO event (shop, amount) VALUES (a, 1)');
SELECT class_of('INSERT INTO event (shop) VALUES (a)');
SELECT class_of('INSERT INTO event (shop, amount) VALUES (a, DEFAULT)');
SELECT class_of('INSERT INTO event (shop, amount) VALUES (a, 1), (a, DEFAULT)');
SELECT class_of('UPDATE event SET at = NULL WHERE shop = a');
CREATE INDEX ON event ((1 / amount));
SELECT class_of('UPDATE event SET at = NULL WHERE shop = a');
CREATE INDEX ON note (what, what, what, what, what, what);
SELECT class_of('UPDATE note SET what = w WHERE shop = a');
SELECT class_of('UPDATE visit SET shop = n WHERE shop = a');
-- Numbers are compared without failing.
SELECT class_of('UPDATE member SET nick = w WHERE shop = a AND points::numeric = 1.5');
-- What stands behind a name is looked at, or not understood.
CREATE VIEW member_view AS SELECT * FROM member;
SELECT class_of('SELECT FROM member_view WHERE shop = a');
SELECT class_of('SELECT FROM pg_class WHERE oid = 1');
CREATE POLICY own ON badge USING (what = current_user);
ALTER TABLE badge ENABLE ROW LEVEL SECURITY;
SELECT class_of('DELETE FROM badge WHERE shop = a');

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
SELECT create_distributed_procedure('other_key(int, int)', 'a, b', 'shop');
SELECT create_distributed_procedure('reassigned(int, int)', 'a, b', 'shop', class => 'coordinated');
SELECT create_distributed_procedure('reassigned(int, int)', 'a, b', 'shop', class => 'coordinated', unsafe => true);
SELECT create_distributed_procedure('after_return(int, int)', 'a, b', 'shop', unsafe => true);
SELECT create_distributed_procedure('same_key(int, int)', 'a, b', 'shop', class => 'coordinated');
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
-- A choice of the owner's stays, but where the new body is right on one node only; a promise is over.
CREATE OR REPLACE PROCEDURE same_key(a int, b int) LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  SELECT note INTO t FROM shop WHERE id = a;
  INSERT INTO visit VALUES (b, t);
END $$;
CREATE OR REPLACE PROCEDURE reassigned(a int, b int) LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  SELECT note INTO t FROM shop WHERE id = a;
  INSERT INTO visit VALUES (b, t);
END $$;
SELECT signature, class, declared FROM abelian.procedure ORDER BY 1;
CREATE OR REPLACE PROCEDURE same_key(a int, b int) LANGUAGE plpgsql AS $$ BEGIN DELETE FROM visit WHERE shop = a; END $$;
SELECT signature, class, declared FROM abelian.procedure ORDER BY 1;

-- What a router is told.
SELECT jsonb_pretty(abelian.analyze('CALL visits(1, $1, ''x'')')::jsonb -> 0 -> 'procedure');
SELECT abelian.analyze('SELECT * FROM reads(1)')::jsonb -> 0 -> 'procedure';
SELECT abelian.analyze('CALL visits(1, 2, ''x'' || now())')::jsonb -> 0 -> 'procedure' -> 'computed';
