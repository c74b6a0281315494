-- What is remembered of a sum, so that operations far from the bounds need not add it up: whoever operates in another way, or under other
-- bounds, is remembered too. Each last statement of a part would cross a bound.
SET abelian.split = always;
CREATE TABLE item (id int PRIMARY KEY, note text, stock abelian.bounded_counter(0, 100) DEFAULT 50, credit abelian.bounded_decimal(2) DEFAULT 50,
  CONSTRAINT credit_left CHECK (credit BETWEEN 0 AND 100));
INSERT INTO item (id) SELECT generate_series(1, 20);
-- Operations in slices, in the row, and alone.
UPDATE item SET stock = stock + 1, credit = credit + 1 WHERE id = 1;
UPDATE item SET stock = stock + 19, credit = credit + 19 FROM (VALUES (1)) v(id) WHERE item.id = v.id;
SET abelian.split = never;
UPDATE item SET stock = stock + 20, credit = credit + 20 WHERE id = 1;
SET abelian.split = always;
UPDATE item SET stock = stock + 9, credit = credit + 9 WHERE id = 1;
UPDATE item SET stock = stock + 2 WHERE id = 1;
UPDATE item SET credit = credit + 1.01 WHERE id = 1;
UPDATE item SET stock = stock - 98, credit = credit - 98 WHERE id = 1;
UPDATE item SET stock = stock - 2 WHERE id = 1;
UPDATE item SET credit = credit - 1.01 WHERE id = 1;
SELECT * FROM item WHERE id = 1;
-- Overwrites.
UPDATE item SET stock = stock + 1 WHERE id = 2;
UPDATE item SET stock = 99 WHERE id = 2;
UPDATE item SET stock = stock + 1 WHERE id = 2;
UPDATE item SET stock = stock + 1 WHERE id = 2;
BEGIN;
UPDATE item SET stock = stock - 5 WHERE id = 3;
SELECT stock FROM item WHERE id = 3;
UPDATE item SET stock = 2 WHERE id = 3;
UPDATE item SET stock = stock - 1 WHERE id = 3;
UPDATE item SET stock = stock - 2 WHERE id = 3;
ROLLBACK;
-- What a transaction goes back to.
BEGIN;
SAVEPOINT s;
UPDATE item SET stock = stock + 40 WHERE id = 4;
UPDATE item SET stock = stock + 5 WHERE id = 4;
ROLLBACK TO s;
UPDATE item SET stock = stock - 30 WHERE id = 4;
SAVEPOINT t;
UPDATE item SET stock = stock - 15 WHERE id = 4;
ROLLBACK TO t;
UPDATE item SET stock = stock - 20 WHERE id = 4;
COMMIT;
UPDATE item SET stock = stock - 1 WHERE id = 4;
-- Another type, or other bounds, and back.
UPDATE item SET stock = 20 WHERE id < 5;
UPDATE item SET stock = stock + 1 WHERE id IN (5, 6);
ALTER TABLE item ALTER stock TYPE abelian.counter;
UPDATE item SET stock = stock - 41 WHERE id = 5;
UPDATE item SET stock = stock + 40 WHERE id = 6;
ALTER TABLE item ALTER stock TYPE abelian.bounded_counter(0, 100);
UPDATE item SET stock = stock - 11 WHERE id = 5;
UPDATE item SET stock = stock + 10 WHERE id = 6;
ALTER TABLE item ALTER stock TYPE abelian.bounded_counter(9, 92);
UPDATE item SET stock = stock - 2 WHERE id = 5;
UPDATE item SET stock = stock + 2 WHERE id = 6;
-- Sizes of sets.
CREATE TABLE event (id int PRIMARY KEY, seats int, note text, guests abelian.set DEFAULT '{}', CONSTRAINT fits CHECK (abelian.size(guests) <= seats));
INSERT INTO event (id, seats) VALUES (1, 6), (2, 6);
UPDATE event SET guests = abelian.add(guests, 'a');
ALTER TABLE event DROP CONSTRAINT fits;
UPDATE event SET guests = abelian.add_all(guests, '{b,c}');
ALTER TABLE event ADD CONSTRAINT fits CHECK (abelian.size(guests) <= seats);
UPDATE event SET guests = abelian.add(guests, 'd');
SET abelian.split = never;
UPDATE event SET guests = abelian.add_all(guests, '{e,f}');
SET abelian.split = always;
UPDATE event SET guests = abelian.add(guests, 'g') WHERE id = 1;
UPDATE event SET guests = abelian.add(abelian.remove(guests, 'f'), 'g') WHERE id = 1;
UPDATE event SET guests = abelian.add(guests, 'h') WHERE id = 1;
UPDATE event SET seats = 7;
UPDATE event SET guests = abelian.add(guests, 'h') WHERE id = 1;
UPDATE event SET guests = abelian.add(guests, 'i') WHERE id = 1;
SELECT * FROM event ORDER BY id;
