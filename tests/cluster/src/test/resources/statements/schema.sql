-- What a node has in the schemas of the cases, and beside schemas under their names, one line each; nothing that depends on OIDs.
WITH space AS (
       SELECT oid, nspname, pg_get_userbyid(nspowner) AS owner, nspacl::text AS acl FROM pg_namespace WHERE nspname = 'w' OR nspname LIKE 'w\_%'
     ),
     class AS (
       SELECT c.*, n.nspname FROM pg_class c JOIN space n ON n.oid = c.relnamespace
     ),
     member AS (
       SELECT 'pg_class'::regclass AS classid, oid FROM class
       UNION ALL SELECT 'pg_proc'::regclass, p.oid FROM pg_proc p JOIN space n ON n.oid = p.pronamespace
       UNION ALL SELECT 'pg_type'::regclass, p.oid FROM pg_type p JOIN space n ON n.oid = p.typnamespace
       UNION ALL SELECT 'pg_operator'::regclass, p.oid FROM pg_operator p JOIN space n ON n.oid = p.oprnamespace
       UNION ALL SELECT 'pg_opclass'::regclass, p.oid FROM pg_opclass p JOIN space n ON n.oid = p.opcnamespace
       UNION ALL SELECT 'pg_opfamily'::regclass, p.oid FROM pg_opfamily p JOIN space n ON n.oid = p.opfnamespace
       UNION ALL SELECT 'pg_collation'::regclass, p.oid FROM pg_collation p JOIN space n ON n.oid = p.collnamespace
       UNION ALL SELECT 'pg_conversion'::regclass, p.oid FROM pg_conversion p JOIN space n ON n.oid = p.connamespace
       UNION ALL SELECT 'pg_ts_config'::regclass, p.oid FROM pg_ts_config p JOIN space n ON n.oid = p.cfgnamespace
       UNION ALL SELECT 'pg_ts_dict'::regclass, p.oid FROM pg_ts_dict p JOIN space n ON n.oid = p.dictnamespace
       UNION ALL SELECT 'pg_ts_parser'::regclass, p.oid FROM pg_ts_parser p JOIN space n ON n.oid = p.prsnamespace
       UNION ALL SELECT 'pg_ts_template'::regclass, p.oid FROM pg_ts_template p JOIN space n ON n.oid = p.tmplnamespace
       UNION ALL SELECT 'pg_statistic_ext'::regclass, p.oid FROM pg_statistic_ext p JOIN space n ON n.oid = p.stxnamespace
       UNION ALL SELECT 'pg_constraint'::regclass, p.oid FROM pg_constraint p JOIN space n ON n.oid = p.connamespace
       UNION ALL SELECT 'pg_trigger'::regclass, t.oid FROM pg_trigger t JOIN class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
       UNION ALL SELECT 'pg_policy'::regclass, l.oid FROM pg_policy l JOIN class c ON c.oid = l.polrelid
       UNION ALL SELECT 'pg_rewrite'::regclass, r.oid FROM pg_rewrite r JOIN class c ON c.oid = r.ev_class
       UNION ALL SELECT 'pg_cast'::regclass, oid FROM pg_cast WHERE oid >= 16384 AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_cast'::regclass AND d.objid = pg_cast.oid AND d.deptype = 'e')
       UNION ALL SELECT 'pg_transform'::regclass, oid FROM pg_transform
       UNION ALL SELECT 'pg_language'::regclass, oid FROM pg_language
       UNION ALL SELECT 'pg_am'::regclass, oid FROM pg_am WHERE amname LIKE 'w\_%'
       UNION ALL SELECT 'pg_foreign_data_wrapper'::regclass, oid FROM pg_foreign_data_wrapper
       UNION ALL SELECT 'pg_foreign_server'::regclass, oid FROM pg_foreign_server
       UNION ALL SELECT 'pg_user_mapping'::regclass, oid FROM pg_user_mapping
       UNION ALL SELECT 'pg_publication'::regclass, oid FROM pg_publication
       UNION ALL SELECT 'pg_publication_rel'::regclass, oid FROM pg_publication_rel
       UNION ALL SELECT 'pg_subscription'::regclass, oid FROM pg_subscription
       UNION ALL SELECT 'pg_event_trigger'::regclass, oid FROM pg_event_trigger
       UNION ALL SELECT 'pg_extension'::regclass, oid FROM pg_extension
       UNION ALL SELECT 'pg_default_acl'::regclass, oid FROM pg_default_acl
       UNION ALL SELECT 'pg_tablespace'::regclass, oid FROM pg_tablespace WHERE spcname LIKE 'w\_%'
       UNION ALL SELECT 'pg_database'::regclass, oid FROM pg_database WHERE datname LIKE 'w\_%'
       UNION ALL SELECT 'pg_authid'::regclass, oid FROM pg_authid WHERE rolname LIKE 'w\_%'
     )
SELECT concat_ws(' ', 'schema', nspname, owner, acl) AS line FROM space
UNION ALL
SELECT concat_ws(' ', 'object', i.type, i.identity, obj_description(m.oid, m.classid::regclass::name))
  FROM member m, pg_identify_object(m.classid, m.oid, 0) i
UNION ALL
SELECT concat_ws(' ', 'member', i.identity, e.extname)
  FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND e.extname NOT LIKE 'abelian%',
       pg_identify_object(d.classid, d.objid, d.objsubid) i
UNION ALL
SELECT concat_ws(' ', 'relation', nspname, relname, relkind, relpersistence, pg_get_userbyid(relowner), relacl::text, reloptions::text, relispartition,
                 pg_get_expr(relpartbound, oid), pg_get_partkeydef(oid), relrowsecurity, relreplident,
                 CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(oid) END,
                 (SELECT string_agg(inhparent::regclass::text, ',' ORDER BY inhseqno) FROM pg_inherits WHERE inhrelid = class.oid))
  FROM class
UNION ALL
SELECT concat_ws(' ', 'column', c.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
                 pg_get_expr(d.adbin, d.adrelid), a.attstattarget, a.attstorage, a.attacl::text, col_description(c.oid, a.attnum))
  FROM class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
UNION ALL
SELECT concat_ws(' ', 'constraint', conrelid::regclass, contypid::regtype, conname, pg_get_constraintdef(k.oid), convalidated)
  FROM pg_constraint k JOIN space n ON n.oid = k.connamespace
UNION ALL
SELECT concat_ws(' ', 'index', pg_get_indexdef(x.indexrelid), x.indisvalid, x.indisclustered, x.indisreplident) FROM pg_index x JOIN class c ON c.oid = x.indrelid
UNION ALL
SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled) FROM pg_trigger t JOIN class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
UNION ALL
SELECT concat_ws(' ', 'rule', pg_get_ruledef(r.oid), r.ev_enabled) FROM pg_rewrite r JOIN class c ON c.oid = r.ev_class
UNION ALL
SELECT concat_ws(' ', 'policy', l.polname, c.relname, l.polcmd, pg_get_expr(l.polqual, l.polrelid), pg_get_expr(l.polwithcheck, l.polrelid))
  FROM pg_policy l JOIN class c ON c.oid = l.polrelid
UNION ALL
SELECT concat_ws(' ', 'function', p.oid::regprocedure, pg_get_userbyid(p.proowner), p.proacl::text, p.prokind, p.provolatile, p.prosecdef, p.proconfig::text,
                 pg_get_function_result(p.oid), p.prosrc)
  FROM pg_proc p JOIN space n ON n.oid = p.pronamespace
UNION ALL
SELECT concat_ws(' ', 'type', t.typname, t.typtype, pg_get_userbyid(t.typowner), t.typacl::text, (SELECT string_agg(enumlabel, ',' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
  FROM pg_type t JOIN space n ON n.oid = t.typnamespace
UNION ALL
SELECT concat_ws(' ', 'operator', o.oid::regoperator, o.oprcode, o.oprrest::text) FROM pg_operator o JOIN space n ON n.oid = o.oprnamespace
UNION ALL
SELECT concat_ws(' ', 'statistics', pg_get_statisticsobjdef(s.oid), s.stxstattarget) FROM pg_statistic_ext s JOIN space n ON n.oid = s.stxnamespace
UNION ALL
SELECT concat_ws(' ', 'event trigger', evtname, evtevent, evtfoid::regproc, evtenabled) FROM pg_event_trigger WHERE evtname LIKE 'w\_%'
UNION ALL
SELECT concat_ws(' ', 'wrapper', fdwname, fdwoptions::text) FROM pg_foreign_data_wrapper
UNION ALL
SELECT concat_ws(' ', 'server', srvname, srvoptions::text) FROM pg_foreign_server
UNION ALL
SELECT concat_ws(' ', 'user mapping', srvname, usename, umoptions::text) FROM pg_user_mappings
UNION ALL
SELECT concat_ws(' ', 'default acl', defaclobjtype, defaclacl::text) FROM pg_default_acl
UNION ALL
SELECT concat_ws(' ', 'role', rolname, rolsuper, rolinherit, rolcanlogin, rolconnlimit) FROM pg_authid WHERE rolname LIKE 'w\_%'
UNION ALL
SELECT concat_ws(' ', 'membership', pg_get_userbyid(roleid), pg_get_userbyid(member)) FROM pg_auth_members WHERE pg_get_userbyid(roleid) LIKE 'w\_%'
UNION ALL
SELECT concat_ws(' ', 'setting', datname, pg_get_userbyid(nullif(setrole, 0)), setconfig::text) FROM pg_db_role_setting s LEFT JOIN pg_database d ON d.oid = s.setdatabase
UNION ALL
SELECT concat_ws(' ', 'tablespace', spcname, spcoptions::text) FROM pg_tablespace WHERE spcname LIKE 'w\_%'
UNION ALL
SELECT concat_ws(' ', 'file setting', name, setting) FROM pg_file_settings WHERE name = 'vacuum_cost_page_miss'
