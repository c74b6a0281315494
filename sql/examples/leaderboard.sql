-- A leaderboard: points of all players of a game in one value, and the best results of all time in another.
-- Runs on: node.
CREATE SCHEMA leaderboard;
SET search_path = leaderboard;

CREATE TABLE game (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  points abelian.scored_set NOT NULL DEFAULT '{}',           -- the points of each player, added up
  records abelian.top_k NOT NULL DEFAULT abelian.top_k(3)    -- the three best rounds
);
INSERT INTO game (id, name) VALUES (1, 'chess');

-- The end of a round: players of one game are written side by side.
UPDATE game SET points = abelian.add(points, 'ann', 30), records = abelian.add(records, 30, 'ann') WHERE id = 1;
UPDATE game SET points = abelian.add(points, 'bob', 45), records = abelian.add(records, 45, 'bob') WHERE id = 1;
UPDATE game SET points = abelian.add(points, 'ann', 20), records = abelian.add(records, 20, 'ann') WHERE id = 1;
UPDATE game SET points = abelian.add(points, 'cy', 5), records = abelian.add(records, 5, 'cy') WHERE id = 1;

-- The table of the best, one player's points and rank, and the records.
SELECT row_number() OVER () AS rank, t.item AS player, t.score AS points FROM game g, abelian.top(g.points, 10) t WHERE g.id = 1;
SELECT abelian.score(g.points, 'ann') AS points,
       1 + (SELECT count(*) FROM abelian.top(g.points, 1000) t WHERE t.score > abelian.score(g.points, 'ann')) AS rank
  FROM game g WHERE g.id = 1;
SELECT r.item AS player, r.score AS points FROM game g, abelian.top(g.records, 3) r WHERE g.id = 1;

-- A player who was disqualified. This locks that player's points against additions, those of others pass.
UPDATE game SET points = abelian.remove(points, 'bob') WHERE id = 1;
SELECT t.item AS player, t.score AS points FROM game g, abelian.top(g.points, 10) t WHERE g.id = 1;

DROP SCHEMA leaderboard CASCADE;
