-- A counter prints, loads, compares and aggregates as the plain number it stands for.
\pset format unaligned
CREATE TABLE page (id int PRIMARY KEY, likes abelian.counter, paid abelian.decimal_counter);
INSERT INTO page VALUES (1, 5, 1.50), (2, '7', '2.25'), (3, NULL, NULL);
SELECT * FROM page ORDER BY id;
SELECT id FROM page WHERE likes > 5 OR paid = 1.5 ORDER BY id;
SELECT sum(likes), max(paid), count(likes) FROM page;
SELECT likes + 1, paid * 2 FROM page ORDER BY id;
-- Bad input gets PostgreSQL's own error.
\set VERBOSITY sqlstate
INSERT INTO page VALUES (4, 'many', 0);
INSERT INTO page VALUES (4, 9223372036854775808, 0);
