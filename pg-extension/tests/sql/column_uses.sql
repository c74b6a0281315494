-- What a statement does with the columns of the tables that it changes or locks: operations, if it would not have to lock the row under another type,
-- and the columns that it reads beside them.
\pset format unaligned
\pset tuples_only on
CREATE TABLE page (id bigint PRIMARY KEY, title text, likes bigint, small int, income numeric(12, 2), best bigint, ok boolean, seen timestamptz);
CREATE VIEW shown AS SELECT id, likes FROM page;
CREATE FUNCTION used(statement text) RETURNS TABLE (operations text, reads text) LANGUAGE sql AS $$
  SELECT (SELECT string_agg(o.value || ' ' || a.attname, ', ' ORDER BY a.attnum)
            FROM json_each_text(CASE json_typeof(u.value->'operations') WHEN 'object' THEN u.value->'operations' END) o JOIN pg_attribute a ON a.attrelid = 'page'::regclass AND a.attnum = o.key::int),
         (SELECT string_agg(coalesce(a.attname, 'all'), ', ' ORDER BY a.attnum)
            FROM json_array_elements_text(u.value->'reads') r LEFT JOIN pg_attribute a ON a.attrelid = 'page'::regclass AND a.attnum = nullif(r::int, 0))
    FROM json_array_elements(abelian.column_uses(statement, current_user::regrole, 'public')) u $$;
-- Operations, however they are written.
SELECT * FROM used('UPDATE page SET likes = likes + $1 WHERE id = $2');
SELECT * FROM used('UPDATE page SET likes = 3 + likes - $1 WHERE id = $2');
SELECT * FROM used('UPDATE page SET small = small + $1, income = income - $2, best = least(best, $3), ok = ok OR $4, seen = greatest($5, seen) WHERE id = $6');
SELECT * FROM used('UPDATE page AS p SET likes = p.likes + length(p.title) WHERE title LIKE $1');
SELECT * FROM used('UPDATE shown SET likes = likes + $1 WHERE id = $2');
SELECT * FROM used('UPDATE page SET likes = likes + $1 WHERE id = $2 RETURNING title');
-- What is taken if there is enough.
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes >= $1');
SELECT * FROM used('UPDATE page SET small = small + 1, income = income - $1 WHERE id = $2 AND income - $1 >= 0.5 RETURNING id');
SELECT * FROM used('UPDATE page SET small = small - 1 WHERE id = $1 AND 0 < small AND best <= small');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes >= $1 AND likes > $3');
SELECT * FROM used('UPDATE shown SET likes = likes - $1 WHERE id = $2 AND likes >= $1');
-- Not that: the other bound, another comparison, and a value that is read besides.
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes <= $3');
SELECT * FROM used('UPDATE page SET likes = likes + $1 WHERE id = $2 AND likes > 0');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes <> 0');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND (likes >= $1 OR title = $3)');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes >= $1 RETURNING likes');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes >= likes / 2');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND small >= $1');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes > $1');
SELECT * FROM used('UPDATE page SET likes = likes - $1 * 2 WHERE id = $2 AND likes >= $3');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes >= $3::bigint + $4');
SELECT * FROM used('UPDATE page SET likes = likes - $1, small = small - $1 WHERE id = $2 AND likes >= $1 AND small >= $1');
SELECT * FROM used('UPDATE page SET likes = likes - $1, title = title WHERE id = $2 AND likes >= $1');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes::int >= $3');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id = $2 AND likes >= 0.5');
SELECT * FROM used('UPDATE page SET likes = likes - $1 WHERE id IN (SELECT id FROM shown) AND likes >= $1');
-- The types for that, with the bounds that there are.
SELECT attname, (abelian.type_with_bounds(attrelid, attnum, abelian.type_for('take', atttypid))).* FROM pg_attribute WHERE attrelid = 'page'::regclass AND attnum > 0 ORDER BY attnum;
SELECT abelian.type_hindrances('page'::regclass, 3, 'take');
ALTER TABLE page ADD CHECK (likes >= -10), ADD CHECK (income >= -small), ALTER best TYPE numeric, ALTER seen TYPE numeric(5, -2) USING 0;
SELECT attname, (abelian.type_with_bounds(attrelid, attnum, abelian.type_for('take', atttypid))).* FROM pg_attribute WHERE attrelid = 'page'::regclass AND attnum > 0 ORDER BY attnum;
SELECT abelian.type_hindrances('page'::regclass, 3, 'take');
SELECT abelian.type_hindrances('page'::regclass, 5, 'take');
SELECT abelian.type_hindrances('page'::regclass, 5, 'add');
ALTER TABLE page DROP CONSTRAINT page_likes_check, DROP CONSTRAINT page_check, ALTER best TYPE bigint, ALTER seen TYPE timestamptz USING now();
-- A column that is read as well.
SELECT * FROM used('UPDATE page SET likes = likes + $1 WHERE id = $2 AND likes < $3');
SELECT * FROM used('UPDATE page SET likes = likes + $1 WHERE id = $2 RETURNING likes');
SELECT * FROM used('UPDATE page SET likes = likes + likes WHERE id = $1');
SELECT * FROM used('UPDATE page SET likes = likes + small, small = small + $1 WHERE id = $2');
SELECT * FROM used('UPDATE page AS p SET likes = likes + $1 WHERE EXISTS (SELECT FROM page q JOIN shown USING (id) WHERE q.best > p.best)');
SELECT * FROM used('UPDATE page SET likes = likes + $1 WHERE page IS NOT NULL');
-- No operation on all that is assigned, or one that locks the row all the same.
SELECT * FROM used('UPDATE page SET likes = $1 - likes WHERE id = $2');
SELECT * FROM used('UPDATE page SET likes = likes * $1 WHERE id = $2');
SELECT * FROM used('UPDATE page SET likes = likes + $1, title = $2 WHERE id = $3');
SELECT * FROM used('UPDATE page SET likes = page.likes + $1 FROM shown WHERE shown.id = page.id');
SELECT * FROM used('WITH more AS (UPDATE page SET likes = likes + $1 RETURNING id) SELECT * FROM more');
SELECT * FROM used('DELETE FROM page WHERE likes = $1');
SELECT * FROM used('SELECT title FROM page WHERE id = $1 FOR UPDATE');
SELECT * FROM used('INSERT INTO page (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET likes = page.likes + $2');
SELECT * FROM used('MERGE INTO page USING (VALUES (1)) v (k) ON id = k WHEN MATCHED THEN UPDATE SET likes = likes + 1');
-- Nothing is locked.
SELECT count(*) FROM used('SELECT likes FROM page WHERE likes > $1');
SELECT count(*) FROM used('INSERT INTO page (id) VALUES ($1)');
SELECT count(*) FROM used('LOCK TABLE page');
-- What cannot be parsed is NULL, as is an UPDATE that cannot be resolved; what other roles have run is not for everybody.
SELECT abelian.column_uses('SELECT interval $1', current_user::regrole, 'public') IS NULL;
SELECT abelian.column_uses('UPDATE nowhere SET n = n + 1', current_user::regrole, 'public') IS NULL;
SELECT abelian.column_uses('UPDATE page SET likes = likes + 1', current_user::regrole, 'pg_catalog') IS NULL;
SELECT abelian.column_uses('SELECT * FROM nowhere', current_user::regrole, 'public');
SELECT abelian.column_uses('SELECT 1', 'abelian'::regrole, 'public');
-- No lock outlives the look, and none is waited for.
BEGIN;
SELECT json_array_length(abelian.column_uses('DELETE FROM page', current_user::regrole, 'public'));
SELECT count(*) FROM pg_locks WHERE relation = 'page'::regclass AND mode = 'RowExclusiveLock';
COMMIT;
-- Advice without what it looks at, and with samples that cannot be.
SELECT * FROM abelian.advise_types();
SELECT * FROM abelian.advise_types('-1 s');
SELECT * FROM abelian.advise_types('1 h');
SELECT * FROM abelian.advise_types(statements => 0);
SELECT * FROM abelian.advise_types(NULL);
