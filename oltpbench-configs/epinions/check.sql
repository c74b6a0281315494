-- What must hold after a run, which inserts and deletes nothing. Each query gives the rows that are wrong, so each should give none.

-- Loaded is what the loader was asked for: it goes on after errors.
SELECT 'people' AS wrong, count(*), max(u_id) FROM useracct HAVING count(*) = 0 OR count(*) <> max(u_id) + 1;
SELECT 'items' AS wrong, count(*), max(i_id) FROM item HAVING count(*) = 0 OR count(*) <> max(i_id) + 1;
SELECT i_id FROM item WHERE NOT EXISTS (SELECT FROM review WHERE review.i_id = item.i_id) LIMIT 10;

-- A person reviews an item once, and trusts another once.
SELECT i_id, u_id, count(*) FROM review GROUP BY i_id, u_id HAVING count(*) > 1 LIMIT 10;
SELECT source_u_id, target_u_id, count(*) FROM trust GROUP BY source_u_id, target_u_id HAVING count(*) > 1 LIMIT 10;

-- What the foreign keys that are left out would demand, over all nodes.
SELECT a_id, u_id, i_id FROM review WHERE NOT EXISTS (SELECT FROM useracct WHERE useracct.u_id = review.u_id) LIMIT 10;
SELECT source_u_id, target_u_id FROM trust WHERE NOT EXISTS (SELECT FROM useracct WHERE u_id = target_u_id) LIMIT 10;
