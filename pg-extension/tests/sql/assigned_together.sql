-- Several columns get the values of one query, in a table that has an Abelian column as well.
CREATE TABLE item (id int PRIMARY KEY, k int, stock abelian.counter NOT NULL DEFAULT 0, name text);
INSERT INTO item VALUES (1, 1, 1, 'a'), (2, 2, 2, 'b');
INSERT INTO item VALUES (1, 2, 0, 'b') ON CONFLICT (id) DO UPDATE SET (k, name) = (SELECT 7, 'c');
MERGE INTO item USING (VALUES (2)) s (x) ON id = x WHEN MATCHED THEN UPDATE SET (k, name) = (SELECT 8, max(relname::text) FROM pg_class WHERE relname = 'item');
INSERT INTO item VALUES (1, 2, 5, 'b') ON CONFLICT (id) DO UPDATE SET (k, name) = (SELECT item.k + 1, item.name || 'd'), stock = item.stock + excluded.stock;
UPDATE item SET (k, name) = (SELECT item.k * 10, item.name || 'e');
SELECT * FROM item ORDER BY id;
DROP TABLE item;
