-- Texts and values that are made to exhaust the router: errors, and it goes on for others.
SELECT length(repeat('x', 50000000));
--= 50000000
SELECT 1 WHERE true AND (SELECT count(*) FROM generate_series(1, 10)) = 11;
\set many `printf '1%.0s + 1' $(seq 1 20000)`
SELECT :many;
--! 54001
\set deep `printf '(%.0s' $(seq 1 20000)`
\set back `printf ')%.0s' $(seq 1 20000)`
SELECT :deep 1 :back;
--! 42601
-- as: client
SELECT 1;
--= 1
