-- Rows that follow a change of the placement fire no triggers: only who owns the table may say so, and only the extension makes triggers that
-- nobody sees.
SELECT abelian.mute_triggers('victims.orders');
--! 42501
SELECT abelian.add_internal_trigger('victims.orders', 'CREATE TRIGGER t AFTER INSERT ON victims.orders FOR EACH ROW EXECUTE FUNCTION abelian.refuse_row()');
--! 42501
-- as: victim
CREATE TABLE victims.watched (id int);
CREATE FUNCTION victims.refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''seen'' USING ERRCODE = ''AB999''; END';
CREATE TRIGGER refuse BEFORE INSERT ON victims.watched FOR EACH ROW EXECUTE FUNCTION victims.refuse();
-- Not even the owner's own word lasts longer than his statement.
SELECT abelian.mute_triggers('victims.watched');
INSERT INTO victims.watched VALUES (1);
--! AB999
BEGIN;
SELECT abelian.mute_triggers('victims.watched');
INSERT INTO victims.watched VALUES (1);
--! AB999
ROLLBACK;
SELECT abelian.add_internal_trigger('victims.watched', 'CREATE TRIGGER t AFTER INSERT ON victims.watched FOR EACH ROW EXECUTE FUNCTION victims.refuse()');
--! 42501
DROP TABLE victims.watched;
DROP FUNCTION victims.refuse();
