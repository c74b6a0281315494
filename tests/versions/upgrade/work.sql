-- Operations on what there was before and on what comes new; most leave slices, some change the row.
SET abelian.split = always;
UPDATE page SET likes = likes + 100 WHERE id % 3 = 0 AND id <= 90;
UPDATE page SET likes = likes - 1, paid = paid + 0.5, best = greatest(best, id + 5000) WHERE id <= 60;
UPDATE item SET stock = stock - 2, seats = seats + 2;
UPDATE item SET stock = stock - 100 WHERE id = 7;
UPDATE collected SET tags = abelian.add_all(tags, ARRAY['t' || id, 'all']), readers = abelian.add(readers, id), points = abelian.add(points, 'p' || id % 4, 1.5),
  votes = abelian.add(votes, 'yes', 2), settings = abelian.put(settings, 'k' || id % 5, 'v' || id), bidders = abelian.add(bidders, id, 'b' || id);
UPDATE collected SET tags = abelian.remove(tags, 'all') WHERE id % 7 = 0;
UPDATE summed SET mean = abelian.add(mean, id / 3.0), whole = abelian.add(whole, id * 5), deviation = abelian.add(deviation, id * 1.25), spread = abelian.add(spread, id + 0.5),
  spent = abelian.add(spent, '1 hour'), days = greatest(days, '2026-01-01'), ever = ever OR id % 2 = 0, bag = abelian.add(bag, id), seen = abelian.put(seen, 'k' || id % 3, timestamptz '2026-05-05 12:00Z', to_jsonb(id)), last = abelian.add(last, id, 'v' || id);
UPDATE alone SET n = n + 5;
CALL give(1, 2, 10);
CALL give(3, 14, 10);
BEGIN;
UPDATE page SET title = title || '!' WHERE id IN (11, 12, 13, 14, 15);
UPDATE item SET stock = stock + 1 WHERE id IN (1, 2, 3, 4, 5);
COMMIT;
RESET abelian.split;
UPDATE rate SET value = value + 0.01 WHERE code = 'USD';
INSERT INTO page (id, title) SELECT 1 + max(id), 'new' FROM page;
UPDATE page SET likes = likes + 7 WHERE id > 2000;
