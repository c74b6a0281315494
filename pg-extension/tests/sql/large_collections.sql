-- How large a value of a type over an aggregate may get: 54000 beyond, in the row and beside it, and never a value that cannot be read.
SET client_min_messages = warning;
CREATE TABLE crowd (id int PRIMARY KEY, members abelian.set, ages abelian.dict);
INSERT INTO crowd VALUES (1, ARRAY[repeat('a', 9000000)], NULL);
INSERT INTO crowd VALUES (2, ARRAY[repeat('a', 9000000), repeat('b', 9000000)], NULL);
SET abelian.split = never;
UPDATE crowd SET members = abelian.add(members, repeat('b', 9000000)) WHERE id = 1;
UPDATE crowd SET ages = abelian.put(ages, 'ann', repeat('b', 17000000)) WHERE id = 1;
-- what fits is stored beside, until there is too much of it as well
SET abelian.split = always;
UPDATE crowd SET members = abelian.add(members, repeat('b', 9000000)) WHERE id = 1;
UPDATE crowd SET members = abelian.add(members, repeat('c', 9000000)) WHERE id = 1;
UPDATE crowd SET members = abelian.add(members, 'ann') WHERE id = 1;
SELECT abelian.size(members), abelian.contains(members, 'ann') FROM crowd;
-- it may get smaller, and be overwritten
UPDATE crowd SET members = abelian.remove(members, repeat('a', 9000000)) WHERE id = 1;
SELECT abelian.size(members) FROM crowd;
UPDATE crowd SET members = ARRAY['ann'] WHERE id = 1;
SELECT members FROM crowd;
