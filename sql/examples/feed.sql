-- A feed: a post goes to the timelines of all followers, which lie on several nodes. Timelines keep the newest posts only, and no two posts wait for each other.
-- Runs on: cluster.
CREATE SCHEMA feed;
SET search_path = feed;

CREATE TABLE person (
  name text PRIMARY KEY,
  followers abelian.set NOT NULL DEFAULT '{}',
  posts abelian.counter NOT NULL DEFAULT 0,
  timeline abelian.top_k NOT NULL DEFAULT abelian.top_k(3)  -- the number of the post, which grows with time, is the score
);
CREATE TABLE post (
  author text REFERENCES person,
  number bigint,
  body text NOT NULL,
  PRIMARY KEY (author, number)
);
SELECT create_distributed_table('person', 'name', colocate_with => 'none');
SELECT create_distributed_table('post', 'author', colocate_with => 'person');
INSERT INTO person (name) VALUES ('ann'), ('bob'), ('cy'), ('dan');

-- Following is an addition to a set.
UPDATE person SET followers = abelian.add(followers, 'bob') WHERE name = 'ann';
UPDATE person SET followers = abelian.add(followers, 'cy') WHERE name = 'ann';
UPDATE person SET followers = abelian.add(followers, 'cy') WHERE name = 'dan';

-- A post: the row and the author's count on the author's node, the timelines on those of the followers, in one transaction.
BEGIN;
INSERT INTO post VALUES ('ann', 1, 'good morning');
UPDATE person SET posts = posts + 1 WHERE name = 'ann';
UPDATE person SET timeline = abelian.add(timeline, 1, 'ann: good morning') WHERE name IN ('bob', 'cy');
COMMIT;
BEGIN;
INSERT INTO post VALUES ('dan', 2, 'good evening');
UPDATE person SET posts = posts + 1 WHERE name = 'dan';
UPDATE person SET timeline = abelian.add(timeline, 2, 'dan: good evening') WHERE name = 'cy';
COMMIT;

-- Reading a timeline is one row on one node.
SELECT t.score AS number, t.item AS post FROM person p, abelian.top(p.timeline, 10) t WHERE p.name = 'cy';
SELECT name, posts, followers FROM person WHERE posts > 0 ORDER BY name;
SELECT count(*) AS posts, (SELECT sum(posts) FROM person) AS counted FROM post;

DROP SCHEMA feed CASCADE;
