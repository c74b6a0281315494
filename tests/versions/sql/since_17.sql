-- since: 17
-- MERGE with RETURNING and WHEN NOT MATCHED BY SOURCE, whoever has the rows.
CREATE TABLE page17 (id bigint PRIMARY KEY, title text, likes abelian.counter DEFAULT 0);
CREATE TABLE other17 (id bigint PRIMARY KEY, likes abelian.counter DEFAULT 0);
/* cluster */ SELECT create_distributed_table('page17', 'id') \g /dev/null
/* cluster */ SELECT create_reference_table('other17') \g /dev/null
INSERT INTO page17 SELECT i, 'a' FROM generate_series(1, 9) i;
INSERT INTO other17 VALUES (1, 5), (2, 6);
MERGE INTO page17 p USING (VALUES (3, 10)) v(id, n) ON p.id = v.id AND p.id = 3 WHEN MATCHED THEN UPDATE SET likes = likes + n;
SELECT id, likes FROM page17 WHERE likes > 0;
MERGE INTO page17 p USING (VALUES (3, 1), (4, 2)) v(id, n) ON p.id = v.id WHEN MATCHED THEN UPDATE SET likes = likes + n
  WHEN NOT MATCHED BY SOURCE AND p.id > 7 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET title = 'unmatched';
SELECT * FROM page17 ORDER BY id;
MERGE INTO page17 p USING (VALUES (4, 10)) v(id, n) ON p.id = v.id AND p.id = 4 WHEN MATCHED THEN UPDATE SET likes = likes + n
  RETURNING merge_action(), p.id, likes, n;
MERGE INTO page17 p USING (VALUES (3, 1), (4, 1), (40, 2)) v(id, n) ON p.id = v.id WHEN MATCHED THEN UPDATE SET likes = likes + n
  WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'x', v.n) RETURNING merge_action(), p.id, title, likes, n;
MERGE INTO page17 p USING (VALUES (3, 1), (4, 1), (41, 2)) v(id, n) ON p.id = v.id WHEN MATCHED THEN DO NOTHING
  WHEN NOT MATCHED THEN INSERT VALUES (v.id, 'x', v.n) RETURNING merge_action(), p.*, v.*;
WITH made AS (MERGE INTO page17 p USING other17 v ON p.title = 'unmatched' AND p.id = v.id + 4 WHEN MATCHED THEN UPDATE SET title = 'again'
  RETURNING merge_action() AS action, p.id, v.id AS other) SELECT * FROM made ORDER BY id;
MERGE INTO page17 p USING other17 v ON p.id = v.id WHEN NOT MATCHED BY SOURCE AND p.id > 6 THEN DELETE WHEN MATCHED THEN UPDATE SET likes = p.likes + v.likes;
SELECT * FROM page17 ORDER BY id;
MERGE INTO other17 o USING (VALUES (1, 10), (3, 1)) v(id, n) ON o.id = v.id WHEN MATCHED THEN UPDATE SET likes = likes + n
  WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT * FROM other17;
MERGE INTO other17 o USING (VALUES (1, 1), (2, 2), (3, 3)) v(id, n) ON o.id = v.id WHEN MATCHED THEN UPDATE SET likes = likes + n
  WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n) RETURNING merge_action(), v.*, o.*;
MERGE INTO other17 o USING (SELECT id FROM page17 WHERE id > 1000) v ON o.id = v.id WHEN MATCHED THEN DO NOTHING WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT * FROM other17;
SELECT * FROM json_table('[{"id": 1}, {"id": 3}]', '$[*]' COLUMNS (id int PATH '$.id')) j JOIN page17 p USING (id) ORDER BY id;
