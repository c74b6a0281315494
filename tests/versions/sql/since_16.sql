-- since: 16
-- A subquery needs no alias; SQL's constructors of JSON; ANY_VALUE. DO, whose block PL/pgSQL does not compile for others any more.
CREATE TABLE page16 (id bigint PRIMARY KEY, likes abelian.counter DEFAULT 0);
/* cluster */ SELECT create_distributed_table('page16', 'id') \g /dev/null
INSERT INTO page16 SELECT i FROM generate_series(1, 9) i;
UPDATE page16 SET likes = likes + 2;
SELECT sum(n) FROM (SELECT id % 2 n FROM page16);
SELECT json_object('id': id, 'likes': likes::bigint) FROM page16 WHERE id = 3;
SELECT any_value(likes::bigint) FROM page16;
DO 'BEGIN UPDATE page16 SET likes = likes + 1 WHERE id = 1; END';
DO 'BEGIN UPDATE page16 SET likes = likes + 1; DELETE FROM page16 WHERE id = 2; END';
DO $$ BEGIN CREATE TYPE mood16 AS ENUM ('sad', 'ok'); EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE TYPE mood16 AS ENUM ('sad', 'ok'); EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN THIS IS NOTHING; END $$;
SELECT *, 'ok'::mood16 FROM page16 ORDER BY id;
