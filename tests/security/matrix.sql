-- Prints docs/reference/privileges.md from the catalogue of a database with the extension.
\pset format unaligned
\pset tuples_only on
\pset pager off
SET search_path = pg_catalog;

CREATE TEMP VIEW member AS
  SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
   WHERE e.extname IN ('abelian', 'abelian_cluster') AND d.deptype = 'e';

-- A row for each function; `roles` are those beside its owner to whom it was granted, by themselves.
CREATE TEMP VIEW function AS
  SELECT p.oid::regprocedure::text AS signature, p.prosecdef AS definer, p.prorettype IN ('trigger'::regtype, 'event_trigger'::regtype) AS is_trigger,
         coalesce((SELECT string_agg(CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END, ', ' ORDER BY 1)
                     FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE a.grantee <> p.proowner), '') AS roles,
         -- Types and aggregates: they compute, and read what the statement may read.
         p.prokind = 'a' OR l.lanname IN ('c', 'sql') AND NOT p.prosecdef AND (p.prorettype = ANY (types.all) OR p.proargtypes::oid[] && types.all OR p.proname ~ '_(empty|step|merge|value|figure|state_of|cut|slice|order)$') AS of_types
    FROM pg_proc p JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid JOIN pg_language l ON l.oid = p.prolang,
         (SELECT array_agg(t.oid) AS all FROM pg_type t JOIN member m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid WHERE t.typtype = 'b') types;

\qecho '# Who may call, read and set what'
\qecho
\qecho 'Every function, table, view and setting of the extensions, and what was granted. The page is made from the catalogue by `tests/security/run --bless matrix`; the tests fail'
\qecho 'when the catalogue has something else. [Security](../security.md) says what each role can do with it. A superuser, and the owner of the extensions, may do all of it.'
\qecho 'The roles: `PUBLIC` is everybody; `abelian_router` is granted to routers, and with `abelian_server` to router servers.'
\qecho
\qecho '## Functions that not everybody may call'
\qecho
\qecho 'No role stands beside what only other functions of the extensions call.'
\qecho
\qecho '| function | granted to | runs as |'
\qecho '|---|---|---|'
SELECT format('| `%s` | %s | %s |', signature, roles, CASE WHEN definer THEN 'the owner' ELSE 'the caller' END)
  FROM function WHERE roles <> 'PUBLIC' ORDER BY roles = '', signature COLLATE "C";
\qecho
\qecho '## Functions for everybody that run as the extension''s owner'
\qecho
\qecho '| function |'
\qecho '|---|'
SELECT format('| `%s` |', signature) FROM function WHERE roles = 'PUBLIC' AND definer ORDER BY signature COLLATE "C";
\qecho
\qecho '## Functions for everybody'
\qecho
\qecho 'They run with the rights of who calls them.'
\qecho
\qecho '| function |'
\qecho '|---|'
SELECT format('| `%s` |', signature) FROM function WHERE roles = 'PUBLIC' AND NOT definer AND NOT of_types ORDER BY signature COLLATE "C";
\qecho
\qecho '## Functions of the types'
\qecho
\qecho 'For everybody, with the rights of who calls them: input and output, casts, operators, operations, aggregates.'
\qecho
\qecho '| function |'
\qecho '|---|'
SELECT format('| `%s` |', signature) FROM function WHERE roles = 'PUBLIC' AND NOT definer AND of_types ORDER BY signature COLLATE "C";
\qecho
\qecho '## Tables, views and sequences'
\qecho
\qecho '| relation | kind | granted |'
\qecho '|---|---|---|'
SELECT format('| `%s` | %s | %s |', c.oid::regclass, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence' ELSE c.relkind::text END,
              coalesce((SELECT string_agg(format('%s to %s', g.privileges, g.grantee), '; ' ORDER BY g.grantee)
                          FROM (SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee, string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type) AS privileges
                                  FROM aclexplode(c.relacl) a WHERE a.grantee <> c.relowner GROUP BY 1) g), ''))
  FROM pg_class c JOIN member m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid WHERE c.relkind IN ('r', 'v', 'm', 'S', 'f', 'p')
 ORDER BY c.oid::regclass::text COLLATE "C";
\qecho
\qecho '## Settings'
\qecho
\qecho '`user`: anybody, for a session of his own. `sighup`: in the configuration of the server. `internal`: nobody, as the node sets it.'
\qecho
\qecho '| setting | set by |'
\qecho '|---|---|'
SELECT format('| `%s` | %s |', s.name, s.context) FROM (SELECT name, context FROM pg_settings WHERE name LIKE 'abelian.%'
  UNION SELECT name, 'user' FROM unnest('{abelian.commit_statistics,abelian.router_statistics,abelian.routing_rules}'::text[]) name WHERE current_setting(name, true) IS NOT NULL) s ORDER BY s.name COLLATE "C";
\qecho
\qecho '## Event triggers'
\qecho
\qecho '| event trigger | event | function |'
\qecho '|---|---|---|'
SELECT format('| `%s` | %s | `%s` |', t.evtname, t.evtevent, t.evtfoid::regprocedure)
  FROM pg_event_trigger t JOIN member m ON m.classid = 'pg_event_trigger'::regclass AND m.objid = t.oid ORDER BY t.evtname COLLATE "C";
