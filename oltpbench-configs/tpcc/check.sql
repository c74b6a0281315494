-- What must hold after a run. Each query gives the rows that are wrong, so each should give none.

-- Loaded is what the loader was asked for: it goes on after errors.
SELECT 'items' AS wrong, count(*) FROM item HAVING count(*) <> 100000;
SELECT s_w_id, count(*) FROM stock GROUP BY s_w_id HAVING count(*) <> 100000;
SELECT c_w_id, count(*) FROM customer GROUP BY c_w_id HAVING count(*) <> 30000;
SELECT d_w_id, count(*) FROM district GROUP BY d_w_id HAVING count(*) <> 10;

-- A district has given out the numbers of its orders, and the newest ones are to be delivered, without gaps.
SELECT d_w_id, d_id, d_next_o_id FROM district
WHERE d_next_o_id - 1 <> (SELECT max(o_id) FROM oorder WHERE o_w_id = d_w_id AND o_d_id = d_id);
SELECT no_w_id, no_d_id, count(*) FROM new_order GROUP BY no_w_id, no_d_id HAVING count(*) <> max(no_o_id) - min(no_o_id) + 1;

-- Orders have as many lines as they say.
SELECT d_w_id, d_id FROM district
WHERE (SELECT sum(o_ol_cnt) FROM oorder WHERE o_w_id = d_w_id AND o_d_id = d_id)
   <> (SELECT count(*) FROM order_line WHERE ol_w_id = d_w_id AND ol_d_id = d_id);

-- A warehouse has what its districts have. Plain columns hold two digits behind the point, and BenchBase pays with more: each payment may be off by a cent.
SELECT w_id FROM warehouse
WHERE abs(w_ytd::numeric - (SELECT sum(d_ytd::numeric) FROM district WHERE d_w_id = w_id))
    > 0.01 * (SELECT count(*) FROM history WHERE h_w_id = w_id);
