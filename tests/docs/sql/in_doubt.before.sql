\set older_than '0 s'
CREATE TABLE page (id bigint PRIMARY KEY, likes bigint);
INSERT INTO page VALUES (1, 0);
BEGIN;
UPDATE page SET likes = 1;
PREPARE TRANSACTION 'nightly batch';
