-- All values, by the indexes and without.
SELECT count(*), sum(likes), sum(paid), max(best), count(DISTINCT title) FROM page;
SELECT * FROM page WHERE id < 16 OR id > 2000 ORDER BY id;
SELECT id, likes FROM page ORDER BY likes DESC, id LIMIT 12;
SELECT count(*) FROM page WHERE likes > 900;
SELECT stock, seats, count(*) FROM item GROUP BY stock, seats ORDER BY 1, 2;
SELECT id, tags::text[] @> '{all}' AS "all", abelian.size(tags), abelian.contains(readers, id) AS reads, abelian.score(points, 'p' || id % 4) AS score,
  abelian.count(votes, 'yes') AS yes, abelian.get(settings, 'k' || id % 5) AS setting, bidders FROM collected ORDER BY id LIMIT 20;
SELECT id, mean::numeric, whole::numeric, deviation::double precision, spread::numeric, spent, days, ever, round(abelian.mean(bag), 3) AS bag, seen, last FROM summed ORDER BY id;
SELECT * FROM rate ORDER BY code;
SELECT * FROM alone;
SELECT id FROM person WHERE email = 'p7@example.org';
