-- since: 16
-- A subquery needs no alias; SQL's constructors of JSON; ANY_VALUE.
CREATE TABLE page16 (id bigint PRIMARY KEY, likes abelian.counter DEFAULT 0);
/* cluster */ SELECT create_distributed_table('page16', 'id') \g /dev/null
INSERT INTO page16 SELECT i FROM generate_series(1, 9) i;
UPDATE page16 SET likes = likes + 2;
SELECT sum(n) FROM (SELECT id % 2 n FROM page16);
SELECT json_object('id': id, 'likes': likes::bigint) FROM page16 WHERE id = 3;
SELECT any_value(likes::bigint) FROM page16;
