-- The functions by which routers move the rows of a table must not read, write or delete rows for anybody else.
-- as: stranger
SELECT * FROM abelian.take_rows('victims.orders', '(0,0)');
--! 42501
SELECT abelian.give_rows('victims.orders', '{}');
--! 42501
SELECT abelian.end_move('victims.orders');
--! 42501
SELECT abelian.move_step('victims.orders', true);
--! 42501
SELECT abelian.begin_move('victims.orders', 1);
--! 42501
INSERT INTO abelian.moving VALUES ('victims.orders', 1, now());
--! 42501
-- as: victim
SET abelian.placement_version = 2147483647;
SET abelian.node_id = 2;
SELECT * FROM abelian.take_rows('victims.orders', '(0,0)');
--! 55000
SELECT abelian.give_rows('victims.orders', '{}');
--! 55000
SELECT abelian.end_move('victims.orders');
--! 55000
SELECT abelian.advance_sequence('victims.orders', 'victims.orders', 1);
--! 55000
