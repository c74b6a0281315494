-- What must hold after a run. Each query gives the rows that are wrong, so each should give none.

-- Loaded is what the loader was asked for: it goes on after errors.
SELECT 'regions' AS wrong, count(*) FROM region HAVING count(*) <> 75;
SELECT 'people' AS wrong, count(*) FROM useracct HAVING count(*) % 1000 <> 0 OR count(*) = 0;
SELECT 'items' AS wrong, count(*) FROM item HAVING count(*) = 0;
SELECT 'bids' AS wrong, count(*) FROM item_bid HAVING count(*) = 0;

-- An auction counts its bids, comments and pictures.
SELECT i_id, i_u_id, i_num_bids, n
FROM item LEFT JOIN (SELECT ib_u_id, ib_i_id, count(*) AS n FROM item_bid GROUP BY ib_u_id, ib_i_id) bids ON ib_u_id = i_u_id AND ib_i_id = i_id
WHERE i_num_bids <> coalesce(n, 0) LIMIT 10;
SELECT i_id, i_u_id, i_num_comments, n
FROM item LEFT JOIN (SELECT ic_u_id, ic_i_id, count(*) AS n FROM item_comment GROUP BY ic_u_id, ic_i_id) comments ON ic_u_id = i_u_id AND ic_i_id = i_id
WHERE i_num_comments <> coalesce(n, 0) LIMIT 10;
SELECT i_id, i_u_id, i_num_images, n
FROM item LEFT JOIN (SELECT ii_u_id, ii_i_id, count(*) AS n FROM item_image GROUP BY ii_u_id, ii_i_id) images ON ii_u_id = i_u_id AND ii_i_id = i_id
WHERE i_num_images <> coalesce(n, 0) LIMIT 10;

-- A seller counts the comments that wait for an answer.
SELECT u_id, u_comments, n
FROM useracct LEFT JOIN (SELECT ic_u_id, count(*) AS n FROM item_comment WHERE ic_response IS NULL GROUP BY ic_u_id) waiting ON ic_u_id = u_id
WHERE u_comments <> coalesce(n, 0) LIMIT 10;

-- The highest bid of an auction is one of its bids.
SELECT imb_i_id, imb_u_id, imb_ib_id FROM item_max_bid
WHERE NOT EXISTS (SELECT FROM item_bid WHERE ib_id = imb_ib_id AND ib_i_id = imb_i_id AND ib_u_id = imb_u_id) LIMIT 10;

-- What the foreign keys that are left out would demand, over all nodes.
SELECT ib_id, ib_i_id, ib_buyer_id FROM item_bid WHERE NOT EXISTS (SELECT FROM useracct WHERE u_id = ib_buyer_id) LIMIT 10;
SELECT ic_id, ic_i_id, ic_buyer_id FROM item_comment WHERE NOT EXISTS (SELECT FROM useracct WHERE u_id = ic_buyer_id) LIMIT 10;
SELECT uf_i_id, uf_from_id FROM useracct_feedback WHERE NOT EXISTS (SELECT FROM useracct WHERE u_id = uf_from_id) LIMIT 10;
SELECT ui_u_id, ui_i_id FROM useracct_item WHERE NOT EXISTS (SELECT FROM item WHERE i_id = ui_i_id AND i_u_id = ui_i_u_id) LIMIT 10;
SELECT uw_u_id, uw_i_id FROM useracct_watch WHERE NOT EXISTS (SELECT FROM item WHERE i_id = uw_i_id AND i_u_id = uw_i_u_id) LIMIT 10;
