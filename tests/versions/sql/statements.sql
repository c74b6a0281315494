-- What works on every version: placing, changing and reading rows, on one node and on several.
/* cluster */ SET client_min_messages = warning;
CREATE TABLE page (id bigint PRIMARY KEY, title text, likes abelian.counter DEFAULT 0);
CREATE TABLE visit (page bigint, n int, PRIMARY KEY (page, n));
CREATE TABLE kind (id int PRIMARY KEY, name text);
/* cluster */ SELECT create_distributed_table('page', 'id') \g /dev/null
/* cluster */ SELECT create_distributed_table('visit', 'page', colocate_with => 'page') \g /dev/null
/* cluster */ SELECT create_reference_table('kind') \g /dev/null
INSERT INTO page SELECT i, 'page ' || i FROM generate_series(1, 20) i;
INSERT INTO visit SELECT i, j FROM generate_series(1, 20) i, generate_series(1, i % 4) j;
INSERT INTO kind VALUES (0, 'even'), (1, 'odd');
UPDATE page SET likes = likes + 1 WHERE id = 7;
UPDATE page SET likes = likes + id RETURNING id % 2 = 0 \g /dev/null
SELECT sum(likes), count(*) FROM page;
BEGIN;
UPDATE page SET likes = likes + 1 WHERE id = 1;
UPDATE page SET likes = likes + 1 WHERE id = 2;
UPDATE page SET likes = likes + 1 WHERE id = 3;
COMMIT;
SELECT id, likes FROM page WHERE id IN (1, 2, 3) ORDER BY id;
SELECT k.name, count(*), sum(p.likes) FROM page p JOIN visit v ON v.page = p.id JOIN kind k ON k.id = p.id % 2 GROUP BY k.name ORDER BY 1;
SELECT n, count(DISTINCT page) FROM visit GROUP BY n HAVING count(*) > 1 ORDER BY n;
SELECT q.page, q.c FROM (SELECT page, count(*) c FROM visit GROUP BY page) q WHERE q.page = 7;
SELECT id % 3, id % 2, count(*), grouping(id % 3, id % 2) FROM page GROUP BY ROLLUP (id % 3, id % 2) ORDER BY 4, 1, 2;
MERGE INTO page p USING (VALUES (7, 10), (99, 1)) v(id, n) ON p.id = v.id WHEN MATCHED THEN UPDATE SET likes = likes + n
  WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'new', v.n);
MERGE INTO page p USING visit v ON p.id = v.page AND v.n = 1 WHEN MATCHED AND p.id > 18 THEN DELETE WHEN MATCHED THEN UPDATE SET title = 'seen';
SELECT id, title, likes FROM page ORDER BY id;
CREATE TABLE best AS SELECT id, likes FROM page WHERE id < 4;
UPDATE page SET likes = likes + 100 WHERE id < 4;
SELECT b.id, b.likes, p.likes FROM page p, best b WHERE p.id = b.id ORDER BY 1;
SELECT count(*) FROM kind\; UPDATE kind SET name = upper(name)\; SELECT max(name) FROM kind;
DELETE FROM visit WHERE page = 5;
SELECT count(*) FROM visit;
