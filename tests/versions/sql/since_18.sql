-- since: 18
-- OLD and NEW in RETURNING; virtual generated columns, which UPDATE computes nothing of; keys from uuidv7().
CREATE TABLE page18 (id bigint PRIMARY KEY, title text, likes abelian.counter DEFAULT 0, shout text GENERATED ALWAYS AS (title || '!') VIRTUAL);
/* cluster */ SELECT create_distributed_table('page18', 'id') \g /dev/null
INSERT INTO page18 (id, title) SELECT i, 'a' FROM generate_series(1, 9) i;
UPDATE page18 SET likes = likes + 3 WHERE id = 3;
UPDATE page18 SET likes = likes + 1 WHERE id = 3 RETURNING old.likes, new.likes, likes, shout;
UPDATE page18 SET likes = likes + 1 WHERE id = 3 RETURNING old.title, new.title;
UPDATE page18 SET title = 'b' WHERE id = 3 RETURNING old.title, old.shout, new.*;
INSERT INTO page18 VALUES (3, 'c', 1) ON CONFLICT (id) DO UPDATE SET likes = page18.likes + 1 RETURNING old.likes, new.likes;
DELETE FROM page18 WHERE id = 3 RETURNING old.likes, new.likes;
WITH changed AS (UPDATE page18 SET likes = likes + id RETURNING id, old.likes AS was, new.likes AS becomes)
  SELECT sum(was), sum(becomes), count(*) FROM changed;
SELECT shout, count(*) FROM page18 GROUP BY shout;
SELECT uuid_extract_version(uuidv7());
