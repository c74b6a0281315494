SET abelian.split = always;
CREATE TABLE page (id bigint PRIMARY KEY, likes abelian.counter);
INSERT INTO page VALUES (1, 0), (2, 0);
UPDATE page SET likes = likes + 1;
BEGIN; -- which keeps the parts from being folded
UPDATE page SET likes = likes + 1;
