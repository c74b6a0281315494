-- Transactions in doubt: prepared, and neither committed nor rolled back for longer than a moment. Routers finish theirs within seconds; what stays was left by a
-- router that is gone, waits for a node that is down, or is no router's at all.
-- Runs on: node, as any role; psql -v older_than='1 minute' asks for older ones than 10 seconds.
\if :{?older_than}
\else
\set older_than '10 seconds'
\endif

-- `whose` says who has to finish it: of a router's, the gid names the node that keeps the decision.
SELECT x.gid, x.owner, date_trunc('second', clock_timestamp() - x.prepared) AS age,
       CASE WHEN x.gid ~ '^abelian:[0-9]+:' THEN format('a router''s: node %s keeps the decision', split_part(x.gid, ':', 2))
            WHEN x.gid ~ '^abelian' THEN 'a router''s'
            ELSE 'the application''s: COMMIT PREPARED or ROLLBACK PREPARED' END AS whose
  FROM pg_prepared_xacts x
 WHERE x.database = current_database() AND x.prepared < clock_timestamp() - :'older_than'::interval
 ORDER BY x.prepared, x.gid;

-- What routers need to finish them: each owner must have the router's role as a member.
SELECT DISTINCT x.owner, EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid WHERE r.rolname = x.owner) AS has_members
  FROM pg_prepared_xacts x
 WHERE x.database = current_database() AND x.gid ~ '^abelian' AND x.prepared < clock_timestamp() - :'older_than'::interval
 ORDER BY x.owner;
