-- as: abelian
-- Which calls commit in one round: every statement of the body is a blind operation at one key that can fail nowhere alone.
\set VERBOSITY terse
\pset format unaligned
\pset tuples_only on
SELECT abelian.add_node('localhost', 5432);
CREATE TABLE acct (id int PRIMARY KEY, balance abelian.counter, best abelian.max, stock abelian.bounded_counter, tags abelian.set,
  name text, plain bigint);
CREATE TABLE entry (acct int, amount bigint, note text, n int DEFAULT 7);
CREATE TABLE strict_entry (acct int NOT NULL, amount bigint NOT NULL, note text NOT NULL);
CREATE TABLE checked_entry (acct int, amount bigint CHECK (amount > 0));
CREATE TABLE short_entry (acct int, note varchar(10));
CREATE TABLE indexed_entry (acct int, note text);
CREATE INDEX ON indexed_entry (note);
CREATE TABLE counted_entry (acct int, amount bigint);
CREATE INDEX ON counted_entry (amount);
CREATE TABLE guarded (id int PRIMARY KEY, balance abelian.counter CHECK (balance >= 0));
CREATE TABLE plain_table (id int PRIMARY KEY, balance abelian.counter);
CREATE TABLE price (item int PRIMARY KEY, sold abelian.counter);
SELECT create_distributed_table('acct', 'id');
SELECT create_distributed_table(t, 'acct', colocate_with => 'acct')
  FROM unnest('{entry, strict_entry, checked_entry, short_entry, indexed_entry, counted_entry}'::text[]::regclass[]) t;
SELECT create_distributed_table('guarded', 'id', colocate_with => 'acct');
SELECT create_reference_table('price');
-- What the first line or the last says of a body with arguments a, b (keys), n bigint, t text.
CREATE FUNCTION verdict(body text, language text DEFAULT 'plpgsql') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  lines text[];
BEGIN
  EXECUTE 'CREATE OR REPLACE PROCEDURE p(a int, b int, n bigint, t text) LANGUAGE '
    || CASE language WHEN 'sql' THEN 'sql BEGIN ATOMIC ' || body || ' END' ELSE language || ' AS $p$ BEGIN ' || body || ' END $p$' END;
  lines := ARRAY(SELECT abelian.explain_procedure('p(int, int, bigint, text)'));
  RETURN CASE WHEN lines[1] = 'class: commuting' THEN lines[1] ELSE coalesce(substring(array_to_string(lines, '#') FROM 'not commuting[^#]*'), 'only reads') END;
END $$;
SELECT n || ': ' || verdict(body) FROM (VALUES
  (1, 'UPDATE acct SET balance = balance - n WHERE id = a; UPDATE acct SET balance = balance + n WHERE id = b;'),
  (2, 'UPDATE acct SET balance = balance + 1, best = greatest(best, n) WHERE id = a;'),
  (3, 'INSERT INTO entry VALUES (a, n, t);'),
  (4, 'INSERT INTO strict_entry VALUES (a, n, t);'),
  (5, 'INSERT INTO counted_entry VALUES (a, n);'),
  (6, 'UPDATE acct SET balance = balance + n WHERE id = 7;'),
  (11, 'UPDATE acct SET balance = balance + n WHERE name = t;'),
  (12, 'UPDATE acct SET balance = balance + n WHERE id = a AND plain > 0;'),
  (13, 'UPDATE acct SET balance = balance + n WHERE id = a + 1;'),
  (14, 'UPDATE acct SET balance = balance + n * 2 WHERE id = a;'),
  (15, 'UPDATE acct SET balance = balance + plain WHERE id = a;'),
  (16, 'UPDATE acct SET plain = plain + n WHERE id = a;'),
  (17, 'UPDATE acct SET balance = n WHERE id = a;'),
  (18, 'UPDATE acct SET stock = stock - n WHERE id = a;'),
  (19, 'UPDATE acct SET tags = abelian.add(tags, t) WHERE id = a;'),
  (20, 'UPDATE guarded SET balance = balance - n WHERE id = a;'),
  (21, 'UPDATE plain_table SET balance = balance + n WHERE id = a;'),
  (22, 'UPDATE price SET sold = sold + n WHERE item = a;'),
  (23, 'DELETE FROM entry WHERE acct = a;'),
  (31, 'INSERT INTO strict_entry (acct, amount) VALUES (a, n);'),
  (32, 'INSERT INTO strict_entry VALUES (a, n, NULL);'),
  (33, 'INSERT INTO checked_entry VALUES (a, n);'),
  (34, 'INSERT INTO short_entry VALUES (a, t);'),
  (35, 'INSERT INTO indexed_entry VALUES (a, t);'),
  (36, 'INSERT INTO entry VALUES (a, -n, t);'),
  (37, 'INSERT INTO entry VALUES (a, n, t), (b, n, t);'),
  (38, 'INSERT INTO acct (id) VALUES (a);'),
  (39, 'INSERT INTO entry VALUES (a, n, now());'),
  (40, 'INSERT INTO entry SELECT id, plain FROM acct WHERE id = a;'),
  (51, 'IF n > 0 THEN UPDATE acct SET balance = balance + n WHERE id = a; END IF;'),
  (52, 'UPDATE acct SET balance = balance + n WHERE id = a; RAISE NOTICE ''done'';'),
  (53, 'UPDATE acct SET balance = balance + n WHERE id = a; RETURN; UPDATE acct SET balance = balance + n WHERE id = b;'),
  (54, 'UPDATE acct SET balance = balance + n WHERE id = a; UPDATE acct SET balance = balance + 1 WHERE FOUND AND id = b;'),
  (55, 'PERFORM 1 FROM acct WHERE id = a;'),
  (56, 'UPDATE acct SET balance = balance + n WHERE id = a; SELECT plain INTO n FROM acct WHERE id = b;'),
  (57, 'EXECUTE ''DELETE FROM entry'';')) v(n, body) ORDER BY v.n;
-- the same of stored trees; a body that is text is not looked at
SELECT verdict('UPDATE acct SET balance = balance - n WHERE id = a; INSERT INTO entry VALUES (b, n, t);', 'sql');
SELECT verdict('UPDATE acct SET balance = balance - n WHERE id = a; SELECT 1;', 'sql');
SELECT verdict('UPDATE acct SET balance = balance + n WHERE id = ANY (ARRAY[a, b]);', 'sql');
CREATE PROCEDURE as_text(a int) LANGUAGE sql AS 'UPDATE acct SET balance = balance + 1 WHERE id = a';
SELECT abelian.explain_procedure('as_text(int)');
CREATE PROCEDURE gives(a int, OUT b int) LANGUAGE plpgsql AS 'BEGIN UPDATE acct SET balance = balance + 1 WHERE id = a; END';
SELECT abelian.explain_procedure('gives(int)');
CREATE FUNCTION computes(a int) RETURNS void LANGUAGE plpgsql AS 'BEGIN UPDATE acct SET balance = balance + 1 WHERE id = a; END';
SELECT abelian.explain_procedure('computes(int)');
CREATE PROCEDURE declares(a int) LANGUAGE plpgsql AS 'DECLARE n int := 1; BEGIN UPDATE acct SET balance = balance + n WHERE id = a; END';
SELECT abelian.explain_procedure('declares(int)');

-- What a router is told of a call: the statements with the call's arguments, and the key of each.
CREATE PROCEDURE transfer(source int, target int, amount bigint, note text DEFAULT 'none') LANGUAGE plpgsql AS $$
BEGIN
  UPDATE acct SET balance = balance - amount WHERE id = source;
  UPDATE acct SET balance = balance + amount WHERE id = target;
  INSERT INTO entry VALUES (target, amount, note);
END $$;
SELECT create_distributed_procedure('transfer(int, int, bigint, text)', 'source, target', 'acct');
SELECT abelian.explain_procedure('transfer(int, int, bigint, text)');
CREATE FUNCTION told(call text, types oid[] DEFAULT '{}') RETURNS SETOF text LANGUAGE sql AS $$
  SELECT coalesce(s ->> 'redo' || ' | ' || (s ->> 'table') || ' | ' || (s ->> 'key'), b ->> 'reason')
    FROM (SELECT abelian.analyze(call, types)::jsonb -> 0 -> 'procedure' -> 'blind') f(b) LEFT JOIN jsonb_array_elements(b -> 'statements') s ON true
$$;
SELECT told('CALL transfer($1, $2, $3)');
SELECT told('CALL transfer(1, $1, 5, amount_note => $2)');
SELECT told('CALL transfer(1, $1, 5, note => $2)');
SELECT told('CALL transfer($1 + 1, $2, 5)');
SELECT create_distributed_procedure('transfer(int, int, bigint, text)', 'source, target', 'acct', class => 'coordinated');
SELECT told('CALL transfer($1, $2, $3)');
SELECT abelian.explain_procedure('transfer(int, int, bigint, text)');
