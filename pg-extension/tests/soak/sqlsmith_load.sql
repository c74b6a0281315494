\set id random(1, 20)
\set what random(1, 10)
\if :what < 6
UPDATE hot SET a_counter = a_counter + 1, a_bounded_counter = a_bounded_counter + 1, a_max = greatest(a_max, :id) WHERE id <= 2;
\elif :what < 7
UPDATE parted SET a_counter = a_counter + 1, a_decimal_counter = a_decimal_counter - 1 WHERE id < :id;
\elif :what < 8
UPDATE triggered SET a_counter = a_counter + 1 WHERE id = :id;
\elif :what < 9
UPDATE guarded SET a_decimal_counter = a_decimal_counter + 1 WHERE id = :id;
\elif :what < 10
UPDATE ordinary SET a_max = greatest(a_max, :id) WHERE id = :id;
\else
UPDATE hot SET a_counter = 5, a_bounded_counter = 5 WHERE id = :id;
\endif
