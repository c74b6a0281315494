-- What version 0.6.0 adds. Each subject has its section between banners.
\echo Use "ALTER EXTENSION abelian UPDATE" to load this file. \quit

-- ==== who may call what (docs/security.md) ==========================================================
-- ---- what a router says on a client's connection, where the role is the client's: each function has a form with a seal, which only a
-- router can make. Without one, only routers' own roles may call it.

-- The key with which that router seals, the same for as long as the node runs; for the role that asked for it first.
CREATE FUNCTION abelian.router_key(router uuid) RETURNS bytea LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_router_key';
REVOKE ALL ON FUNCTION abelian.router_key(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.router_key(uuid) TO abelian_router;

CREATE OR REPLACE FUNCTION abelian.decide(gid text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_decide';
CREATE FUNCTION abelian.decide(gid text, seal text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_decide';
-- Before PREPARE TRANSACTION under one of our gids, which nobody else may use.
CREATE FUNCTION abelian.vote(gid text, seal text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_vote';
-- Before a SERIALIZABLE transaction over several nodes commits: which rw-conflicts it has here (none, in, out, both), and which of them the node is
-- to assume from then on.
CREATE FUNCTION abelian.finish_deferred() RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'abelian_finish_deferred';
CREATE FUNCTION abelian.hold_conflicts(gid text) RETURNS text LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_hold_conflicts';
CREATE FUNCTION abelian.hold_conflicts(gid text, seal text) RETURNS text LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_hold_conflicts';
CREATE FUNCTION abelian.settle_conflicts(gid text, kept text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_settle_conflicts';
CREATE FUNCTION abelian.settle_conflicts(gid text, kept text, seal text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_settle_conflicts';
-- As the forms with fewer arguments; if alone, no other has the snapshot side at the same time.
CREATE OR REPLACE FUNCTION abelian.snapshot_gate(timeout_ms integer) RETURNS boolean LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_snapshot_gate';
CREATE FUNCTION abelian.snapshot_gate(timeout_ms integer, alone boolean) RETURNS boolean
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_snapshot_gate';
REVOKE ALL ON FUNCTION abelian.snapshot_gate(integer, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.snapshot_gate(integer, boolean) TO abelian_router;
-- As before where there are intents at all, which is seldom.
CREATE FUNCTION abelian.listed_intents(nodes integer[], own uuid, own_below bigint) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(string_agg(i.router || '/' || i.number || '/' || array_to_string(i.nodes, ','), ' '), '')
    FROM abelian.intent i
   WHERE i.committed AND i.nodes && listed_intents.nodes AND cardinality(i.nodes) > 1
     AND (i.router <> own OR i.number >= own_below)
$$;
REVOKE ALL ON FUNCTION abelian.listed_intents(integer[], uuid, bigint) FROM PUBLIC;
CREATE OR REPLACE FUNCTION abelian.visible_intents(nodes integer[], own uuid, own_below bigint) RETURNS text
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_visible_intents';
CREATE FUNCTION abelian.commit_intent(router uuid, number bigint, nodes integer[], work text, seal text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_commit_intent';
CREATE FUNCTION abelian.independent_propose(id text, self integer, nodes integer[], runs bigint[], horizon bigint, seal text) RETURNS bigint
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_propose';
CREATE FUNCTION abelian.independent_run(id text, at bigint, self integer, nodes integer[], intent text, seal text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_run';
CREATE FUNCTION abelian.independent_run_calls(id text, at bigint, self integer, nodes integer[], intent text, seal text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_run_calls';
CREATE FUNCTION abelian.independent_advance(at bigint, router uuid, seal text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_independent_advance';
-- Before a statement of the client's that changes the schema or the placement.
CREATE FUNCTION abelian.change_schema(router uuid, self integer, seal text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_change_schema';
-- The same where rows get values that may depend on the clock: all nodes have that of the first.
CREATE FUNCTION abelian.change_schema(router uuid, self integer, transaction bigint, statement bigint, seal text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_change_schema_at';
-- For a transaction over several nodes: when it has begun, in microseconds of PostgreSQL's clock. now() is the same on all of them.
CREATE FUNCTION abelian.set_transaction_timestamp(router uuid, "timestamp" bigint, seal text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_set_transaction_timestamp';
-- The commands by which the last DO block of the transaction has changed the schema of this node.
CREATE FUNCTION abelian.block_changes() RETURNS text LANGUAGE c AS 'MODULE_PATHNAME', 'abelian_block_changes';

REVOKE ALL ON FUNCTION abelian.decide(text), abelian.hold_conflicts(text), abelian.settle_conflicts(text, text),
  abelian.commit_intent(uuid, bigint, integer[], text),
  abelian.independent_propose(text, integer, integer[], bigint[], bigint),
  abelian.independent_run(text, bigint, integer, integer[], text), abelian.independent_run_calls(text, bigint, integer, integer[], text),
  abelian.independent_advance(bigint), abelian.tell_calls(integer, integer[]), abelian.independent_state(), abelian.independent_flush()
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.decide(text), abelian.hold_conflicts(text), abelian.settle_conflicts(text, text),
  abelian.commit_intent(uuid, bigint, integer[], text),
  abelian.independent_propose(text, integer, integer[], bigint[], bigint),
  abelian.independent_run(text, bigint, integer, integer[], text), abelian.independent_run_calls(text, bigint, integer, integer[], text),
  abelian.independent_advance(bigint), abelian.tell_calls(integer, integer[]), abelian.independent_state(), abelian.independent_flush()
  TO abelian_router;
-- For routers before 0.4.0.
DROP FUNCTION abelian.independent_execute(text, bigint, integer[], text, name);

-- ---- what recovery runs in the roles of others

-- Raises unless the router's own role may act as that role.
CREATE FUNCTION abelian.check_member(role name) RETURNS void
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT pg_has_role(session_user, role, 'MEMBER') THEN
    RAISE EXCEPTION 'permission denied to act as role %', role
      USING ERRCODE = 'insufficient_privilege', DETAIL = format('%I is no member of it.', session_user), HINT = 'GRANT it to the router''s role.';
  END IF;
END $$;

-- The operations of an intent on this node, as that role.
CREATE FUNCTION abelian.run_operations(role name, operations text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_run_operations';
-- A call of a fragment, as that role. The router's role must be a member.
CREATE FUNCTION abelian.run_call(role name, settings text, self integer, nodes integer[], call text) RETURNS void
  LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_run_call';

-- As before, but that the operations cannot leave the role.
CREATE OR REPLACE FUNCTION abelian.apply_intent(node integer, router uuid, number bigint, nodes integer[], role name, work text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.check_member(role);
  -- Recovery asks for whatever a dead router may have left, of which most is there: reads need not know of that.
  PERFORM FROM abelian.intent i WHERE i.router = apply_intent.router AND i.number = apply_intent.number AND i.committed;
  IF FOUND THEN
    RETURN false;
  END IF;
  PERFORM abelian.enter_commit_gate();
  INSERT INTO abelian.intent AS i (router, number, committed, nodes, role, work)
  VALUES (apply_intent.router, apply_intent.number, true, apply_intent.nodes, apply_intent.role, apply_intent.work)
  ON CONFLICT ON CONSTRAINT intent_pkey DO UPDATE
    SET committed = true, nodes = excluded.nodes, role = excluded.role, work = excluded.work WHERE NOT i.committed;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM abelian.check_intent_horizon(router, number);
  PERFORM abelian.run_operations(role, coalesce(work::jsonb -> node::text, '[]')::text);
  RETURN true;
END $$;
DROP FUNCTION abelian.redo_operation(jsonb);

-- Routers write intents by these functions only.
ALTER FUNCTION abelian.bar_intent(uuid, bigint, integer[]) SECURITY DEFINER;
ALTER FUNCTION abelian.forget_intents(uuid, bigint) SECURITY DEFINER;
ALTER FUNCTION abelian.close_intents(uuid, bigint) SECURITY DEFINER;
REVOKE INSERT, UPDATE, DELETE ON abelian.intent, abelian.intent_horizon FROM abelian_router;
REVOKE ALL ON FUNCTION abelian.check_intent_horizon(uuid, bigint) FROM abelian_router;

-- As before, but that what others would run on the strength of the record is a role's that this router may act as.
CREATE OR REPLACE FUNCTION abelian.independent_complete(id text, at bigint, nodes integer[], intent text, role name, failure text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.check_member(role);
  IF EXISTS (SELECT FROM abelian.independent_lane l WHERE (l.at, l.id) >= (independent_complete.at, independent_complete.id))
     OR NOT abelian.independent_completable(id, at) THEN
    RETURN false;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM abelian.independent_turn(id, at);
  INSERT INTO abelian.independent_record (id, at, participants, intent, role, failure) VALUES (id, at, nodes, intent, role, failure);
  UPDATE abelian.independent_lane l SET at = independent_complete.at, id = independent_complete.id;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION abelian.independent_catch_up(run bigint, id text, at bigint, nodes integer[], intent text, role name, failure text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.check_member(role);
  LOCK TABLE abelian.independent_lane IN EXCLUSIVE MODE; -- one router at a time
  IF NOT abelian.independent_is_closed(run) THEN
    RAISE EXCEPTION 'the lane is open, or catches up for another run' USING ERRCODE = 'serialization_failure';
  ELSIF EXISTS (SELECT FROM abelian.independent_lane l WHERE (l.at, l.id) >= (independent_catch_up.at, independent_catch_up.id)) THEN
    RETURN false;
  END IF;
  INSERT INTO abelian.independent_record (id, at, participants, intent, role, failure) VALUES (id, at, nodes, intent, role, failure);
  UPDATE abelian.independent_lane l SET at = independent_catch_up.at, id = independent_catch_up.id;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION abelian.check_member(name), abelian.run_operations(name, text), abelian.run_call(name, text, integer, integer[], text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.run_call(name, text, integer, integer[], text) TO abelian_router;
-- ==== end of who may call what ======================================================================
-- ==== lookup indexes (docs/design/lookup-indexes.md) ================================================
-- Columns by which statements find the node of a row (docs/design/lookup-indexes.md), with what belongs to them: the table of entries, placed by the
-- group that gives the index its number, and the unique index of each node.
CREATE TABLE abelian.lookup_index (
  colocation_id integer PRIMARY KEY,
  relation regclass NOT NULL,
  attribute smallint NOT NULL,
  entries regclass NOT NULL,
  own_index regclass NOT NULL,
  UNIQUE (relation, attribute)
);
GRANT SELECT ON abelian.lookup_index TO PUBLIC;

-- ---- what rows have changed

-- Of open transactions: values that their latest statements have taken from rows, or given them, until a router fetches them. Nothing of it is
-- needed after a crash.
CREATE UNLOGGED TABLE abelian.lookup_change (
  transaction xid8 NOT NULL DEFAULT pg_catalog.pg_current_xact_id(),
  place bigint GENERATED ALWAYS AS IDENTITY,
  index integer NOT NULL,
  removed text,
  added text,
  partition integer,
  PRIMARY KEY (transaction, place)
);

-- Of each row, and of TRUNCATE. The argument is the number of the index.
CREATE FUNCTION abelian.note_lookup_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
DECLARE
  kept abelian.lookup_index;
  named name;
  removed text;
  added text;
  place integer;
BEGIN
  SELECT * INTO STRICT kept FROM abelian.lookup_index l WHERE l.colocation_id = tg_argv[0]::integer;
  IF tg_op = 'TRUNCATE' THEN
    IF NOT abelian.is_router(true) AND (SELECT count(*) FROM abelian.node) > 1 THEN
      RAISE EXCEPTION 'table % has a lookup index, and cannot be truncated', tg_relid::regclass
        USING ERRCODE = 'feature_not_supported', HINT = 'DELETE its rows through the router.';
    END IF;
    EXECUTE format('TRUNCATE %s', kept.entries);
    RETURN NULL;
  END IF;
  SELECT a.attname INTO STRICT named FROM pg_attribute a WHERE a.attrelid = kept.relation AND a.attnum = kept.attribute;
  IF tg_op <> 'INSERT' THEN
    EXECUTE format('SELECT ($1).%I::text', named) INTO removed USING old;
  END IF;
  IF tg_op <> 'DELETE' THEN
    EXECUTE format('SELECT ($1).%I::text, abelian.partition_of($2, VARIADIC ARRAY[%s])', named,
                   (SELECT string_agg(format('($1).%I::text', k.key->>'name'), ', ' ORDER BY k.place)
                      FROM abelian.placement p, jsonb_array_elements(p.columns) WITH ORDINALITY k(key, place) WHERE p.relation = kept.relation))
       INTO added, place USING new, kept.relation;
  END IF;
  INSERT INTO abelian.lookup_change (index, removed, added, partition)
  VALUES (kept.colocation_id, removed, added, CASE WHEN added IS NOT NULL THEN place END);
  RETURN NULL;
END $$;

-- At the end of a transaction: what no router has fetched would leave the index behind its table.
CREATE FUNCTION abelian.refuse_lookup_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM abelian.lookup_change c WHERE c.transaction = new.transaction AND c.place = new.place) THEN
    RAISE EXCEPTION 'a change of table % has not reached its lookup index',
                    coalesce((SELECT l.relation::text FROM abelian.lookup_index l WHERE l.colocation_id = new.index), 'of a lookup index')
      USING ERRCODE = 'feature_not_supported',
            DETAIL = 'The router keeps lookup indexes for INSERT, UPDATE and DELETE that clients send themselves, not for what functions and foreign keys do.',
            HINT = 'Send the change as a statement of its own, through the router.';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER refuse_lookup_change AFTER INSERT ON abelian.lookup_change DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION abelian.refuse_lookup_change();

-- ---- what routers say: each of these is sealed, for it would spoil the index, or tell of others' rows

-- Raises unless a router says so.
CREATE FUNCTION abelian.check_lookup_seal(router uuid, what text, seal text) RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'abelian_check_lookup_seal';

-- What the statements of the transaction have changed since it was asked last.
CREATE FUNCTION abelian.take_lookup_changes(router uuid, seal text) RETURNS TABLE (index integer, removed text, added text, partition integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM abelian.check_lookup_seal(router, 'take', seal);
  RETURN QUERY DELETE FROM abelian.lookup_change c WHERE c.transaction = pg_current_xact_id_if_assigned()
    RETURNING c.index, c.removed, c.added, c.partition;
END $$;

-- Changes the entries of this node: [{"index": 7, "removed": ["a"], "added": ["b"], "partitions": [3]}].
CREATE FUNCTION abelian.apply_lookup_changes(router uuid, changes text, seal text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
DECLARE
  change record;
  described record;
  found_entries bigint;
BEGIN
  PERFORM abelian.check_lookup_seal(router, changes, seal);
  FOR change IN SELECT * FROM json_to_recordset(changes::json) c(index integer, removed text[], added text[], partitions integer[]) LOOP
    SELECT l.entries, a.attname, format_type(a.atttypid, a.atttypmod) AS type, l.relation INTO STRICT described
      FROM abelian.lookup_index l JOIN pg_attribute a ON a.attrelid = l.entries AND a.attnum = 1
     WHERE l.colocation_id = change.index;
    EXECUTE format('DELETE FROM %s e USING unnest($1) gone(value) WHERE e.%I = gone.value::%s', described.entries, described.attname, described.type) USING change.removed;
    GET DIAGNOSTICS found_entries = ROW_COUNT;
    IF found_entries <> coalesce(cardinality(change.removed), 0) THEN
      RAISE EXCEPTION 'the lookup index on table % does not have an entry for each row', described.relation
        USING ERRCODE = 'internal_error', HINT = 'Drop the index by drop_lookup_index().';
    END IF;
    EXECUTE format('INSERT INTO %s SELECT new.value::%s, new.place FROM unnest($1, $2) new(value, place)', described.entries, described.type) USING change.added, change.partitions;
  END LOOP;
END $$;

-- The partition of the row with that value; NULL when this node has no entry of it.
CREATE FUNCTION abelian.find_lookup_entry(router uuid, index integer, value text, seal text) RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' AS $$
DECLARE
  described record;
  partition integer;
BEGIN
  PERFORM abelian.check_lookup_seal(router, value, seal);
  SELECT l.entries, a.attname, format_type(a.atttypid, a.atttypmod) AS type INTO described
    FROM abelian.lookup_index l JOIN pg_attribute a ON a.attrelid = l.entries AND a.attnum = 1
   WHERE l.colocation_id = find_lookup_entry.index;
  IF FOUND THEN
    EXECUTE format('SELECT e.abelian_partition FROM %s e WHERE e.%I = $1::%s', described.entries, described.attname, described.type) INTO partition USING value;
  END IF;
  RETURN partition;
END $$;

-- ---- making and dropping

CREATE FUNCTION pg_catalog.create_lookup_index(relation regclass, "column" text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.claim('pg_catalog.pg_class', relation);
  PERFORM abelian.place_lookup_index(relation, "column");
END $$;
CREATE FUNCTION pg_catalog.drop_lookup_index(relation regclass, "column" text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.claim('pg_catalog.pg_class', relation);
  PERFORM abelian.remove_lookup_index(relation, "column");
END $$;

-- Raises unless the column can have a lookup index; gives its description and the kind of its values.
CREATE FUNCTION abelian.lookup_column(relation regclass, named text, OUT described pg_attribute, OUT kind text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  placed abelian.placement;
BEGIN
  SELECT * INTO placed FROM abelian.placement p WHERE p.relation = relation;
  SELECT * INTO described FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = named AND a.attnum > 0 AND NOT a.attisdropped;
  kind := abelian.key_type(described.atttypid, described.atttypmod, described.attcollation);
  IF placed.colocation_id IS NULL THEN
    RAISE EXCEPTION 'table % is not distributed', relation
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Tables that are not distributed have unique indexes of any columns.';
  ELSIF (SELECT c.relkind <> 'r' OR c.relispartition FROM pg_class c WHERE c.oid = relation) THEN
    RAISE EXCEPTION 'a partitioned table cannot have a lookup index'
      USING ERRCODE = 'feature_not_supported', HINT = 'Use a table without partitions.';
  ELSIF described.attnum IS NULL THEN
    RAISE EXCEPTION 'column "%" of table % does not exist', named, relation USING ERRCODE = 'undefined_column';
  ELSIF described.attgenerated <> '' OR NOT abelian.is_named(described) THEN
    RAISE EXCEPTION 'column "%" of type % cannot have a lookup index', named, format_type(described.atttypid, described.atttypmod)
      USING ERRCODE = 'feature_not_supported',
            HINT = 'Integers, numeric(p, 0), text, varchar, char, uuid, boolean and date can, with a deterministic collation, and not generated.';
  ELSIF placed.columns = jsonb_build_array(jsonb_build_object('name', named)) THEN
    RAISE EXCEPTION 'column "%" of table % is its distribution column', named, relation
      USING ERRCODE = 'invalid_parameter_value', HINT = 'Statements that name it go to the node of the row already.';
  END IF;
END $$;

-- A name that no relation has, here or beside the table.
CREATE FUNCTION abelian.lookup_name(relation regclass, named text) RETURNS name
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number integer := 0;
  chosen name;
BEGIN
  LOOP
    SELECT concat(left(format('%s_%s', c.relname, named), 50), '_key', nullif(number, 0)) INTO chosen FROM pg_class c WHERE c.oid = relation;
    EXIT WHEN NOT EXISTS (
      SELECT FROM pg_class c WHERE c.relname = chosen
         AND c.relnamespace IN ('abelian'::regnamespace, (SELECT t.relnamespace FROM pg_class t WHERE t.oid = relation)));
    number := number + 1;
  END LOOP;
  RETURN chosen;
END $$;

CREATE FUNCTION abelian.place_lookup_index(relation regclass, named text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  found record;
  described pg_attribute;
  number integer;
  key_name name;
  collated text := '';
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_table(relation);
  SELECT * INTO found FROM abelian.lookup_column(relation, named);
  described := found.described;
  IF EXISTS (SELECT FROM abelian.lookup_index l WHERE l.relation = relation AND l.attribute = described.attnum) THEN
    RAISE EXCEPTION 'column "%" of table % has a lookup index already', named, relation USING ERRCODE = 'duplicate_object';
  ELSIF abelian.has_rows(relation) THEN
    RAISE EXCEPTION 'table % is not empty', relation
      USING ERRCODE = 'feature_not_supported', DETAIL = 'The entries of its rows belong to other nodes.',
            HINT = 'Create the lookup index while the table is empty and load it through the router then.';
  END IF;
  key_name := abelian.lookup_name(relation, named);
  number := abelian.found_colocation(found.kind, 32, false, 'hash', NULL);
  IF described.attcollation <> 0 THEN
    SELECT format('COLLATE %I.%I', n.nspname, c.collname) INTO collated
      FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace WHERE c.oid = described.attcollation;
  END IF;
  EXECUTE format('CREATE TABLE abelian.%I (%I %s %s, abelian_partition integer NOT NULL, CONSTRAINT %I PRIMARY KEY (%2$I))', 'lookup_' || number, named,
                 format_type(described.atttypid, described.atttypmod), collated, key_name);
  INSERT INTO abelian.lookup_index VALUES (number, relation, described.attnum, format('abelian.%I', 'lookup_' || number)::regclass, 0);
  EXECUTE format('CREATE UNIQUE INDEX %I ON %s (%I)', key_name, relation, named);
  UPDATE abelian.lookup_index l SET own_index = c.oid
    FROM pg_class t JOIN pg_class c ON c.relname = key_name AND c.relnamespace = t.relnamespace WHERE t.oid = relation AND l.colocation_id = number;
  EXECUTE format('CREATE TRIGGER abelian_lookup_%s_insert AFTER INSERT ON %s FOR EACH ROW WHEN (new.%I IS NOT NULL) '
                 'EXECUTE FUNCTION abelian.note_lookup_change(%1$s)', number, relation, named);
  EXECUTE format('CREATE TRIGGER abelian_lookup_%s_update AFTER UPDATE OF %3$I ON %2$s FOR EACH ROW WHEN (old.%3$I IS DISTINCT FROM new.%3$I) '
                 'EXECUTE FUNCTION abelian.note_lookup_change(%1$s)', number, relation, named);
  EXECUTE format('CREATE TRIGGER abelian_lookup_%s_delete AFTER DELETE ON %s FOR EACH ROW WHEN (old.%I IS NOT NULL) '
                 'EXECUTE FUNCTION abelian.note_lookup_change(%1$s)', number, relation, named);
  EXECUTE format('CREATE TRIGGER abelian_lookup_%s_truncate AFTER TRUNCATE ON %s FOR EACH STATEMENT '
                 'EXECUTE FUNCTION abelian.note_lookup_change(%1$s)', number, relation);
END $$;

CREATE FUNCTION abelian.remove_lookup_index(relation regclass, named text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  number integer;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_table(relation);
  SELECT l.colocation_id INTO number FROM abelian.lookup_index l JOIN pg_attribute a ON a.attrelid = l.relation AND a.attnum = l.attribute
   WHERE l.relation = relation AND a.attname = named;
  IF number IS NULL THEN
    RAISE EXCEPTION 'column "%" of table % has no lookup index', named, relation USING ERRCODE = 'undefined_object';
  END IF;
  PERFORM abelian.forget_lookup_index(number);
  PERFORM abelian.check_placement(relation);
END $$;

-- With what belongs to it, as far as it is still there.
CREATE FUNCTION abelian.forget_lookup_index(number integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  forgotten abelian.lookup_index;
  made record;
BEGIN
  DELETE FROM abelian.lookup_index l WHERE l.colocation_id = number RETURNING * INTO STRICT forgotten;
  FOR made IN
    SELECT t.tgname FROM pg_trigger t
     WHERE t.tgrelid = forgotten.relation AND t.tgfoid = 'abelian.note_lookup_change()'::regprocedure AND t.tgname LIKE format('abelian\_lookup\_%s\_%%', number)
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', made.tgname, forgotten.relation);
  END LOOP;
  IF EXISTS (SELECT FROM pg_index x WHERE x.indexrelid = forgotten.own_index) THEN
    EXECUTE format('DROP INDEX %s', forgotten.own_index);
  END IF;
  EXECUTE format('DROP TABLE %s', forgotten.entries);
  DELETE FROM abelian.colocation g WHERE g.colocation_id = number;
END $$;

-- Raises when somebody has taken away, or switched off, what tells an index of its table's changes.
CREATE FUNCTION abelian.check_lookup_triggers() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  broken regclass;
BEGIN
  SELECT l.relation INTO broken FROM abelian.lookup_index l JOIN pg_class c ON c.oid = l.relation
   WHERE 4 <> (SELECT count(*) FROM pg_trigger t
                WHERE t.tgrelid = l.relation AND t.tgfoid = 'abelian.note_lookup_change()'::regprocedure AND t.tgenabled IN ('O', 'A')
                  AND t.tgname LIKE format('abelian\_lookup\_%s\_%%', l.colocation_id))
   LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'the triggers of a lookup index of table % cannot be dropped or disabled', broken
      USING ERRCODE = 'feature_not_supported', HINT = 'drop_lookup_index() drops the index with its triggers.';
  END IF;
END $$;

-- As before, with the lookup indexes of the table.
CREATE OR REPLACE FUNCTION abelian.forget_table(relation_id oid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.forget_lookup_index(l.colocation_id) FROM abelian.lookup_index l WHERE l.relation::oid = relation_id;
  DELETE FROM abelian.placement p WHERE p.relation::oid = relation_id;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM abelian.colocation g
   WHERE NOT EXISTS (SELECT FROM abelian.placement p WHERE p.colocation_id = g.colocation_id)
     AND NOT EXISTS (SELECT FROM abelian.lookup_index l WHERE l.colocation_id = g.colocation_id);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION abelian.note_lookup_change(), abelian.refuse_lookup_change(), abelian.check_lookup_seal(uuid, text, text),
  abelian.lookup_column(regclass, text), abelian.lookup_name(regclass, text), abelian.forget_lookup_index(integer), abelian.check_lookup_triggers() FROM PUBLIC;
-- ==== end of lookup indexes =========================================================================
-- ==== placement by rules (docs/decisions/placement-rules.md) ========================================
-- ---- what the catalogue keeps

ALTER TABLE abelian.colocation
  ADD COLUMN method text NOT NULL DEFAULT 'hash' CHECK (method IN ('hash', 'range', 'list', 'rules', 'lookup')),
  ADD COLUMN rule jsonb, -- clauses and default; the constants in the output form of their kind
  ADD CHECK ((method = 'hash') = (rule IS NULL)),
  DROP CONSTRAINT colocation_key_type_check,
  -- Of several columns, joined by commas.
  ADD CONSTRAINT colocation_key_type_check CHECK (key_type ~ '^((integer|text|blank_padded|uuid|boolean|date|timestamp|timestamptz|time|float|decimal|bytea)(,|$))+$' AND key_type !~ ',$');

-- 'hash' is the hash of one plain column; routers before 0.6.0 know nothing else, and refuse 'distributed'.
ALTER TABLE abelian.placement
  ADD COLUMN columns jsonb,
  DROP CONSTRAINT placement_method_check,
  DROP CONSTRAINT placement_check;
UPDATE abelian.placement SET columns = pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('name', column_name)) WHERE method = 'hash';
ALTER TABLE abelian.placement
  ADD CONSTRAINT placement_method_check CHECK (method IN ('hash', 'distributed', 'reference')),
  ADD CONSTRAINT placement_check CHECK (CASE method WHEN 'reference' THEN column_name IS NULL AND colocation_id IS NULL AND columns IS NULL
                                                    ELSE column_name IS NOT NULL AND colocation_id IS NOT NULL AND columns IS NOT NULL END);

-- The keys of a lookup that have a partition of their own; in the output form of their kind, with ISO dates.
CREATE TABLE abelian.lookup_entry (
  colocation_id integer NOT NULL REFERENCES abelian.colocation ON DELETE CASCADE,
  key text COLLATE "C" NOT NULL,
  partition integer NOT NULL,
  PRIMARY KEY (colocation_id, key),
  FOREIGN KEY (colocation_id, partition) REFERENCES abelian.partition ON DELETE CASCADE
);
-- Which node this is, as a router has told it with the last change of the placement. The one table here that differs between the nodes.
CREATE TABLE abelian.own_node (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  node_id integer NOT NULL
);
GRANT SELECT ON abelian.lookup_entry, abelian.own_node TO PUBLIC;

-- ---- columns and rules as users write them

-- [{"name": "a"}, {"name": "b", "operator": "/", "operand": 10}], of 'a, b / 10'.
CREATE FUNCTION abelian.parse_key_columns(columns text) RETURNS json LANGUAGE c STRICT IMMUTABLE AS 'MODULE_PATHNAME', 'abelian_parse_key_columns';
-- {"clauses": [...], "default": ...}, of 'WHEN a < 10 THEN 0 ELSE HASH'. Kinds are those of the columns, joined by commas.
CREATE FUNCTION abelian.parse_rule(rule text, method text, columns json, kinds text) RETURNS json
  LANGUAGE c STRICT IMMUTABLE AS 'MODULE_PATHNAME', 'abelian_parse_rule';
-- A key of a table that is distributed by lookup, in the form of abelian.lookup_entry.
CREATE FUNCTION abelian.lookup_key(relation regclass, key text) RETURNS text LANGUAGE c STRICT STABLE AS 'MODULE_PATHNAME', 'abelian_lookup_key';
-- Whether this node has a row with that key in the table or its partitions. Reads them whole.
CREATE FUNCTION abelian.has_key(relation regclass, key text) RETURNS boolean LANGUAGE c STRICT STABLE AS 'MODULE_PATHNAME', 'abelian_has_key';

-- The partition, and the node, of a row with these values in the distribution columns; NULL when no rule covers it.
CREATE FUNCTION abelian.partition_of(relation regclass, VARIADIC keys text[]) RETURNS integer LANGUAGE c STRICT STABLE AS 'MODULE_PATHNAME', 'abelian_partition_of';
CREATE FUNCTION abelian.node_of(relation regclass, VARIADIC keys text[]) RETURNS integer LANGUAGE c STRICT STABLE AS 'MODULE_PATHNAME', 'abelian_node_of';

-- True, or an error when the row belongs to another node: a condition of every COPY into a distributed table.
CREATE FUNCTION abelian.check_own_row(relation oid, VARIADIC keys "any") RETURNS boolean LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'abelian_check_own_row';

CREATE FUNCTION abelian.key_expression(key jsonb) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE key->>'operator' WHEN 'left' THEN format('left(%I, %s)', key->>'name', key->>'operand')
         ELSE concat_ws(' ', quote_ident(key->>'name'), key->>'operator', key->>'operand') END
$$;
CREATE FUNCTION abelian.key_expressions(keys jsonb) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT string_agg(abelian.key_expression(k.key), ', ' ORDER BY k.place) FROM jsonb_array_elements(keys) WITH ORDINALITY k(key, place)
$$;
-- A condition of a rule, as it is written.
CREATE FUNCTION abelian.condition_text(condition jsonb, keys jsonb, kinds text) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT abelian.key_expression(keys->(condition->>'column')::integer)
         || CASE count(*) WHEN 1 THEN format(' %s %s', condition->>'operator', min(v.written)) ELSE format(' IN (%s)', string_agg(v.written, ', ' ORDER BY v.place)) END
    FROM (SELECT CASE WHEN split_part(kinds, ',', (condition->>'column')::integer + 1) IN ('integer', 'boolean') THEN e.value ELSE quote_literal(e.value) END,
                 e.ordinality
            FROM jsonb_array_elements_text(condition->'values') WITH ORDINALITY e) v(written, place)
$$;
-- A rule as it is written, with the columns of one table.
CREATE FUNCTION abelian.rule_text(rule jsonb, keys jsonb, kinds text) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT concat_ws(' ',
    (SELECT string_agg(format('WHEN %s THEN %s',
                              (SELECT string_agg(abelian.condition_text(d.condition, keys, kinds), ' AND ' ORDER BY d.place)
                                 FROM jsonb_array_elements(c.clause->'conditions') WITH ORDINALITY d(condition, place)),
                              c.clause->>'partition'), ' ' ORDER BY c.place)
       FROM jsonb_array_elements(rule->'clauses') WITH ORDINALITY c(clause, place)),
    CASE WHEN rule->'default' ? 'partition' THEN format('ELSE %s', rule->'default'->>'partition')
         WHEN rule->'default' ? 'hash' THEN
           format('ELSE HASH(%s)', (SELECT string_agg(abelian.key_expression(keys->h.key::text::integer), ', ' ORDER BY h.place)
                                      FROM jsonb_array_elements(rule->'default'->'hash') WITH ORDINALITY h(key, place)))
    END)
$$;

-- How values of a column are brought into canonical form before hashing; NULL when the type cannot be a distribution key. Of a domain, the type below.
-- In PL/pgSQL, as others that each placement or each statement that changes a schema calls: it keeps plans, while a function in SQL makes them anew
-- at each call.
CREATE OR REPLACE FUNCTION abelian.key_type(type oid, typmod integer, collation_id oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  below pg_type;
  kind text := CASE
    WHEN type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN 'integer'
    WHEN type = 'numeric'::regtype THEN CASE WHEN typmod >= 4 AND (typmod - 4) & 2047 = 0 THEN 'integer' ELSE 'decimal' END -- numeric(p, 0)
    WHEN type = 'uuid'::regtype THEN 'uuid'
    WHEN type = 'boolean'::regtype THEN 'boolean'
    WHEN type = 'date'::regtype THEN 'date'
    WHEN type = 'timestamp'::regtype THEN 'timestamp'
    WHEN type = 'timestamptz'::regtype THEN 'timestamptz'
    WHEN type = 'time'::regtype THEN 'time'
    WHEN type IN ('real'::regtype, 'double precision'::regtype) THEN 'float'
    WHEN type = 'bytea'::regtype THEN 'bytea' END;
BEGIN
  IF kind IS NOT NULL THEN
    RETURN kind;
  ELSIF NOT coalesce((SELECT l.collisdeterministic FROM pg_collation l WHERE l.oid = collation_id), true) THEN
    RETURN NULL;
  ELSIF type IN ('text'::regtype, 'varchar'::regtype) THEN
    RETURN 'text';
  ELSIF type = 'character'::regtype THEN
    RETURN 'blank_padded';
  END IF;
  SELECT t.* INTO below FROM pg_type t WHERE t.oid = type AND t.typtype = 'd';
  RETURN CASE WHEN below.oid IS NOT NULL THEN abelian.key_type(below.typbasetype, below.typtypmod, collation_id) END;
END $$;
-- Whether rules and lookups may name values of a column: not those of domains, nor of types of which there is nothing but the hash.
CREATE FUNCTION abelian.is_named(attribute pg_attribute) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(abelian.key_type(attribute.atttypid, attribute.atttypmod, attribute.attcollation) IN ('integer', 'text', 'blank_padded', 'uuid', 'boolean', 'date'), false)
         AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = attribute.atttypid AND t.typtype = 'd')
$$;
-- The kind of a key: of a column, or of an expression over one; NULL when rows cannot be placed by it.
CREATE FUNCTION abelian.key_kind(relation regclass, key jsonb) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN (SELECT CASE WHEN key->>'operator' IN ('/', '%') AND a.atttypid NOT IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN NULL
              WHEN key->>'operator' = 'left' AND abelian.key_type(a.atttypid, a.atttypmod, a.attcollation) NOT IN ('text', 'blank_padded') THEN NULL
              ELSE abelian.key_type(a.atttypid, a.atttypmod, a.attcollation) END
    FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = key->>'name' AND a.attnum > 0 AND NOT a.attisdropped);
END $$;
-- Of several keys, joined by commas; NULL when rows cannot be placed by one.
CREATE FUNCTION abelian.key_kinds(relation regclass, keys jsonb) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT CASE WHEN count(abelian.key_kind(relation, k.key)) = count(*) THEN string_agg(abelian.key_kind(relation, k.key), ',' ORDER BY k.place) END
    FROM jsonb_array_elements(keys) WITH ORDINALITY k(key, place));
END $$;

-- The distribution columns that the user names, after all that can be said against them. A column's whole name is taken as it is.
CREATE FUNCTION abelian.key_columns(relation regclass, named text, method text) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  keys jsonb;
  key jsonb;
  described pg_attribute;
BEGIN
  IF EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = named AND a.attnum > 0 AND NOT a.attisdropped) THEN
    keys := jsonb_build_array(jsonb_build_object('name', named));
  ELSE
    keys := abelian.parse_key_columns(named)::jsonb;
  END IF;
  FOR key IN SELECT k FROM jsonb_array_elements(keys) k LOOP
    SELECT * INTO described FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = key->>'name' AND a.attnum > 0 AND NOT a.attisdropped;
    IF described.attnum IS NULL THEN
      RAISE EXCEPTION 'column "%" of table % does not exist', key->>'name', relation USING ERRCODE = 'undefined_column';
    ELSIF described.attgenerated <> '' THEN
      RAISE EXCEPTION 'column "%" of table % is generated and cannot be the distribution column', key->>'name', relation
        USING ERRCODE = 'feature_not_supported';
    ELSIF abelian.key_kind(relation, key - 'operator') IS NULL THEN
      RAISE EXCEPTION 'column "%" of type % cannot be the distribution column', key->>'name', format_type(described.atttypid, described.atttypmod)
        USING ERRCODE = 'feature_not_supported',
              HINT = 'Numbers, text, varchar, char, uuid, boolean, date, time, timestamp, timestamptz, bytea and domains over them can, with a deterministic collation.';
    ELSIF abelian.key_kind(relation, key) IS NULL THEN
      RAISE EXCEPTION 'rows cannot be distributed by % of a column of type %', abelian.key_expression(key), format_type(described.atttypid, described.atttypmod)
        USING ERRCODE = 'feature_not_supported',
              HINT = 'Division and its remainder are for smallint, integer and bigint; left() is for text, varchar and char.';
    ELSIF method <> 'hash' AND (abelian.is_wide(described) OR NOT abelian.is_named(described)) THEN
      RAISE EXCEPTION 'column "%" of type % cannot stand in a rule', key->>'name', format_type(described.atttypid, described.atttypmod)
        USING ERRCODE = 'feature_not_supported', HINT = 'Integers, numeric(p, 0) up to p = 18, text, varchar, char, uuid, boolean and date can. Others are distributed by hash.';
    END IF;
  END LOOP;
  RETURN keys;
END $$;
-- Whether the column has numbers of more than 64 bits.
CREATE FUNCTION abelian.is_wide(attribute pg_attribute) RETURNS boolean LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT attribute.atttypid = 'numeric'::regtype AND ((attribute.atttypmod - 4) >> 16) & 65535 > 18
$$;

-- The attribute numbers of the distribution columns.
CREATE FUNCTION abelian.key_attributes(relation regclass, keys jsonb) RETURNS smallint[] LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN (SELECT array_agg(a.attnum) FROM jsonb_array_elements(keys) k JOIN pg_attribute a ON a.attrelid = relation AND a.attname = k->>'name' AND NOT a.attisdropped);
END $$;

-- Whether rows of both tables that agree in all pairs of columns lie together, by their keys alone.
CREATE FUNCTION abelian.maps_keys(child_keys jsonb, parent_keys jsonb, child regclass, parent regclass, child_columns smallint[], parent_columns smallint[])
RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT bool_and(c.key - 'name' = p.key - 'name' AND EXISTS (
           SELECT FROM unnest(child_columns, parent_columns) AS pair(child_column, parent_column)
             JOIN pg_attribute ca ON ca.attrelid = child AND ca.attnum = pair.child_column AND ca.attname = c.key->>'name'
             JOIN pg_attribute pa ON pa.attrelid = parent AND pa.attnum = pair.parent_column AND pa.attname = p.key->>'name'))
    FROM jsonb_array_elements(child_keys) WITH ORDINALITY c(key, place)
    JOIN jsonb_array_elements(parent_keys) WITH ORDINALITY p(key, place) USING (place)
$$;

-- ---- what is there to see

CREATE VIEW abelian.distributed_tables AS
  SELECT p.relation, g.method, abelian.key_expressions(p.columns) AS columns, g.colocation_id, abelian.rule_text(g.rule, p.columns, g.key_type) AS rule
    FROM abelian.placement p JOIN abelian.colocation g USING (colocation_id);
COMMENT ON VIEW abelian.distributed_tables IS 'the tables whose rows lie on several nodes, and by what';
CREATE VIEW abelian.partitions AS
  SELECT p.colocation_id, p.partition, p.node_id, n.host, n.port FROM abelian.partition p JOIN abelian.node n USING (node_id);
COMMENT ON VIEW abelian.partitions IS 'the node of each partition of each colocation group';
GRANT SELECT ON abelian.distributed_tables, abelian.partitions TO PUBLIC;

CREATE OR REPLACE FUNCTION abelian.catalog() RETURNS json LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  cluster abelian.cluster;
BEGIN
  SELECT c.* INTO cluster FROM abelian.cluster c; -- by itself: plans that name this table do not outlive a change
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  RETURN json_build_object(
    'oldest_router', '0.6.0', -- the oldest router that can work with this extension; it refuses where that is newer than itself
    'version', cluster.version, 'next_node_id', cluster.next_node_id, 'next_colocation_id', cluster.next_colocation_id,
    'nodes', coalesce((SELECT json_agg(json_build_object('id', node_id, 'host', host, 'port', port) ORDER BY node_id)
                         FROM abelian.node), '[]'),
    'tables', coalesce((
      SELECT json_agg(json_build_object('schema', n.nspname, 'name', c.relname, 'method', p.method, 'column', p.column_name, 'columns', p.columns,
                                        'key_type', g.key_type, 'colocation', p.colocation_id) ORDER BY n.nspname, c.relname)
        FROM abelian.placement p JOIN pg_class c ON c.oid = p.relation JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN abelian.colocation g USING (colocation_id)), '[]'),
    'colocations', coalesce((
      SELECT json_agg(json_build_object('id', g.colocation_id, 'partition_count', g.partition_count,
               'key_type', g.key_type, 'default', g.is_default, 'nodes',
               (SELECT json_agg(p.node_id ORDER BY p.partition) FROM abelian.partition p WHERE p.colocation_id = g.colocation_id),
               'method', g.method, 'rule', g.rule, 'entries',
               (SELECT json_object_agg(e.key, e.partition ORDER BY e.key) FROM abelian.lookup_entry e WHERE e.colocation_id = g.colocation_id))
             ORDER BY g.colocation_id)
        FROM abelian.colocation g), '[]'),
    'lookups', coalesce((
      SELECT json_agg(json_build_object('id', l.colocation_id, 'schema', n.nspname, 'table', c.relname, 'column', a.attname, 'attribute', l.attribute,
                                        'entries', l.entries::text, 'index', l.own_index::text) ORDER BY l.colocation_id)
        FROM abelian.lookup_index l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = l.relation AND a.attnum = l.attribute), '[]'),
    'procedures', coalesce((SELECT json_agg(to_json(p) ORDER BY p.signature) FROM abelian.procedure p), '[]'));
END $$;

-- Of older catalogues as well, which tell of the hash of one column only.
CREATE OR REPLACE FUNCTION abelian.install_catalog(catalog json) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM abelian.placement) OR EXISTS (SELECT FROM abelian.node) THEN
    RAISE EXCEPTION 'this node already belongs to a cluster' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  UPDATE abelian.cluster SET
    version = (catalog->>'version')::bigint,
    next_node_id = (catalog->>'next_node_id')::integer,
    next_colocation_id = (catalog->>'next_colocation_id')::integer;
  INSERT INTO abelian.node SELECT (n->>'id')::integer, n->>'host', (n->>'port')::integer FROM json_array_elements(catalog->'nodes') n;
  INSERT INTO abelian.colocation (colocation_id, partition_count, key_type, is_default, method, rule)
    SELECT (g->>'id')::integer, (g->>'partition_count')::integer, g->>'key_type', (g->>'default')::boolean, coalesce(g->>'method', 'hash'),
           nullif((g->'rule')::jsonb, 'null')
      FROM json_array_elements(catalog->'colocations') g;
  INSERT INTO abelian.partition
    SELECT (g->>'id')::integer, p.ordinality - 1, p.value::text::integer
      FROM json_array_elements(catalog->'colocations') g, json_array_elements(g->'nodes') WITH ORDINALITY p;
  INSERT INTO abelian.lookup_entry (colocation_id, key, partition)
    SELECT (g->>'id')::integer, e.key, e.value::integer
      FROM json_array_elements(catalog->'colocations') g,
           json_each_text(CASE json_typeof(g->'entries') WHEN 'object' THEN g->'entries' ELSE '{}' END) e;
  INSERT INTO abelian.placement (relation, method, column_name, colocation_id, columns)
    SELECT format('%I.%I', t->>'schema', t->>'name')::regclass, t->>'method', t->>'column', (t->>'colocation')::integer,
           CASE WHEN t->>'column' IS NOT NULL THEN coalesce(nullif((t->'columns')::jsonb, 'null'), jsonb_build_array(jsonb_build_object('name', t->>'column'))) END
      FROM json_array_elements(catalog->'tables') t;
  INSERT INTO abelian.lookup_index (colocation_id, relation, attribute, entries, own_index)
    SELECT (l->>'id')::integer, format('%I.%I', l->>'schema', l->>'table')::regclass, (l->>'attribute')::smallint, (l->>'entries')::regclass, (l->>'index')::regclass
      FROM json_array_elements(coalesce(catalog->'lookups', '[]')) l;
  INSERT INTO abelian.procedure SELECT p.* FROM json_populate_recordset(NULL::abelian.procedure, coalesce(catalog->'procedures', '[]')) p;
  PERFORM abelian.keep_row_checks();
END $$;

-- ---- the entries of a lookup

-- What both functions below begin with: the group, which nobody else changes until the end of the transaction, and the key in the form of the
-- entries. Nobody adds rows to the group's tables meanwhile.
CREATE FUNCTION abelian.claim_entry(relation regclass, key text, OUT colocation abelian.colocation, OUT entry text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  member regclass;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_table(relation);
  SELECT g.* INTO colocation FROM abelian.colocation g JOIN abelian.placement p USING (colocation_id) WHERE p.relation = relation;
  IF colocation.method IS DISTINCT FROM 'lookup' THEN
    RAISE EXCEPTION 'table % is not distributed by lookup', relation
      USING ERRCODE = 'wrong_object_type', HINT = 'create_distributed_table(..., ''lookup'') makes such a table.';
  ELSIF key IS NULL THEN
    RAISE EXCEPTION 'a key is required' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  entry := abelian.lookup_key(relation, key);
  FOR member IN SELECT p.relation FROM abelian.placement p WHERE p.colocation_id = colocation.colocation_id AND p.relation <> relation ORDER BY p.relation::oid LOOP
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE ROW EXCLUSIVE MODE', member);
  END LOOP;
END $$;

-- Raises when the key would get another node than the one that has rows with it.
CREATE FUNCTION abelian.check_entry(relation regclass, colocation_id integer, entry text, old_partition integer, new_partition integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  filled regclass;
  old_node integer := (SELECT p.node_id FROM abelian.partition p WHERE p.colocation_id = colocation_id AND p.partition = old_partition);
  new_node integer := (SELECT p.node_id FROM abelian.partition p WHERE p.colocation_id = colocation_id AND p.partition = new_partition);
BEGIN
  IF old_node IS NOT DISTINCT FROM new_node THEN
    RETURN;
  END IF;
  FOR filled IN SELECT p.relation FROM abelian.placement p WHERE p.colocation_id = colocation_id ORDER BY p.relation::oid LOOP
    IF abelian.has_key(filled, entry) THEN
      RAISE EXCEPTION 'table % has rows with key "%", which would have to move', filled, entry
        USING ERRCODE = 'feature_not_supported', HINT = 'DELETE them first, and INSERT them again afterwards.';
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION abelian.place_entry(relation regclass, key text, partition integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  claimed record;
  number integer;
BEGIN
  SELECT * INTO claimed FROM abelian.claim_entry(relation, key);
  number := (claimed.colocation).colocation_id;
  IF octet_length(claimed.entry) > 2000 THEN
    RAISE EXCEPTION 'a key of % bytes is too long for an entry', octet_length(claimed.entry)
      USING ERRCODE = 'program_limit_exceeded', HINT = 'Entries take keys of up to 2000 bytes.';
  ELSIF partition IS NULL OR partition NOT BETWEEN 0 AND (claimed.colocation).partition_count - 1 THEN
    RAISE EXCEPTION 'table % has no partition %', relation, partition
      USING ERRCODE = 'invalid_parameter_value', HINT = format('Its partitions are 0 to %s.', (claimed.colocation).partition_count - 1);
  ELSIF (SELECT count(*) FROM abelian.lookup_entry e WHERE e.colocation_id = number) >= 1000000 THEN
    RAISE EXCEPTION 'the placement of table % has 1000000 keys, and cannot have more', relation
      USING ERRCODE = 'program_limit_exceeded', HINT = 'Keys without an entry are placed by the default; give entries to those that must lie elsewhere.';
  END IF;
  PERFORM abelian.check_entry(relation, number, claimed.entry, abelian.partition_of_key(relation, claimed.entry), partition);
  INSERT INTO abelian.lookup_entry VALUES (number, claimed.entry, partition)
  ON CONFLICT ON CONSTRAINT lookup_entry_pkey DO UPDATE SET partition = excluded.partition;
END $$;

CREATE FUNCTION abelian.remove_entry(relation regclass, key text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  claimed record;
  number integer;
  old_partition integer;
BEGIN
  SELECT * INTO claimed FROM abelian.claim_entry(relation, key);
  number := (claimed.colocation).colocation_id;
  DELETE FROM abelian.lookup_entry e WHERE e.colocation_id = number AND e.key = claimed.entry RETURNING e.partition INTO old_partition;
  IF old_partition IS NULL THEN
    RAISE EXCEPTION 'key "%" of table % has no entry', claimed.entry, relation USING ERRCODE = 'undefined_object';
  END IF;
  PERFORM abelian.check_entry(relation, number, claimed.entry, old_partition, abelian.partition_of_key(relation, claimed.entry));
END $$;
-- As partition_of(), of a key: for a distribution column with an expression, its result.
CREATE FUNCTION abelian.partition_of_key(relation regclass, key text) RETURNS integer LANGUAGE c STRICT STABLE AS 'MODULE_PATHNAME', 'abelian_partition_of_key';

-- What users call, in their own rights: a key of a table that is distributed by lookup gets a partition of its own, or loses it.
CREATE FUNCTION abelian.place_key(relation regclass, key text, partition integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.claim('pg_catalog.pg_class', relation);
  PERFORM abelian.place_entry(relation, key, partition);
END $$;
CREATE FUNCTION abelian.unplace_key(relation regclass, key text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.claim('pg_catalog.pg_class', relation);
  PERFORM abelian.remove_entry(relation, key);
END $$;

REVOKE ALL ON FUNCTION abelian.parse_key_columns(text), abelian.parse_rule(text, text, json, text), abelian.lookup_key(regclass, text),
  abelian.has_key(regclass, text), abelian.is_named(pg_attribute), abelian.key_kind(regclass, jsonb), abelian.key_kinds(regclass, jsonb), abelian.key_columns(regclass, text, text),
  abelian.is_wide(pg_attribute), abelian.key_attributes(regclass, jsonb),
  abelian.maps_keys(jsonb, jsonb, regclass, regclass, smallint[], smallint[]), abelian.claim_entry(regclass, text),
  abelian.check_entry(regclass, integer, text, integer, integer), abelian.partition_of_key(regclass, text) FROM PUBLIC;
-- ==== end of placement by rules =====================================================================
-- ==== placement =====================================================================================
-- Whether a table or procedure has a placement; if none has, with `hold` none gets one until the end of the transaction.
CREATE FUNCTION abelian.anything_placed(hold boolean) RETURNS boolean LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_anything_placed';
REVOKE ALL ON FUNCTION abelian.anything_placed(boolean) FROM PUBLIC;

-- ---- whose it is: the caller's own claim, since the functions below run as the extension's owner

-- Remembers that the current user owns a table or a procedure, for the placement function that is called next.
CREATE FUNCTION abelian.claim(class regclass, object oid) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_claim';
-- For who owns the partitions of a partitioned table as well.
CREATE FUNCTION abelian.is_claimed(class regclass, object oid) RETURNS boolean LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_is_claimed';

-- The relation with its partitions at all levels, each after its parent.
CREATE FUNCTION abelian.partition_tree(relation regclass) RETURNS SETOF regclass LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  SELECT t.relid FROM (SELECT relation AS relid, 0 AS level UNION SELECT p.relid, p.level FROM pg_partition_tree(relation) p) t ORDER BY t.level, t.relid::oid;
END $$;

CREATE FUNCTION abelian.check_kind(class pg_class) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF class.relkind NOT IN ('r', 'p') THEN
    RAISE EXCEPTION '% is not a table', class.oid::regclass
      USING ERRCODE = 'wrong_object_type', HINT = 'Tables and partitioned tables can be placed; views and foreign tables cannot.';
  ELSIF class.relpersistence = 't' OR class.relnamespace IN ('pg_catalog'::regnamespace, 'abelian'::regnamespace) THEN
    RAISE EXCEPTION '% is a temporary or system table', class.oid::regclass USING ERRCODE = 'wrong_object_type';
  END IF;
END $$;

-- Checks that do not depend on the kind of placement, and locks the table against everybody until the end of the transaction.
CREATE OR REPLACE FUNCTION abelian.claim_table(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  class pg_class;
BEGIN
  SELECT * INTO class FROM pg_class c WHERE c.oid = relation;
  IF class.oid IS NULL THEN
    RAISE EXCEPTION 'a table name is required' USING ERRCODE = 'null_value_not_allowed';
  ELSIF NOT abelian.is_claimed('pg_class', relation) THEN
    RAISE EXCEPTION 'must be owner of table %', CASE class.relkind WHEN 'p' THEN format('%s and its partitions', relation) ELSE relation::text END
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM abelian.check_kind(class);
  EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', relation); -- with its partitions
  PERFORM abelian.check_kind(c) FROM abelian.partition_tree(relation) t JOIN pg_class c ON c.oid = t;
END $$;

CREATE OR REPLACE FUNCTION abelian.claim_procedure(procedure text) RETURNS regprocedure
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  claimed regprocedure := procedure::regprocedure;
BEGIN
  IF NOT abelian.is_claimed('pg_proc', claimed) THEN
    RAISE EXCEPTION 'must be owner of %', claimed USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN claimed;
END $$;

-- What users call, in their own rights, with names as they are looked up in the user's session.
DROP FUNCTION pg_catalog.create_distributed_table(regclass, text, text, integer);
CREATE FUNCTION pg_catalog.create_distributed_table(relation regclass, "column" text, distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default',
                                                    partition_count integer DEFAULT NULL, rule text DEFAULT NULL, shard_count integer DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF partition_count IS NOT NULL AND shard_count IS NOT NULL THEN
    RAISE EXCEPTION 'partition_count and shard_count are the same' USING ERRCODE = 'invalid_parameter_value', HINT = 'Give one of them.';
  END IF;
  PERFORM abelian.claim('pg_catalog.pg_class', relation);
  PERFORM abelian.place_table(relation, distribution_type, "column",
    CASE WHEN colocate_with OPERATOR(pg_catalog.<>) 'default' AND colocate_with OPERATOR(pg_catalog.<>) 'none' THEN colocate_with::pg_catalog.regclass END,
    colocate_with OPERATOR(pg_catalog.=) 'default', coalesce(partition_count, shard_count), rule);
  PERFORM abelian.check_rows(relation);
END $$;

CREATE OR REPLACE FUNCTION pg_catalog.create_reference_table(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.claim('pg_catalog.pg_class', relation);
  PERFORM abelian.place_table(relation, 'reference', NULL, NULL, false, NULL);
END $$;

CREATE FUNCTION abelian.unplace_table(relation regclass) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  member regclass;
  child regclass;
  method text;
  needless name;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_table(relation);
  IF (SELECT c.relispartition FROM pg_class c WHERE c.oid = relation) THEN
    RAISE EXCEPTION 'table % is a partition', relation
      USING ERRCODE = 'feature_not_supported', HINT = 'Undistribute the partitioned table, or detach the partition before.';
  END IF;
  method := (SELECT p.method FROM abelian.placement p WHERE p.relation = relation);
  FOR member IN SELECT * FROM abelian.partition_tree(relation) LOOP
    IF NOT abelian.forget_table(member) THEN
      RAISE EXCEPTION 'table % is neither distributed nor a reference table', member USING ERRCODE = 'undefined_object';
    END IF;
  END LOOP;
  FOR child IN
    SELECT k.conrelid FROM pg_constraint k JOIN abelian.placement p ON p.relation = k.conrelid
     WHERE k.contype = 'f' AND k.confrelid = relation
  LOOP
    RAISE EXCEPTION 'placed table % has a foreign key on table %', child, relation
      USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Undistribute that table first.';
  END LOOP;
  FOR member, needless IN
    SELECT t.tgrelid, t.tgname FROM pg_trigger t JOIN abelian.partition_tree(relation) p ON p = t.tgrelid
     WHERE t.tgisinternal AND t.tgfoid = 'abelian.refuse_row()'::regprocedure
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', needless, member);
  END LOOP;
  PERFORM abelian.gather_rows(relation, method);
END $$;
CREATE OR REPLACE FUNCTION pg_catalog.undistribute_table(relation regclass) RETURNS void LANGUAGE plpgsql SECURITY INVOKER AS $$
BEGIN
  PERFORM abelian.claim('pg_catalog.pg_class', relation);
  PERFORM abelian.unplace_table(relation);
END $$;

-- A body that carries values from rows to rows of another key is right only where one node has them all.
ALTER TABLE abelian.procedure DROP CONSTRAINT procedure_class_check,
  ADD CONSTRAINT procedure_class_check CHECK (class IN ('independent', 'coordinated', 'single'));
CREATE OR REPLACE FUNCTION abelian.place_procedure(procedure regprocedure, arguments integer[], colocated_with regclass, merge text, class text, analysed text, unsafe boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  described pg_proc;
  kind text;
  stored text := CASE WHEN class <> 'analysed' THEN class WHEN unsafe AND analysed = 'single' THEN 'coordinated' ELSE analysed END;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_procedure(procedure::text);
  SELECT * INTO described FROM pg_proc p WHERE p.oid = procedure;
  IF described.prolang NOT IN (SELECT l.oid FROM pg_language l WHERE l.lanname IN ('sql', 'plpgsql')) THEN
    RAISE EXCEPTION '% is neither in SQL nor in PL/pgSQL', procedure USING ERRCODE = 'feature_not_supported';
  ELSIF described.prokind NOT IN ('f', 'p') OR described.provariadic <> 0 OR described.prorettype = 'trigger'::regtype THEN
    RAISE EXCEPTION '% cannot be distributed', procedure
      USING ERRCODE = 'wrong_object_type', HINT = 'Procedures and ordinary functions without VARIADIC arguments can.';
  ELSIF described.provolatile = 'i' THEN
    RAISE EXCEPTION '% is immutable: it reads no tables, so that every node can answer it', procedure
      USING ERRCODE = 'wrong_object_type', HINT = 'Call it as it is.';
  ELSIF described.prosecdef OR described.proconfig IS NOT NULL THEN
    RAISE EXCEPTION '% is SECURITY DEFINER or has settings of its own', procedure USING ERRCODE = 'feature_not_supported';
  ELSIF merge NOT IN ('first', 'sum', 'union') THEN
    RAISE EXCEPTION 'unknown rule "%" to merge results', merge
      USING ERRCODE = 'invalid_parameter_value', HINT = 'The rules are first, sum and union.';
  END IF;
  SELECT g.key_type INTO kind FROM abelian.placement p JOIN abelian.colocation g USING (colocation_id) WHERE p.relation = colocated_with;
  IF kind IS NULL THEN
    RAISE EXCEPTION 'table % is not distributed', colocated_with
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Distribute it first.';
  END IF;
  IF class NOT IN ('analysed', 'independent', 'coordinated') THEN
    RAISE EXCEPTION 'unknown class "%"', class
      USING ERRCODE = 'invalid_parameter_value', HINT = 'The classes are independent and coordinated.';
  ELSIF NOT unsafe AND (class = 'independent' AND analysed <> class OR class = 'coordinated' AND analysed = 'single') THEN
    RAISE EXCEPTION 'the analysis says that % is %, not %', procedure, analysed, class
      USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = format('SELECT abelian.explain_procedure(%L) says why; unsafe => true takes your word for it.', procedure);
  END IF;
  DELETE FROM abelian.procedure p WHERE p.signature = procedure::text;
  INSERT INTO abelian.procedure (signature, arguments, colocated_with, merge, class, declared)
  VALUES (procedure::text, arguments, colocated_with, merge, stored,
          CASE WHEN class = 'coordinated' AND analysed <> 'single' THEN 'safer' WHEN stored = analysed THEN 'analysed' ELSE 'unsafe' END);
END $$;
CREATE FUNCTION abelian.distribute_procedure(procedure text, distribution_arguments text, colocate_with regclass, merge text, class text, unsafe boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  named pg_catalog.regprocedure := procedure::pg_catalog.regprocedure;
BEGIN
  IF EXISTS (SELECT FROM abelian.placement p WHERE p.relation OPERATOR(pg_catalog.=) colocate_with AND pg_catalog.jsonb_array_length(p.columns) OPERATOR(pg_catalog.>) 1) THEN
    RAISE EXCEPTION 'table % is distributed by several columns', colocate_with
      USING ERRCODE = 'feature_not_supported', DETAIL = 'An argument of a procedure names a key of one column.';
  END IF;
  PERFORM abelian.claim('pg_catalog.pg_proc', named);
  PERFORM abelian.place_procedure(named, abelian.key_arguments(named, distribution_arguments), colocate_with, merge, class,
    abelian.class_of_body(named), unsafe); -- names in the body are looked up as the caller does
END $$;

CREATE OR REPLACE FUNCTION pg_catalog.create_distributed_procedure(procedure text, distribution_arguments text, colocate_with regclass,
                                                        merge text DEFAULT 'first', class text DEFAULT 'analysed',
                                                        unsafe boolean DEFAULT false) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.distribute_procedure(procedure, distribution_arguments, colocate_with, merge, class, unsafe);
END $$;

-- The same, by the name under which others know it.
CREATE FUNCTION pg_catalog.create_distributed_function(function_name text, distribution_arg_name text, colocate_with regclass,
                                                       merge text DEFAULT 'first', class text DEFAULT 'analysed',
                                                       unsafe boolean DEFAULT false) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.distribute_procedure(function_name, distribution_arg_name, colocate_with, merge, class, unsafe);
END $$;

CREATE OR REPLACE FUNCTION pg_catalog.undistribute_procedure(procedure text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  named pg_catalog.regprocedure := procedure::pg_catalog.regprocedure;
BEGIN
  PERFORM abelian.claim('pg_catalog.pg_proc', named);
  PERFORM abelian.remove_procedure(named);
END $$;

-- As before, but that it is called by the event trigger alone, which has claimed the procedure; and no choice of the owner's makes a body
-- right for several nodes that needs one.
CREATE OR REPLACE FUNCTION abelian.reclassify(procedure regprocedure, analysed text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.claim_procedure(procedure::text);
  IF NOT EXISTS (SELECT FROM pg_event_trigger_ddl_commands() c WHERE c.classid = 'pg_proc'::regclass AND c.objid = procedure) THEN
    RAISE EXCEPTION 'procedure % is not being replaced', procedure USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  UPDATE abelian.procedure p SET class = analysed, declared = 'analysed', stopped = ''
   WHERE p.signature = procedure::text AND p.declared <> 'safer';
  UPDATE abelian.procedure p SET class = CASE analysed WHEN 'single' THEN analysed ELSE 'coordinated' END
   WHERE p.signature = procedure::text AND p.declared = 'safer';
END $$;
CREATE OR REPLACE FUNCTION abelian.analyse_replaced() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
  replaced pg_catalog.oid;
BEGIN
  FOR replaced IN
    SELECT c.objid FROM pg_catalog.pg_event_trigger_ddl_commands() c JOIN abelian.procedure p
        ON pg_catalog.to_regprocedure(p.signature)::pg_catalog.oid OPERATOR(pg_catalog.=) c.objid
     WHERE c.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid
  LOOP
    PERFORM abelian.claim('pg_catalog.pg_proc', replaced);
    PERFORM abelian.reclassify(replaced::pg_catalog.regprocedure, abelian.class_of_body(replaced::pg_catalog.regprocedure));
  END LOOP;
END $$;

-- ---- who changes the placement: a router, which makes the same change on every node

-- The client's statement is one that every node runs, as functions of placement are: what it does inside is not watched.
CREATE FUNCTION abelian.placement_change_begins() RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'abelian_placement_change_begins';
REVOKE ALL ON FUNCTION abelian.placement_change_begins() FROM PUBLIC;

-- Whether a router makes this change; in a command, as event triggers see it, or by a placement function. What settings say counts for
-- routers' own roles only.
CREATE FUNCTION abelian.is_router(in_command boolean) RETURNS boolean LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_is_router';
CREATE FUNCTION abelian.this_node() RETURNS integer LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_this_node';

CREATE FUNCTION abelian.begin_placement_change(in_command boolean) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT abelian.is_router(in_command) AND (SELECT count(*) FROM abelian.node) > 1 THEN
    RAISE EXCEPTION 'the placement can only be changed through a router'
      USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = 'Every node of the cluster must make the same change.',
            HINT = 'Connect to the router and run the statement there.';
  END IF;
  PERFORM abelian.placement_change_begins();
  INSERT INTO abelian.own_node AS o (node_id) SELECT n FROM abelian.this_node() n WHERE n <> 0
  ON CONFLICT (singleton) DO UPDATE SET node_id = excluded.node_id WHERE o.node_id <> excluded.node_id;
  UPDATE abelian.cluster SET version = version + 1;
END $$;
CREATE OR REPLACE FUNCTION abelian.begin_placement_change() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.begin_placement_change(false);
END $$;

-- Whoever changes the placement keeps what he has read of it, too, until he changes more.
CREATE TRIGGER placement_changed AFTER INSERT OR UPDATE OR DELETE ON abelian.node
  FOR EACH STATEMENT EXECUTE FUNCTION abelian.placement_changed();
CREATE TRIGGER placement_changed AFTER INSERT OR UPDATE OR DELETE ON abelian.own_node
  FOR EACH STATEMENT EXECUTE FUNCTION abelian.placement_changed();
CREATE TRIGGER placement_changed AFTER INSERT OR UPDATE OR DELETE ON abelian.colocation
  FOR EACH STATEMENT EXECUTE FUNCTION abelian.placement_changed();
CREATE TRIGGER placement_changed AFTER INSERT OR UPDATE OR DELETE ON abelian.partition
  FOR EACH STATEMENT EXECUTE FUNCTION abelian.placement_changed();
CREATE TRIGGER placement_changed AFTER INSERT OR UPDATE OR DELETE ON abelian.placement
  FOR EACH STATEMENT EXECUTE FUNCTION abelian.placement_changed();
-- Also with session_replication_role = replica.
ALTER TABLE abelian.cluster ENABLE ALWAYS TRIGGER placement_changed;
ALTER TABLE abelian.node ENABLE ALWAYS TRIGGER placement_changed;
ALTER TABLE abelian.own_node ENABLE ALWAYS TRIGGER placement_changed;
ALTER TABLE abelian.colocation ENABLE ALWAYS TRIGGER placement_changed;
ALTER TABLE abelian.partition ENABLE ALWAYS TRIGGER placement_changed;
ALTER TABLE abelian.placement ENABLE ALWAYS TRIGGER placement_changed;

-- ---- the names of what users call, which another extension may have

-- Moves them to a schema; what another extension has in pg_catalog stays out of it.
CREATE FUNCTION abelian.move_names(place name) RETURNS void LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  names CONSTANT name[] := '{
    create_distributed_function,create_distributed_procedure,create_distributed_table,create_lookup_index,create_reference_table,
    drop_lookup_index,undistribute_procedure,undistribute_table}';
  named regprocedure;
BEGIN
  IF EXISTS (SELECT FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner WHERE n.nspname = place AND NOT r.rolsuper) THEN
    RAISE EXCEPTION 'the owner of schema % is no superuser', place
      USING ERRCODE = 'insufficient_privilege', HINT = format('DROP SCHEMA %I, or look what is in it and ALTER SCHEMA %1$I OWNER TO a superuser.', place);
  END IF;
  FOR named IN
    SELECT p.oid FROM pg_proc p
      JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
      JOIN pg_extension e ON e.oid = d.refobjid
     WHERE e.extname = 'abelian_cluster' AND p.proname = ANY (names) AND p.pronamespace <> place::text::regnamespace
       AND NOT (place = 'pg_catalog' AND EXISTS (SELECT FROM pg_proc o WHERE o.proname = p.proname AND o.pronamespace = 'pg_catalog'::regnamespace))
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET SCHEMA %I', named, place);
  END LOOP;
  IF place = 'abelian_names' THEN
    GRANT USAGE ON SCHEMA abelian_names TO PUBLIC;
  END IF;
END $$;
REVOKE ALL ON FUNCTION abelian.move_names(name) FROM PUBLIC;

-- Whether they lie in pg_catalog, where every search path finds them, or in the schema abelian_names. Dumps make schemas before extensions, so it
-- is there when a restore makes the extension, and tells it where they belong.
CREATE FUNCTION abelian.names_in_catalog(wanted boolean) RETURNS void LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM abelian.begin_placement_change();
  IF wanted THEN
    PERFORM abelian.move_names('abelian');
    PERFORM abelian.move_names('pg_catalog');
    IF to_regnamespace('abelian_names') IS NOT NULL THEN
      DROP SCHEMA abelian_names;
    END IF;
  ELSE
    IF to_regnamespace('abelian_names') IS NULL THEN
      CREATE SCHEMA abelian_names;
    END IF;
    PERFORM abelian.move_names('abelian_names');
  END IF;
END $$;
COMMENT ON FUNCTION abelian.names_in_catalog(boolean) IS 'puts create_distributed_table and its like into pg_catalog, or into the schema abelian_names';
REVOKE ALL ON FUNCTION abelian.names_in_catalog(boolean) FROM PUBLIC;

-- ---- partitioned tables

-- Partitions included. For who may read the table.
CREATE OR REPLACE FUNCTION abelian.has_rows(relation regclass) RETURNS boolean LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_has_rows';

-- Whether rows with different values of the column never conflict by a unique index or exclusion constraint: it has the column, and tells values
-- apart as their type does. A collation or an operator class may take for equal what lies on different nodes, such as 'a' and 'A'.
CREATE FUNCTION abelian.keeps_apart(index pg_index, attribute pg_attribute) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM generate_series(0, (index).indnkeyatts - 1) place
      JOIN pg_opclass c ON c.oid = ((index).indclass::oid[])[place]
     WHERE ((index).indkey::smallint[])[place] = (attribute).attnum
       AND coalesce((SELECT l.collisdeterministic FROM pg_collation l WHERE l.oid = ((index).indcollation::oid[])[place]), true)
       AND EXISTS (
             SELECT FROM pg_amop o JOIN pg_opclass usual ON usual.opcfamily = o.amopfamily
              WHERE usual.opcmethod = o.amopmethod AND usual.opcdefault
                AND usual.opcintype = abelian.compared_type((attribute).atttypid)
                AND o.amopmethod = (SELECT m.oid FROM pg_am m WHERE m.amname = 'btree') AND o.amopstrategy = 3
                AND o.amopopr = CASE WHEN (index).indisexclusion
                      THEN (SELECT k.conexclop[place + 1] FROM pg_constraint k WHERE k.conindid = (index).indexrelid AND k.contype IN ('x', 'p', 'u')) -- WITHOUT OVERLAPS is one, too
                      ELSE (SELECT e.amopopr FROM pg_amop e
                             WHERE e.amopfamily = c.opcfamily AND e.amoplefttype = c.opcintype AND e.amoprighttype = c.opcintype AND e.amopstrategy = 3) END))
$$;
-- The type whose operators compare values of a type: below domains, text for varchar.
CREATE FUNCTION abelian.compared_type(type oid) RETURNS oid LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE below(type) AS (
    SELECT compared_type.type
    UNION ALL
    SELECT t.typbasetype FROM below JOIN pg_type t ON t.oid = below.type AND t.typtype = 'd')
  SELECT CASE below.type WHEN 'varchar'::regtype THEN 'text'::regtype::oid ELSE below.type END
    FROM below WHERE NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = below.type AND t.typtype = 'd')
$$;

REVOKE ALL ON FUNCTION abelian.keeps_apart(pg_index, pg_attribute), abelian.compared_type(oid) FROM PUBLIC;

-- Raises unless rows of a placed table can live on the node that their key gives them, all checks local to it.
CREATE OR REPLACE FUNCTION abelian.check_placement(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  placed abelian.placement;
  attributes smallint[];
  problem record;
BEGIN
  SELECT * INTO placed FROM abelian.placement p WHERE p.relation = check_placement.relation;
  FOR problem IN
    SELECT k.key->>'name' AS name
      FROM abelian.colocation g, jsonb_array_elements(placed.columns) WITH ORDINALITY k(key, place)
      LEFT JOIN pg_attribute a ON a.attrelid = placed.relation AND a.attname = k.key->>'name' AND NOT a.attisdropped
     WHERE g.colocation_id = placed.colocation_id
       AND (abelian.key_kind(relation, k.key) IS DISTINCT FROM split_part(g.key_type, ',', k.place::integer) OR g.method <> 'hash' AND (abelian.is_wide(a) OR NOT abelian.is_named(a)))
     ORDER BY k.place
  LOOP
    RAISE EXCEPTION 'the distribution column "%" of table % cannot be dropped, renamed or change its kind', problem.name, relation
      USING ERRCODE = 'feature_not_supported', HINT = 'Call undistribute_table() first.';
  END LOOP;
  PERFORM abelian.check_partitions(placed);

  attributes := abelian.key_attributes(relation, placed.columns);
  FOR problem IN
    SELECT x.indexrelid::regclass AS name, a.attname AS missing,
           a.attnum = ANY ((x.indkey::smallint[])[0:x.indnkeyatts - 1]) AS is_there -- what it INCLUDEs is not compared
      FROM pg_index x JOIN pg_attribute a ON a.attrelid = placed.relation AND a.attnum = ANY (attributes)
     WHERE placed.method <> 'reference' AND x.indrelid = placed.relation
       AND (x.indisunique OR x.indisexclusion) AND NOT abelian.keeps_apart(x, a)
       AND NOT (x.indisunique AND x.indnkeyatts = 1 AND EXISTS (
             SELECT FROM abelian.lookup_index l JOIN pg_attribute u ON u.attrelid = l.relation AND u.attnum = l.attribute
              WHERE l.relation = placed.relation AND abelian.keeps_apart(x, u))) -- unique over the cluster
     ORDER BY x.indexrelid, a.attnum
  LOOP
    IF problem.is_there THEN
      RAISE EXCEPTION 'unique constraint or index % of table % compares the distribution column "%" otherwise than its type does',
                      problem.name, relation, problem.missing
        USING ERRCODE = 'feature_not_supported', DETAIL = 'What it takes for equal may lie on different nodes, of which each could only check its own rows.',
              HINT = 'Use the default operator class and a deterministic collation for this column; in an exclusion constraint, "=".';
    END IF;
    RAISE EXCEPTION 'unique constraint or index % of table % does not contain the distribution column "%"',
                    problem.name, relation, problem.missing
      USING ERRCODE = 'feature_not_supported', DETAIL = 'Each node could only check its own rows.',
            HINT = format('Add column %I to the constraint, or distribute by a column that it contains.', problem.missing);
  END LOOP;

  FOR problem IN
    SELECT k.conname AS name, k.conrelid::regclass AS child, k.confrelid::regclass AS parent,
           EXISTS (SELECT FROM abelian.placement p WHERE p.relation = k.conrelid) AS child_placed FROM pg_constraint k
     WHERE k.contype = 'f' AND placed.relation IN (k.conrelid, k.confrelid) AND k.conparentid = 0
       AND NOT abelian.is_local_foreign_key(k.oid)
  LOOP
    RAISE EXCEPTION 'foreign key "%" of table % on table % would cross nodes', problem.name, problem.child, problem.parent
      USING ERRCODE = 'feature_not_supported',
            HINT = 'A foreign key may refer to a reference table, or map the distribution columns to those of a colocated table. ' ||
                   CASE WHEN problem.child_placed THEN 'Place the referenced table first; else drop the constraint.'
                        ELSE format('Table %s has rows and no placement: drop the constraint, place both tables, and add it again.', problem.child) END;
  END LOOP;

  IF placed.method <> 'reference' THEN
    PERFORM abelian.divide_sequences(relation);
  END IF;

  PERFORM abelian.check_triggers(placed);
  FOR problem IN
    SELECT r.rulename AS name, 'rule' AS what FROM pg_rewrite r WHERE r.ev_class = placed.relation
    UNION ALL
    SELECT l.polname, 'policy with a subquery' FROM pg_policy l
     WHERE l.polrelid = placed.relation AND concat(l.polqual, l.polwithcheck) LIKE '%{SUBLINK %'
    UNION ALL
    SELECT i.inhrelid::regclass::name, 'inheritance child' FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = placed.relation AND NOT c.relispartition
    UNION ALL
    SELECT i.inhparent::regclass::name, 'inheritance parent' FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhrelid = placed.relation AND NOT c.relispartition
  LOOP
    RAISE EXCEPTION 'table % has %: % "%"', relation, 'what a placed table cannot have', problem.what, problem.name
      USING ERRCODE = 'feature_not_supported', DETAIL = 'It would act on the rows of one node only.',
            HINT = format('Drop %s %I first.', problem.what, problem.name);
  END LOOP;
END $$;

-- A row trigger acts on the rows of its node, as it would on one PostgreSQL; what its function does elsewhere is refused when it does it. A
-- statement trigger would fire once on each node, and that of a reference table for each copy.
CREATE FUNCTION abelian.check_triggers(placed abelian.placement) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  problem record;
BEGIN
  FOR problem IN
    SELECT t.tgname AS name,
           CASE WHEN placed.method = 'reference' THEN 'It would fire once for each copy of a row.'
                WHEN t.tgtype::integer & 1 = 0 THEN 'It would fire once on each node.'
                WHEN t.tgoldtable IS NOT NULL OR t.tgnewtable IS NOT NULL THEN 'Its transition tables would have the rows of one node.'
                WHEN t.tgtype::integer & 18 = 18 AND EXISTS (SELECT FROM abelian.lookup_index l WHERE l.relation = placed.relation)
                THEN 'It may change what a lookup index of the table has.'
                WHEN f.prosrc ~* '\m(nextval|setval|currval|lastval)\M' THEN 'Its function uses numbers of sequences, which each node counts for itself.'
           END AS reason
      FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid
     WHERE t.tgrelid = placed.relation AND NOT t.tgisinternal AND NOT abelian.is_own_trigger(t.tgfoid)
  LOOP
    CONTINUE WHEN problem.reason IS NULL;
    RAISE EXCEPTION 'table % has what a placed table cannot have: trigger "%"', placed.relation, problem.name
      USING ERRCODE = 'feature_not_supported', DETAIL = problem.reason,
            HINT = CASE WHEN placed.method = 'reference' THEN format('Drop trigger %I first.', problem.name)
                        ELSE 'Distributed tables may have triggers FOR EACH ROW without transition tables.' END;
  END LOOP;
  -- What participants decide alike they must be able to do: a trigger may fail on one of them.
  FOR problem IN
    SELECT t.tgname AS name, d.signature FROM pg_trigger t, abelian.procedure d JOIN abelian.placement o ON o.relation = d.colocated_with
     WHERE t.tgrelid = placed.relation AND NOT t.tgisinternal AND NOT abelian.is_own_trigger(t.tgfoid)
       AND o.colocation_id = placed.colocation_id AND d.class = 'independent'
  LOOP
    RAISE EXCEPTION 'table % cannot have trigger "%" while procedure % commits independently', placed.relation, problem.name, problem.signature
      USING ERRCODE = 'feature_not_supported', DETAIL = 'The trigger may fail on one participant of a call alone.',
            HINT = 'Call undistribute_procedure(), and create_distributed_procedure() with class => ''coordinated''.';
  END LOOP;
  PERFORM abelian.keep_row_checks(placed.relation);
END $$;

CREATE FUNCTION abelian.check_changed_row(relation oid, VARIADIC keys "any") RETURNS boolean LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'abelian_check_changed_row';
CREATE FUNCTION abelian.add_internal_trigger(relation regclass, command text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_add_internal_trigger';
REVOKE ALL ON FUNCTION abelian.add_internal_trigger(regclass, text) FROM PUBLIC;

-- Never fires: the condition of its trigger holds, or raises.
CREATE FUNCTION abelian.refuse_row() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'a row of table % belongs to another node', tg_relid::regclass USING ERRCODE = 'check_violation';
END $$;
REVOKE ALL ON FUNCTION abelian.refuse_row() FROM PUBLIC;

CREATE FUNCTION abelian.is_own_trigger(function oid) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT function IN ('abelian.note_lookup_change()'::regprocedure, 'abelian.refuse_row()'::regprocedure)
$$;

-- Whether triggers that are switched on may give rows of the table other values than statements have.
CREATE FUNCTION abelian.may_change_rows(relation regclass) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
BEGIN
  RETURN (SELECT EXISTS (SELECT FROM pg_trigger t
                  WHERE t.tgrelid = relation AND NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgtype::integer & 3 = 3 AND t.tgtype::integer & 20 <> 0
                    AND NOT abelian.is_own_trigger(t.tgfoid)));
END $$;

-- A row that such a trigger has changed must still belong to this node: gives the table with its partitions, or all, the trigger that looks after
-- that, while it is needed. It belongs to each table by itself. Dumps do not have it.
CREATE FUNCTION abelian.keep_row_checks(only_of regclass DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  placed abelian.placement;
  kept record;
BEGIN
  FOR placed IN
    SELECT p.* FROM abelian.placement p
     WHERE p.method <> 'reference' AND (only_of IS NULL OR p.relation IN (SELECT * FROM abelian.partition_tree(only_of)))
     ORDER BY p.relation
  LOOP
    SELECT t.tgname AS name, t.tgenabled AS state INTO kept FROM pg_trigger t
     WHERE t.tgrelid = placed.relation AND t.tgisinternal AND t.tgfoid = 'abelian.refuse_row()'::regprocedure;
    IF kept.name IS NOT NULL AND (kept.state <> 'A' OR NOT abelian.may_change_rows(placed.relation)) THEN
      EXECUTE format('DROP TRIGGER %I ON %s', kept.name, placed.relation);
      kept.name := NULL;
    END IF;
    IF kept.name IS NULL AND abelian.may_change_rows(placed.relation) THEN
      PERFORM abelian.add_internal_trigger(placed.relation, format(
        'CREATE TRIGGER abelian_own_row AFTER INSERT OR UPDATE ON %s FOR EACH ROW WHEN (NOT abelian.check_changed_row(new.tableoid, %s)) EXECUTE FUNCTION abelian.refuse_row()',
        placed.relation, (SELECT string_agg(format('new.%I', k.key->>'name'), ', ' ORDER BY k.place)
                            FROM jsonb_array_elements(placed.columns) WITH ORDINALITY k(key, place))));
    END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION abelian.check_triggers(abelian.placement), abelian.keep_row_checks(regclass) FROM PUBLIC;

-- For the owner: until it is called with 0, or the statement ends, changes of the table that functions make fire no triggers of users.
CREATE FUNCTION abelian.mute_triggers(relation regclass) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_mute_triggers';

-- A partitioned table and its partitions are placed alike: each node has the whole tree, with the rows of its keys.
CREATE FUNCTION abelian.check_partitions(placed abelian.placement) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  problem record;
BEGIN
  FOR problem IN
    SELECT i.inhparent::regclass AS parent, i.inhrelid::regclass AS child
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid AND c.relispartition
      LEFT JOIN abelian.placement other ON other.relation = CASE placed.relation WHEN i.inhparent THEN i.inhrelid ELSE i.inhparent END
     WHERE placed.relation IN (i.inhparent, i.inhrelid)
       AND (other.method, other.columns, other.colocation_id) IS DISTINCT FROM (placed.method, placed.columns, placed.colocation_id)
  LOOP
    RAISE EXCEPTION 'table % and its partition % are not placed alike', problem.parent, problem.child
      USING ERRCODE = 'feature_not_supported',
            DETAIL = 'Each node would have other rows in the partition than in the table.',
            HINT = 'Attach a table without placement, or one that is colocated with the partitioned table by the same column; '
                   'place a partitioned table before its partitions.';
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION abelian.check_partitions(abelian.placement), abelian.partition_tree(regclass), abelian.check_kind(pg_class) FROM PUBLIC;

-- As before, but that the columns of a foreign key map all distribution columns.
CREATE OR REPLACE FUNCTION abelian.is_local_foreign_key(constraint_id oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  k pg_constraint;
  child abelian.placement;
  parent abelian.placement;
BEGIN
  SELECT * INTO STRICT k FROM pg_constraint c WHERE c.oid = constraint_id;
  SELECT * INTO child FROM abelian.placement p WHERE p.relation = k.conrelid;
  SELECT * INTO parent FROM abelian.placement p WHERE p.relation = k.confrelid;
  IF parent.method = 'reference' THEN
    RETURN true;
  ELSIF parent.method IS NULL THEN
    RETURN child.method IS NULL;
  ELSIF child.method IS NULL THEN
    RETURN NOT abelian.has_rows(k.conrelid);
  END IF;
  RETURN child.method <> 'reference' AND child.colocation_id = parent.colocation_id
     AND abelian.maps_keys(child.columns, parent.columns, k.conrelid, k.confrelid, k.conkey, k.confkey);
END $$;

DROP FUNCTION abelian.place_table(regclass, text, name, regclass, boolean, integer);
DROP FUNCTION abelian.choose_colocation(text, regclass, boolean, integer);
CREATE FUNCTION abelian.place_table(relation regclass, method text, named text, colocate_with regclass, share_default boolean, partition_count integer,
                                    rule text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  keys jsonb;
  colocation integer;
  is_plain boolean;
  member regclass;
BEGIN
  PERFORM abelian.begin_placement_change();
  PERFORM abelian.claim_table(relation);
  IF EXISTS (SELECT FROM abelian.placement p WHERE p.relation = relation) THEN
    RAISE EXCEPTION 'table % is already distributed or a reference table', relation
      USING ERRCODE = 'duplicate_object', HINT = 'Call undistribute_table() first.';
  ELSIF (SELECT c.relispartition FROM pg_class c WHERE c.oid = relation) THEN
    RAISE EXCEPTION 'table % is a partition', relation
      USING ERRCODE = 'feature_not_supported', HINT = 'Place the partitioned table: its partitions are placed with it.';
  ELSIF NOT EXISTS (SELECT FROM abelian.node) THEN
    RAISE EXCEPTION 'the cluster has no nodes yet'
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'SELECT abelian.add_node(host, port) for each node.';
  END IF;
  IF method IS DISTINCT FROM 'reference' OR named IS NOT NULL THEN
    PERFORM abelian.check_method(method, colocate_with, rule);
    IF named IS NULL THEN
      RAISE EXCEPTION 'a distribution column is required' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    keys := abelian.key_columns(relation, named, method);
    colocation := abelian.choose_colocation(relation, keys, method, colocate_with, share_default, partition_count, rule);
    is_plain := jsonb_array_length(keys) = 1 AND NOT keys->0 ? 'operator' AND (SELECT g.method = 'hash' FROM abelian.colocation g WHERE g.colocation_id = colocation);
    PERFORM abelian.align_sequences(relation, keys);
  END IF;
  INSERT INTO abelian.placement (relation, method, column_name, colocation_id, columns)
  SELECT t, CASE WHEN keys IS NULL THEN 'reference' WHEN is_plain THEN 'hash' ELSE 'distributed' END, keys->0->>'name', colocation, keys
    FROM abelian.partition_tree(relation) t;
  FOR member IN SELECT * FROM abelian.partition_tree(relation) LOOP
    PERFORM abelian.check_placement(member);
  END LOOP;
  PERFORM abelian.spread_rows(relation);
END $$;

-- A table that has become a partition of a placed one, with its own partitions, is placed like it, and its rows follow. PostgreSQL has asked who
-- owns them.
CREATE FUNCTION abelian.place_partition(partition regclass, parent abelian.placement) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  member regclass;
BEGIN
  PERFORM abelian.begin_placement_change(true);
  FOR member IN SELECT * FROM abelian.partition_tree(partition) LOOP
    IF (SELECT c.relkind NOT IN ('r', 'p') OR c.relpersistence = 't' FROM pg_class c WHERE c.oid = member) THEN
      RAISE EXCEPTION '% cannot be a partition of placed table %', member, parent.relation
        USING ERRCODE = 'feature_not_supported', HINT = 'Only tables can, neither foreign nor temporary ones.';
    END IF;
  END LOOP;
  INSERT INTO abelian.placement (relation, method, column_name, colocation_id, columns)
  SELECT t, parent.method, parent.column_name, parent.colocation_id, parent.columns FROM abelian.partition_tree(partition) t;
  FOR member IN SELECT * FROM abelian.partition_tree(partition) LOOP
    PERFORM abelian.check_placement(member);
  END LOOP;
  -- Sequences that the partition has from its parent are on every node what they should be.
  IF abelian.has_rows(partition) OR EXISTS (
       SELECT FROM abelian.partition_tree(partition) t, abelian.sequence_steps_of(t) s
        WHERE s.steps > 0 AND s.sequence NOT IN (SELECT q.seqrelid FROM abelian.sequences_of(parent.relation) q))
  THEN
    PERFORM abelian.spread_rows(partition);
  END IF;
  PERFORM abelian.check_rows(partition);
END $$;
REVOKE ALL ON FUNCTION abelian.place_partition(regclass, abelian.placement) FROM PUBLIC;

-- While nothing is placed, DDL makes no new version, and takes no lock on our tables. Relations that it drops or changes are locked, so the
-- analysis of a statement waits for it; of anything else the first placement waits for the end.
CREATE OR REPLACE FUNCTION abelian.follow_drop() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  dropped oid;
  by_router boolean := abelian.is_router(true);
BEGIN
  IF NOT abelian.anything_placed(hold => by_router AND tg_tag NOT IN ('DROP TABLE', 'DROP VIEW', 'DROP MATERIALIZED VIEW', 'ALTER TABLE')) THEN
    RETURN;
  END IF;
  IF by_router AND EXISTS (
    SELECT FROM pg_event_trigger_dropped_objects() o
     WHERE NOT o.is_temporary AND o.object_type IN ('table', 'table column', 'view', 'materialized view', 'foreign table', 'sequence', 'function', 'procedure',
                                                    'aggregate', 'operator', 'cast', 'type', 'rule', 'policy', 'trigger')) THEN
    PERFORM abelian.begin_placement_change(true);
  END IF;
  FOR dropped IN
    SELECT o.objid FROM pg_event_trigger_dropped_objects() o JOIN abelian.placement p ON p.relation::oid = o.objid
     WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0
  LOOP
    IF NOT by_router THEN
      PERFORM abelian.begin_placement_change(true);
    END IF;
    PERFORM abelian.forget_table(dropped);
  END LOOP;
  PERFORM abelian.check_lookup_triggers();
  PERFORM abelian.keep_row_checks(p.relation)
     FROM pg_event_trigger_dropped_objects() o JOIN abelian.placement p ON p.relation = to_regclass(format('%I.%I', o.address_names[1], o.address_names[2]))
    WHERE o.object_type = 'trigger';
END $$;

-- Whether a text that a router has analysed may mean something else after the command. A new relation hides another only if that has its name.
CREATE FUNCTION abelian.changes_meaning(command_tag text, class oid, object oid) RETURNS boolean LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT command_tag IN ('ALTER TABLE', 'ALTER VIEW', 'CREATE VIEW', 'ALTER SCHEMA', 'CREATE RULE', 'ALTER RULE', 'CREATE FUNCTION', 'ALTER FUNCTION',
                         'CREATE PROCEDURE', 'ALTER PROCEDURE', 'ALTER ROUTINE', 'CREATE AGGREGATE', 'ALTER AGGREGATE', 'CREATE OPERATOR', 'ALTER OPERATOR',
                         'CREATE CAST', 'CREATE TYPE', 'ALTER TYPE', 'CREATE DOMAIN', 'ALTER DOMAIN', 'CREATE POLICY', 'ALTER POLICY',
                         'CREATE TRIGGER', 'ALTER TRIGGER', 'REVOKE')
      OR class = 'pg_class'::regclass AND EXISTS (
           SELECT FROM pg_class new JOIN pg_class other ON other.relname = new.relname AND other.oid <> new.oid AND other.relpersistence <> 't'
            WHERE new.oid = object AND new.relkind NOT IN ('i', 'I') AND other.relkind NOT IN ('i', 'I', 't')));
END $$;
REVOKE ALL ON FUNCTION abelian.changes_meaning(text, oid, oid) FROM PUBLIC;

-- Where a distribution column got another name, the placement names it so; that of a lookup table or a rule does not, and check_placement() refuses it.
CREATE FUNCTION abelian.rename_key(relation regclass, renamed name) RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE abelian.placement p
     SET column_name = CASE p.column_name WHEN k.name THEN renamed::text ELSE p.column_name END,
         columns = (SELECT jsonb_agg(CASE c.key->>'name' WHEN k.name THEN c.key || jsonb_build_object('name', renamed) ELSE c.key END ORDER BY c.place)
                      FROM jsonb_array_elements(p.columns) WITH ORDINALITY c(key, place))
    FROM abelian.colocation g, abelian.placement o, jsonb_array_elements(o.columns) e(key), LATERAL (SELECT e.key->>'name' AS name) k
   WHERE o.relation = rename_key.relation AND g.colocation_id = o.colocation_id AND g.method = 'hash'
     AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = o.relation AND a.attname = k.name AND NOT a.attisdropped)
     AND p.relation IN (SELECT * FROM abelian.partition_tree(rename_key.relation));
$$;
REVOKE ALL ON FUNCTION abelian.rename_key(regclass, name) FROM PUBLIC;

CREATE OR REPLACE FUNCTION abelian.check_ddl() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  touched regclass;
  by_router boolean := abelian.is_router(true);
  new_partition record;
BEGIN
  IF NOT abelian.anything_placed(hold => by_router AND EXISTS (
           SELECT FROM pg_event_trigger_ddl_commands() c
            WHERE c.command_tag = 'CREATE SCHEMA' OR abelian.changes_meaning(c.command_tag, c.classid, c.objid)
              AND c.command_tag NOT IN ('ALTER TABLE', 'ALTER VIEW', 'CREATE RULE', 'ALTER RULE', 'CREATE POLICY', 'ALTER POLICY'))) THEN
    RETURN;
  END IF;
  FOR new_partition IN
    SELECT DISTINCT i.inhrelid::regclass AS name, p.*::abelian.placement AS parent
      FROM pg_event_trigger_ddl_commands() c
      JOIN pg_inherits i ON c.classid = 'pg_class'::regclass AND c.objid IN (i.inhrelid, i.inhparent)
      JOIN pg_class k ON k.oid = i.inhrelid AND k.relispartition
      JOIN abelian.placement p ON p.relation = i.inhparent
     WHERE NOT EXISTS (SELECT FROM abelian.placement o WHERE o.relation = i.inhrelid)
  LOOP
    PERFORM abelian.place_partition(new_partition.name, new_partition.parent);
  END LOOP;
  PERFORM abelian.rename_key(a.attrelid, a.attname)
     FROM pg_event_trigger_ddl_commands() c JOIN pg_attribute a ON a.attrelid = c.objid AND a.attnum = c.objsubid
    WHERE c.classid = 'pg_class'::regclass AND c.command_tag = 'ALTER TABLE' AND c.object_type = 'table column' AND c.objsubid > 0;
  FOR touched IN
    SELECT p.relation
      FROM pg_event_trigger_ddl_commands() c
      LEFT JOIN pg_index x ON c.classid = 'pg_class'::regclass AND x.indexrelid = c.objid
      LEFT JOIN pg_trigger t ON c.classid = 'pg_trigger'::regclass AND t.oid = c.objid
      LEFT JOIN pg_rewrite r ON c.classid = 'pg_rewrite'::regclass AND r.oid = c.objid
      LEFT JOIN pg_policy l ON c.classid = 'pg_policy'::regclass AND l.oid = c.objid
      LEFT JOIN pg_constraint k ON c.classid = 'pg_class'::regclass AND k.contype = 'f' AND k.conrelid = c.objid
      LEFT JOIN pg_inherits i ON c.classid = 'pg_class'::regclass AND c.objid IN (i.inhrelid, i.inhparent)
      JOIN abelian.placement p
        ON c.object_type = 'sequence' AND c.objid IN (SELECT s.seqrelid FROM abelian.sequences_of(p.relation) s)
        OR p.relation::oid IN (CASE WHEN c.classid = 'pg_class'::regclass THEN c.objid END, x.indrelid, t.tgrelid, r.ev_class, l.polrelid,
                               k.confrelid, i.inhparent, i.inhrelid)
     GROUP BY p.relation ORDER BY bool_or(p.relation::oid = c.objid) DESC, p.relation
  LOOP
    PERFORM abelian.check_placement(touched);
  END LOOP;
  IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() c WHERE c.command_tag = 'ALTER TABLE') THEN
    PERFORM abelian.check_lookup_triggers();
  END IF;
  IF EXISTS (
    SELECT FROM pg_event_trigger_ddl_commands() c
      LEFT JOIN pg_class t ON c.classid = 'pg_namespace'::regclass AND t.relnamespace = c.objid
      LEFT JOIN abelian.placement p ON p.relation::oid IN (CASE WHEN c.classid = 'pg_class'::regclass THEN c.objid END, t.oid)
     WHERE c.schema_name IS DISTINCT FROM 'pg_temp' AND NOT c.in_extension
       AND CASE WHEN by_router THEN abelian.changes_meaning(c.command_tag, c.classid, c.objid)
                ELSE c.command_tag IN ('ALTER TABLE', 'ALTER SCHEMA') AND p.relation IS NOT NULL -- its name may have changed
           END)
  THEN
    PERFORM abelian.begin_placement_change(true);
  END IF;
END $$;

-- A distributed procedure that is replaced, dropped, or loses its name, is another one for routers, on every node.
CREATE OR REPLACE FUNCTION abelian.follow_procedures() RETURNS event_trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost text;
BEGIN
  IF NOT abelian.anything_placed(hold => false) THEN
    RETURN;
  END IF;
  IF tg_event = 'sql_drop' THEN
    DELETE FROM abelian.procedure p WHERE to_regprocedure(p.signature) IS NULL OR to_regclass(p.colocated_with::text) IS NULL;
    IF FOUND THEN
      PERFORM abelian.begin_placement_change(true);
    END IF;
    RETURN;
  END IF;
  SELECT p.signature INTO lost FROM abelian.procedure p WHERE to_regprocedure(p.signature) IS NULL;
  IF FOUND THEN
    RAISE EXCEPTION 'distributed procedure % cannot get another name or schema', lost
      USING ERRCODE = 'feature_not_supported', HINT = 'Call undistribute_procedure() first.';
  END IF;
  IF EXISTS (
    SELECT FROM pg_event_trigger_ddl_commands() c JOIN abelian.procedure p ON to_regprocedure(p.signature)::oid = c.objid
     WHERE c.classid = 'pg_proc'::regclass) THEN
    PERFORM abelian.begin_placement_change(true);
  END IF;
END $$;
DROP FUNCTION abelian.is_router();

-- ---- what a placement touches beside the table

-- As before, but that a sequence must be the owner's of the table: others may use it, too. One whose numbers are all for distribution columns counts
-- on the first node as it would on one PostgreSQL, since each number is drawn there before its row is placed; the other nodes' are at their ends.
CREATE OR REPLACE FUNCTION abelian.divide_sequences(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  first_node integer := (SELECT min(n.node_id) FROM abelian.node n);
  this_node integer := coalesce(nullif(abelian.this_node(), 0), first_node);
  table_owner oid := (SELECT c.relowner FROM pg_class c WHERE c.oid = relation);
  sequence oid;
  s pg_sequence;
  stride bigint;
  latest bigint;
  used boolean;
BEGIN
  -- Each ALTER SEQUENCE below comes back here by abelian.check_ddl(), and does the rest: hence what is known of a sequence is read in its turn.
  FOR sequence IN SELECT q.seqrelid FROM abelian.sequences_of(relation) q LOOP
    SELECT * INTO STRICT s FROM pg_sequence q WHERE q.seqrelid = sequence;
    stride := CASE s.seqtypid WHEN 'bigint'::regtype THEN 1024 WHEN 'integer'::regtype THEN 64 ELSE 16 END;
    EXECUTE format('SELECT last_value, is_called FROM %s', s.seqrelid::regclass) INTO latest, used;
    IF NOT pg_has_role(table_owner, (SELECT c.relowner FROM pg_class c WHERE c.oid = sequence), 'USAGE') THEN
      RAISE EXCEPTION 'must be owner of sequence %', s.seqrelid::regclass
        USING ERRCODE = 'insufficient_privilege', DETAIL = format('It gives values to distributed table %s, and would count otherwise on each node.', relation),
              HINT = 'Use a sequence that the owner of the table owns.';
    ELSIF abelian.counts_whole(sequence) THEN
      IF this_node <> first_node THEN
        PERFORM setval(s.seqrelid::regclass, CASE WHEN s.seqincrement > 0 THEN s.seqmax ELSE s.seqmin END);
      END IF;
      CONTINUE;
    ELSIF s.seqincrement = stride AND NOT s.seqcycle AND (latest - s.seqstart) % stride = 0 THEN
      CONTINUE;
    ELSIF s.seqincrement <> 1 OR s.seqcycle OR (used OR latest <> s.seqstart) AND (this_node = first_node OR latest <> s.seqmax) THEN
      RAISE EXCEPTION 'sequence % cannot give values to distributed table % as it is', s.seqrelid::regclass, relation
        USING ERRCODE = 'feature_not_supported', DETAIL = format('Each node counts in steps of %s from a start of its own.', stride),
              HINT = 'It must be unused, count by 1, and not CYCLE: use a new sequence, or ALTER SEQUENCE ... RESTART before the table is distributed.';
    ELSIF this_node > stride THEN
      RAISE EXCEPTION 'sequence % has room for % nodes, and this is node %', s.seqrelid::regclass, stride, this_node
        USING ERRCODE = 'feature_not_supported', HINT = 'Use a larger integer type.';
    END IF;
    EXECUTE format('ALTER SEQUENCE %s INCREMENT BY %s START WITH %s RESTART', s.seqrelid::regclass, stride, s.seqstart + this_node - 1);
  END LOOP;
END $$;

-- What the functions above call for themselves.
REVOKE ALL ON FUNCTION abelian.is_claimed(regclass, oid), abelian.is_router(boolean), abelian.this_node(),
  abelian.begin_placement_change(boolean), abelian.has_rows(regclass), abelian.key_type(oid, integer, oid), abelian.check_placement(regclass),
  abelian.sequences_of(regclass), abelian.is_local_foreign_key(oid), abelian.placement_changed(), abelian.follow_drop(), abelian.check_ddl(),
  abelian.follow_procedures(), abelian.analyse_replaced(), abelian.lock_modes_conflict(text, text) FROM PUBLIC;
-- ---- functions that look nothing up in the path of who calls them

CREATE OR REPLACE FUNCTION abelian.summary_bag_value(bytea) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
  'SELECT pg_catalog.jsonb_object_agg(name, abelian.summary_bag_figure($1, name)) FROM pg_catalog.unnest(''{count,sum,mean,var_pop,var_samp,min,max}''::pg_catalog.text[]) name';
CREATE OR REPLACE FUNCTION abelian.summary_bag_as_text(abelian.summary_bag) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT $1::pg_catalog.jsonb::pg_catalog.text';
CREATE OR REPLACE FUNCTION abelian.get(abelian.dict, text) RETURNS text LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_dict_get';
CREATE OR REPLACE FUNCTION abelian.contains(abelian.dict, text) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_dict_contains';
CREATE OR REPLACE FUNCTION abelian.size(abelian.dict) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT pg_catalog.count(*) FROM pg_catalog.jsonb_object_keys($1::pg_catalog.jsonb)';
CREATE OR REPLACE FUNCTION abelian.contains(abelian.set, text) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_set_contains';
CREATE OR REPLACE FUNCTION abelian.count(abelian.multiset, text) RETURNS bigint LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_multiset_count';
CREATE OR REPLACE FUNCTION abelian.contains(abelian.multiset, text) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_multiset_contains';
CREATE OR REPLACE FUNCTION abelian.size(abelian.multiset) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT coalesce(pg_catalog.sum(value::pg_catalog.int8), 0) FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)';
CREATE OR REPLACE FUNCTION abelian.distinct_size(abelian.multiset) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT pg_catalog.count(*) FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)';
CREATE OR REPLACE FUNCTION abelian.score(abelian.scored_set, text) RETURNS numeric LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_scored_set_score';
CREATE OR REPLACE FUNCTION abelian.contains(abelian.scored_set, text) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_scored_set_contains';
CREATE OR REPLACE FUNCTION abelian.size(abelian.scored_set) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT pg_catalog.count(*) FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)';
CREATE OR REPLACE FUNCTION abelian.range(abelian.scored_set, numeric, numeric) RETURNS TABLE (item text, score numeric) LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT key, value::pg_catalog.numeric FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)
    WHERE value::pg_catalog.numeric OPERATOR(pg_catalog.>=) $2 AND value::pg_catalog.numeric OPERATOR(pg_catalog.<=) $3 ORDER BY 2, key COLLATE pg_catalog."C"';
CREATE OR REPLACE FUNCTION abelian.size(abelian.top_k) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  $$ SELECT pg_catalog.jsonb_array_length(($1::pg_catalog.jsonb) OPERATOR(pg_catalog.->) 'top')::pg_catalog.int8 $$;
CREATE OR REPLACE FUNCTION abelian.top(abelian.top_k, integer DEFAULT NULL) RETURNS TABLE (score numeric, item text) LANGUAGE c STABLE PARALLEL SAFE ROWS 10 AS
  'MODULE_PATHNAME', 'abelian_top_k_best';
CREATE OR REPLACE FUNCTION abelian.top(abelian.scored_set, integer) RETURNS TABLE (item text, score numeric) LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 10 AS
  'MODULE_PATHNAME', 'abelian_scored_set_top';

-- Raises unless these go together.
CREATE FUNCTION abelian.check_method(method text, colocate_with regclass, rule text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF method IS NULL OR method NOT IN ('hash', 'range', 'list', 'rules', 'lookup') THEN
    RAISE EXCEPTION 'unknown distribution type "%"', method
      USING ERRCODE = 'invalid_parameter_value',
            HINT = 'The types are hash, range, list, rules and lookup. A table to be colocated with is named by colocate_with => ''...''.';
  ELSIF colocate_with IS NOT NULL AND (method <> 'hash' OR rule IS NOT NULL) THEN
    RAISE EXCEPTION 'a table that is colocated with % is distributed as that table is', colocate_with
      USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave out distribution_type and rule.';
  ELSIF method = 'hash' AND rule IS NOT NULL THEN
    RAISE EXCEPTION 'a table that is distributed by hash has no rule'
      USING ERRCODE = 'invalid_parameter_value', HINT = 'The distribution types range, list, rules and lookup have one.';
  ELSIF method IN ('range', 'list', 'rules') AND rule IS NULL THEN
    RAISE EXCEPTION 'a table that is distributed by % needs a rule', CASE method WHEN 'rules' THEN method ELSE format('a %s', method) END
      USING ERRCODE = 'invalid_parameter_value', HINT = 'rule => ''WHEN column < 100 THEN 0 WHEN column < 200 THEN 1 ELSE 2'', for example.';
  END IF;
END $$;

-- The number of the group that the table joins, or founds.
CREATE FUNCTION abelian.choose_colocation(relation regclass, keys jsonb, method text, colocate_with regclass, share_default boolean, partition_count integer,
                                          rule text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  chosen abelian.colocation;
  kinds text := abelian.key_kinds(relation, keys);
  parsed jsonb;
  count integer;
BEGIN
  IF partition_count NOT BETWEEN 1 AND 65536 THEN
    RAISE EXCEPTION 'a table cannot have % partitions', partition_count
      USING ERRCODE = 'invalid_parameter_value', HINT = 'Give partition_count, or shard_count, from 1 to 65536, or leave it out.';
  END IF;
  IF colocate_with IS NOT NULL THEN
    SELECT g.* INTO chosen FROM abelian.colocation g JOIN abelian.placement p USING (colocation_id) WHERE p.relation = colocate_with;
    IF chosen.colocation_id IS NULL THEN
      RAISE EXCEPTION 'table % is not distributed', colocate_with
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Distribute it first.';
    ELSIF chosen.key_type <> kinds THEN
      RAISE EXCEPTION 'cannot colocate with table %: its keys are of kind %, not %', colocate_with, chosen.key_type, kinds
        USING ERRCODE = 'datatype_mismatch';
    ELSIF partition_count <> chosen.partition_count THEN
      RAISE EXCEPTION 'cannot have % partitions beside table %, which has %', partition_count, colocate_with, chosen.partition_count
        USING ERRCODE = 'invalid_parameter_value', HINT = 'Leave partition_count or shard_count out: tables that lie together have the same.';
    END IF;
    PERFORM abelian.key_columns(relation, abelian.key_expressions(keys), chosen.method); -- for its rule
    IF chosen.method = 'lookup' AND NOT (SELECT pg_has_role(one.relowner, other.relowner, 'USAGE') FROM pg_class one, pg_class other
                                          WHERE one.oid = relation AND other.oid = colocate_with) THEN
      RAISE EXCEPTION 'must be owner of table %', colocate_with
        USING ERRCODE = 'insufficient_privilege', DETAIL = 'Its owner places keys, which rows of a colocated table would forbid.';
    END IF;
    RETURN chosen.colocation_id;
  END IF;
  IF method = 'hash' THEN
    count := coalesce(partition_count, 32);
    IF share_default THEN
      SELECT * INTO chosen FROM abelian.colocation g
       WHERE g.is_default AND g.method = 'hash' AND g.key_type = kinds AND g.partition_count = count;
      IF FOUND THEN
        RETURN chosen.colocation_id;
      END IF;
    END IF;
    RETURN abelian.found_colocation(kinds, count, share_default, method, NULL);
  END IF;
  parsed := abelian.parse_rule(coalesce(rule, 'ELSE HASH'), method, keys::json, kinds)::jsonb;
  RETURN abelian.found_colocation(kinds, abelian.count_of_rule(parsed, method, partition_count), false, method, parsed);
END $$;

-- How many partitions a rule has: as many as the user says, if that is enough.
CREATE FUNCTION abelian.count_of_rule(rule jsonb, method text, partition_count integer) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  mentioned integer := (SELECT coalesce(max(c::integer), -1) + 1
                          FROM (SELECT c->>'partition' FROM jsonb_array_elements(rule->'clauses') c UNION ALL SELECT rule->'default'->>'partition') all_of(c));
BEGIN
  IF partition_count < mentioned THEN
    RAISE EXCEPTION 'the rule mentions partition %, and there are % partitions', mentioned - 1, partition_count
      USING ERRCODE = 'invalid_parameter_value', HINT = 'Partitions are counted from 0.';
  END IF;
  RETURN coalesce(partition_count, greatest(mentioned, CASE WHEN method = 'lookup' THEN 32 WHEN rule->'default' ? 'hash' THEN (SELECT count(*)::integer FROM abelian.node) END));
END $$;

CREATE FUNCTION abelian.found_colocation(kinds text, partition_count integer, is_default boolean, method text, rule jsonb) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  number integer;
BEGIN
  UPDATE abelian.cluster SET next_colocation_id = next_colocation_id + 1 RETURNING next_colocation_id - 1 INTO number;
  INSERT INTO abelian.colocation (colocation_id, partition_count, key_type, is_default, method, rule)
  VALUES (number, partition_count, kinds, is_default, method, rule);
  INSERT INTO abelian.partition
    WITH ranked AS (SELECT node_id, row_number() OVER (ORDER BY node_id) - 1 AS rank, count(*) OVER () AS nodes FROM abelian.node)
    SELECT number, place, ranked.node_id
      FROM generate_series(0, partition_count - 1) AS place JOIN ranked ON ranked.rank = place * ranked.nodes / partition_count;
  RETURN number;
END $$;
REVOKE ALL ON FUNCTION abelian.check_method(text, regclass, text),
  abelian.choose_colocation(regclass, jsonb, text, regclass, boolean, integer, text), abelian.count_of_rule(jsonb, text, integer),
  abelian.found_colocation(text, integer, boolean, text, jsonb) FROM PUBLIC;

-- What only views and rewritten statements call, or triggers.
REVOKE ALL ON FUNCTION abelian.slice_stored() FROM PUBLIC;
ALTER FUNCTION abelian.lock_modes_conflict(text, text) PARALLEL SAFE;
-- ==== end of placement ==============================================================================
-- ==== rows that move (docs/design/moving-rows.md) ===================================================
-- Tables whose placement this transaction has changed, and whose rows have not followed yet. No transaction commits with one.
CREATE TABLE abelian.moving (
  relation regclass PRIMARY KEY,
  target integer, -- the node that gets this node's rows; 0 for all others; -1 for nobody, who need them no more; NULL where the rows' keys say so
  began timestamptz NOT NULL -- the statement that makes them move
);
CREATE FUNCTION abelian.refuse_half_moved() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM abelian.moving m WHERE m.relation = new.relation) THEN
    RAISE EXCEPTION 'the rows of table % have not followed its placement', new.relation
      USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'A router moves them right after the statement that changes the placement.',
            HINT = 'Send the statement through a router of the same version as the nodes, and not after SET CONSTRAINTS ALL IMMEDIATE.';
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION abelian.refuse_half_moved() FROM PUBLIC;
CREATE CONSTRAINT TRIGGER refuse_half_moved AFTER INSERT ON abelian.moving DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION abelian.refuse_half_moved();
ALTER TABLE abelian.moving ENABLE ALWAYS TRIGGER refuse_half_moved; -- whatever session_replication_role is

-- The node of a row; an error when none may have it.
CREATE FUNCTION abelian.node_of_row(relation oid, VARIADIC keys "any") RETURNS integer LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'abelian_node_of_row';
-- Raises when this session has an open cursor over the table, or checks of it to come.
CREATE FUNCTION abelian.check_not_in_use(relation regclass) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_check_not_in_use';

-- An expression for the node of row "m" of a distributed table.
CREATE FUNCTION abelian.node_of_m(relation regclass) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('abelian.node_of_row(%s::oid, %s)', node_of_m.relation::oid, string_agg(format('m.%I', k.key->>'name'), ', ' ORDER BY k.place))
    FROM abelian.placement p, jsonb_array_elements(p.columns) WITH ORDINALITY k(key, place)
   WHERE p.relation = node_of_m.relation AND p.method <> 'reference'
  HAVING count(*) > 0
$$;

-- What this node's rows of the table, and of its partitions, wait for.
CREATE FUNCTION abelian.begin_move(relation regclass, target integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'the rows of table % cannot move at isolation level %', relation, upper(current_setting('transaction_isolation'))
      USING ERRCODE = 'feature_not_supported', DETAIL = 'Others may have changed the table after the snapshot was taken.', HINT = 'Use READ COMMITTED.';
  END IF;
  PERFORM abelian.check_not_in_use(t) FROM abelian.partition_tree(relation) t;
  INSERT INTO abelian.moving SELECT t, target, statement_timestamp() FROM abelian.partition_tree(relation) t;
END $$;

-- The first node's rows of a table that was placed follow.
CREATE FUNCTION abelian.spread_rows(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_reference boolean := (SELECT p.method = 'reference' FROM abelian.placement p WHERE p.relation = spread_rows.relation);
  others bigint := (SELECT count(*) - 1 FROM abelian.node);
  is_first boolean := abelian.this_node() = (SELECT min(n.node_id) FROM abelian.node n);
BEGIN
  IF NOT abelian.has_rows(relation) THEN
    IF others > 0 AND is_first AND NOT is_reference AND EXISTS (SELECT FROM abelian.partition_tree(relation) t, abelian.sequence_steps_of(t) s WHERE s.steps > 0) THEN
      PERFORM abelian.begin_move(relation, NULL);
    END IF;
  ELSIF others > 0 AND NOT is_first THEN
    RAISE EXCEPTION 'table % has rows on node %', relation, abelian.this_node()
      USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'A table without placement has its rows on the first node; nobody has found these.',
            HINT = 'Connect to that node, look at the rows, and TRUNCATE the table there.';
  ELSIF others > 0 THEN
    PERFORM abelian.begin_move(relation, CASE WHEN is_reference THEN 0 END);
  END IF;
END $$;

-- Raises when a foreign key of the table, or on it, would cross nodes.
CREATE FUNCTION abelian.check_foreign_keys(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  problem record;
BEGIN
  FOR problem IN
    SELECT k.conname AS name, k.conrelid::regclass AS child, k.confrelid::regclass AS parent FROM pg_constraint k
     WHERE k.contype = 'f' AND relation IN (k.conrelid, k.confrelid) AND k.conparentid = 0 AND NOT abelian.is_local_foreign_key(k.oid)
  LOOP
    RAISE EXCEPTION 'foreign key "%" of table % on table % would cross nodes', problem.name, problem.child, problem.parent
      USING ERRCODE = 'feature_not_supported', HINT = 'Drop the constraint first.';
  END LOOP;
END $$;

-- The rows of a table that has lost its placement come together on the first node.
CREATE FUNCTION abelian.gather_rows(relation regclass, method text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  first integer := (SELECT min(n.node_id) FROM abelian.node n);
BEGIN
  PERFORM abelian.check_foreign_keys(t) FROM abelian.partition_tree(relation) t;
  IF (SELECT count(*) FROM abelian.node) = 1 OR abelian.this_node() = first OR NOT abelian.has_rows(relation) THEN
    RETURN;
  ELSIF method = 'reference' THEN
    PERFORM abelian.begin_move(relation, -1);
  ELSE
    PERFORM abelian.begin_move(relation, first);
  END IF;
END $$;

-- ---- sequences whose values the rows have

-- For each sequence of the table, how many steps from its start its next value is.
CREATE OR REPLACE FUNCTION abelian.sequences_of(relation regclass) RETURNS SETOF pg_sequence LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT s.* FROM pg_sequence s WHERE s.seqrelid IN (
    SELECT d.refobjid FROM pg_attrdef a JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
     WHERE a.adrelid = relation AND d.refclassid = 'pg_class'::regclass
    UNION ALL
    SELECT d.objid FROM pg_depend d -- of identity columns
     WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = relation AND d.deptype = 'i')
   ORDER BY s.seqrelid;
END $$;
CREATE FUNCTION abelian.sequence_steps_of(relation regclass, OUT sequence regclass, OUT steps bigint) RETURNS SETOF record
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  s pg_sequence;
BEGIN
  -- Those that count on the first node alone, as if there were no others, stay as they are.
  FOR s IN SELECT * FROM abelian.sequences_of(relation) q WHERE abelian.counts_whole(q.seqrelid) IS NOT TRUE LOOP
    sequence := s.seqrelid;
    EXECUTE format('SELECT ceil((last_value::numeric - %s + CASE WHEN is_called THEN 1 ELSE 0 END) / %s)::bigint FROM %s', s.seqstart, s.seqincrement, sequence)
       INTO steps;
    IF abelian.this_node_or_first() <> (SELECT min(n.node_id) FROM abelian.node n) AND s.seqstart + (steps - 1)::numeric * s.seqincrement >= s.seqmax THEN
      steps := 0; -- it served a distribution column, and nobody drew a number here
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Sequences that count by 1 and were used go on in the steps of distributed tables, above all that they have given.
CREATE FUNCTION abelian.align_sequences(relation regclass, keys jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  member regclass;
  s record;
  steps bigint;
BEGIN
  FOR member IN SELECT * FROM abelian.partition_tree(relation) LOOP
    FOR s IN SELECT q.*, n.steps AS used, p.stride
               FROM abelian.sequence_steps_of(member) n JOIN pg_sequence q ON q.seqrelid = n.sequence,
                    LATERAL (SELECT CASE q.seqtypid WHEN 'bigint'::regtype THEN 1024 WHEN 'integer'::regtype THEN 64 ELSE 16 END AS stride) p
              WHERE q.seqincrement = 1 AND NOT q.seqcycle AND n.steps > 0 AND NOT abelian.serves_keys(n.sequence, member, keys)
    LOOP
      PERFORM abelian.check_sequence_owner(s.seqrelid, relation);
      steps := ceil(s.used::numeric / s.stride);
      EXECUTE format('ALTER SEQUENCE %s INCREMENT BY %s START WITH %s RESTART WITH %s', s.seqrelid::regclass, s.stride,
                     s.seqstart + abelian.this_node_or_first() - 1, s.seqstart + abelian.this_node_or_first() - 1 + steps * s.stride);
    END LOOP;
  END LOOP;
END $$;
CREATE FUNCTION abelian.this_node_or_first() RETURNS integer LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(nullif(abelian.this_node(), 0), (SELECT min(n.node_id) FROM abelian.node n))
$$;
CREATE FUNCTION abelian.check_sequence_owner(sequence regclass, relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = relation), (SELECT c.relowner FROM pg_class c WHERE c.oid = sequence), 'USAGE') THEN
    RAISE EXCEPTION 'must be owner of sequence %', sequence
      USING ERRCODE = 'insufficient_privilege', DETAIL = format('It gives values to distributed table %s, and would count otherwise on each node.', relation),
            HINT = 'Use a sequence that the owner of the table owns.';
  END IF;
END $$;

-- ---- a node that joins: it gets the catalogue, and the rows of reference tables

-- The node that this transaction adds, as long as it has not got them. No transaction commits before.
CREATE TABLE abelian.joining (node_id integer PRIMARY KEY);
CREATE FUNCTION abelian.refuse_half_joined() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM abelian.joining j WHERE j.node_id = new.node_id) THEN
    RAISE EXCEPTION 'node % has not joined the cluster', new.node_id
      USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'A router brings it the catalogue right after the statement that adds it.',
            HINT = 'Send the statement through a router of the same version as the nodes, and not after SET CONSTRAINTS ALL IMMEDIATE.';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER refuse_half_joined AFTER INSERT ON abelian.joining DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION abelian.refuse_half_joined();
ALTER TABLE abelian.joining ENABLE ALWAYS TRIGGER refuse_half_joined;

-- The rows of reference tables are copied, and stay as they are meanwhile. The first node has them all.
CREATE OR REPLACE FUNCTION abelian.add_node(host text, port integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  number integer;
  filled regclass;
  is_first boolean := abelian.this_node() = (SELECT min(n.node_id) FROM abelian.node n);
BEGIN
  PERFORM abelian.begin_placement_change();
  UPDATE abelian.cluster SET next_node_id = next_node_id + 1 RETURNING next_node_id - 1 INTO number;
  INSERT INTO abelian.node (node_id, host, port) VALUES (number, host, port);
  FOR filled IN
    SELECT p.relation FROM abelian.placement p JOIN pg_class c ON c.oid = p.relation WHERE p.method = 'reference' AND NOT c.relispartition ORDER BY c.oid
  LOOP
    IF is_first THEN
      EXECUTE format('LOCK TABLE %s IN SHARE MODE', filled);
    END IF;
    IF NOT abelian.has_rows(filled) THEN
      CONTINUE;
    ELSIF abelian.this_node() = 0 THEN
      RAISE EXCEPTION 'cannot add a node: reference table % has rows, which the new node would lack', filled
        USING ERRCODE = 'feature_not_supported', HINT = 'Call abelian.add_node() through a router, which copies them.';
    ELSIF is_first THEN
      PERFORM abelian.begin_move(filled, number);
    END IF;
  END LOOP;
  IF is_first THEN
    INSERT INTO abelian.joining VALUES (number);
  END IF;
  RETURN number;
END $$;

-- To how many tables rows of this one refer, directly or not: they come later than those.
CREATE FUNCTION abelian.tables_above(relation oid) RETURNS bigint LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE above AS (
    SELECT k.confrelid FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = tables_above.relation AND k.confrelid <> k.conrelid
    UNION SELECT k.confrelid FROM above a JOIN pg_constraint k ON k.conrelid = a.confrelid AND k.contype = 'f')
  SELECT count(*) FROM above
$$;

-- The catalogue with what a new node cannot know of the sequences that all nodes share: from where this one counts.
CREATE FUNCTION abelian.catalog_to_join() RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN abelian.catalog()::jsonb || jsonb_build_object('sequences', coalesce((
    SELECT jsonb_agg(DISTINCT jsonb_build_object('schema', n.nspname, 'name', c.relname, 'start', s.seqstart - abelian.this_node() + 1,
             'increment', s.seqincrement, 'last', pg_sequence_last_value(s.seqrelid)))
      FROM abelian.placement p, LATERAL abelian.sequences_of(p.relation) s, pg_class c, pg_namespace n
     WHERE c.oid = s.seqrelid AND n.oid = c.relnamespace AND abelian.is_divided(s.seqrelid)), '[]'));
END $$;

-- On the new node: it becomes the one of that number. Its tables are there, as on the other nodes, and are empty.
CREATE FUNCTION abelian.join_cluster(catalog json, number integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  filled regclass;
  shared record;
BEGIN
  IF NOT abelian.is_router(false) THEN
    RAISE EXCEPTION 'nodes join through a router' USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call abelian.add_node() through a router.';
  END IF;
  PERFORM abelian.placement_change_begins();
  BEGIN
    -- Before anything is placed: what is placed may not be without such sequences.
    FOR shared IN
      SELECT format('%I.%I', x.schema, x.name)::regclass AS name, x.start + number - 1 AS start, x.increment, coalesce(x.last, 0) AS last
        FROM json_to_recordset(catalog->'sequences') x(schema text, name text, start bigint, increment bigint, last bigint)
    LOOP
      EXECUTE format('ALTER SEQUENCE %s INCREMENT BY %s START WITH %s RESTART WITH %s', shared.name, shared.increment, shared.start,
                     shared.start + ceil(greatest(shared.last - shared.start, 0)::numeric / shared.increment) * shared.increment);
    END LOOP;
    PERFORM abelian.install_catalog(catalog);
  EXCEPTION WHEN undefined_table OR invalid_schema_name THEN
    RAISE EXCEPTION 'the node that is added lacks a table: %', sqlerrm
      USING ERRCODE = 'undefined_table', HINT = 'Give it the schema of the others before: load what pg_dump --schema-only writes of one.';
  END;
  INSERT INTO abelian.own_node AS o (node_id) VALUES (number) ON CONFLICT (singleton) DO UPDATE SET node_id = excluded.node_id;
  FOR filled IN SELECT p.relation FROM abelian.placement p JOIN pg_class c ON c.oid = p.relation WHERE NOT c.relispartition ORDER BY c.oid LOOP
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', filled);
    IF abelian.has_rows(filled) THEN
      RAISE EXCEPTION 'table % has rows on the node that is added', filled
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'A new node has the tables of the others without rows: TRUNCATE the table there.';
    END IF;
  END LOOP;
  PERFORM setval(s.seqrelid, CASE WHEN s.seqincrement > 0 THEN s.seqmax ELSE s.seqmin END)
     FROM abelian.placement p, LATERAL abelian.sequences_of(p.relation) s WHERE abelian.counts_whole(s.seqrelid);
END $$;
REVOKE ALL ON FUNCTION abelian.refuse_half_joined(), abelian.catalog_to_join(), abelian.join_cluster(json, integer), abelian.tables_above(oid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.join_cluster(json, integer) TO abelian_router;

-- On the first node: the new one has it all.
CREATE FUNCTION abelian.end_join(number integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT abelian.is_router(false) THEN
    RAISE EXCEPTION 'nodes join through a router' USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call abelian.add_node() through a router.';
  END IF;
  DELETE FROM abelian.joining j WHERE j.node_id = number;
END $$;
REVOKE ALL ON FUNCTION abelian.end_join(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.end_join(integer) TO abelian_router;

-- ---- what a router calls, on the connection and in the transaction of the client whose statement changes the placement

-- What waits on this node, for the router to do. Without a relation: a node that joins, to which the catalogue is to be brought before it gets
-- rows; what it gets is read and written by the owner of the table.
CREATE FUNCTION abelian.moves(OUT relation text, OUT target integer, OUT owner text, OUT host text, OUT port integer, OUT catalog text) RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT NULL, n.node_id, NULL, n.host, n.port, abelian.catalog_to_join()::text FROM abelian.joining j JOIN abelian.node n USING (node_id)
  UNION ALL
  (SELECT m.relation::text, m.target, CASE WHEN j.node_id IS NOT NULL THEN pg_get_userbyid(c.relowner)::text END, NULL, NULL, NULL
     FROM abelian.moving m JOIN pg_class c ON c.oid = m.relation LEFT JOIN abelian.joining j ON j.node_id = m.target
    ORDER BY abelian.tables_above(m.relation), m.relation::oid);
END $$;

-- Raises unless a router moves rows of this table, which the caller owns.
CREATE FUNCTION abelian.check_mover(relation regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT abelian.is_claimed('pg_class', relation) THEN
    RAISE EXCEPTION 'must be owner of table %', relation USING ERRCODE = 'insufficient_privilege';
  ELSIF NOT abelian.is_router(false) THEN
    RAISE EXCEPTION 'the rows of table % are moved by routers', relation
      USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call create_distributed_table(), create_reference_table() or undistribute_table() through a router.';
  END IF;
  PERFORM abelian.placement_change_begins();
END $$;

-- What a step needs to know, if a router takes it: this node, and an expression for the node that gets row "m"; NULL when no rows leave here.
CREATE FUNCTION abelian.move_step(relation regclass, ends boolean, OUT own integer, OUT wanted text) RETURNS record
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  began timestamptz;
BEGIN
  PERFORM abelian.check_mover(relation);
  own := abelian.this_node();
  SELECT coalesce(m.target::text, abelian.node_of_m(relation)), m.began INTO wanted, began FROM abelian.moving m WHERE m.relation = relation;
  IF (SELECT s.setting::bigint BETWEEN 1 AND extract(epoch FROM clock_timestamp() - began) * 1000 FROM pg_settings s WHERE s.name = 'statement_timeout') THEN
    RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled'; -- of all steps together
  END IF;
  IF ends THEN
    DELETE FROM abelian.moving m WHERE m.relation = relation;
    PERFORM abelian.check_foreign_keys(relation);
  END IF;
END $$;

-- Expressions and types of the table may call what its owner has written: so rows are read, written and removed in the rights of who calls, whom
-- move_step() has found to be the owner. Where row security would hide some, that is an error.

-- Rows behind that place that must go to another node, in portions; none when there are no more. As texts, which name what has another number elsewhere.
CREATE FUNCTION abelian.take_rows(relation regclass, after tid) RETURNS TABLE (target integer, count bigint, lines bytea, last tid)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC'
SET extra_float_digits = 1 SET lc_monetary = 'C' SET bytea_output = 'hex' SET synchronize_seqscans = off SET row_security = off AS $$
#variable_conflict use_variable
DECLARE
  step record;
  row_of record;
  texts text[] := '{}';
  targets integer[] := '{}';
  place tid;
  size bigint := 0;
BEGIN
  PERFORM abelian.claim('pg_class', relation);
  SELECT * INTO step FROM abelian.move_step(relation, false);
  IF step.wanted IS NULL OR (SELECT c.relkind = 'p' FROM pg_class c WHERE c.oid = relation) THEN
    RETURN;
  END IF;
  FOR row_of IN EXECUTE format('SELECT m.ctid AS place, %1$s AS target, (m.*)::text AS line FROM ONLY %2$s m WHERE m.ctid > $1 AND %1$s <> $2', step.wanted, relation)
                  USING after, step.own
  LOOP
    IF octet_length(row_of.line) > 200000000 THEN
      RAISE EXCEPTION 'a row of table % is too large to move', relation
        USING ERRCODE = 'program_limit_exceeded', DETAIL = 'As text, a row may have 200000000 bytes.', HINT = 'Copy the table by other means.';
    END IF;
    texts := array_append(texts, row_of.line);
    targets := array_append(targets, row_of.target);
    place := row_of.place;
    size := size + octet_length(row_of.line) + 24;
    EXIT WHEN size >= 1000000;
  END LOOP;
  RETURN QUERY SELECT t.node, count(*), convert_to(array_agg(t.line)::text, getdatabaseencoding()), place FROM unnest(texts, targets) t(line, node) GROUP BY t.node;
END $$;

-- The other side; gives how many it has written.
CREATE FUNCTION abelian.give_rows(relation regclass, lines bytea) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET timezone = 'UTC'
SET lc_monetary = 'C' SET xmloption = content SET row_security = off AS $$
DECLARE
  columns text;
  fields text;
  written bigint;
BEGIN
  PERFORM abelian.claim('pg_class', relation);
  PERFORM abelian.move_step(relation, false);
  SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum), string_agg(format('(x.line).%I', a.attname), ', ' ORDER BY a.attnum)
    INTO columns, fields FROM pg_attribute a
   WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '';
  PERFORM abelian.mute_triggers(relation); -- The rows are no new ones.
  EXECUTE format('INSERT INTO %1$s %2$s SELECT %3$s FROM (SELECT l::%1$s AS line FROM unnest($1) l OFFSET 0) x', relation,
                 '(' || columns || ') OVERRIDING SYSTEM VALUE', fields)
    USING convert_from(lines, getdatabaseencoding())::text[];
  GET DIAGNOSTICS written = ROW_COUNT;
  PERFORM abelian.mute_triggers(0);
  RETURN written;
END $$;

-- All rows are where they belong: gives how many this node has removed, since others have them now.
CREATE FUNCTION abelian.end_move(relation regclass) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
#variable_conflict use_variable
DECLARE
  step record;
  strays bigint;
  removed bigint := 0;
  method text := (SELECT p.method FROM abelian.placement p WHERE p.relation = relation);
  home text := coalesce(abelian.node_of_m(relation), (SELECT min(n.node_id) FROM abelian.node n)::text);
BEGIN
  PERFORM abelian.claim('pg_class', relation);
  SELECT * INTO step FROM abelian.move_step(relation, true);
  IF method = 'reference' THEN
    RETURN 0;
  ELSIF step.wanted IS NOT NULL THEN
    PERFORM abelian.mute_triggers(relation);
    EXECUTE format('DELETE FROM ONLY %s m WHERE %s <> $1', relation, home) USING step.own;
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM abelian.mute_triggers(0);
  END IF;
  EXECUTE format('SELECT count(*) FROM ONLY %s m WHERE %s <> $1', relation, home) INTO strays USING step.own;
  IF strays > 0 THEN
    RAISE EXCEPTION '% rows of table % belong to other nodes than node %', strays, relation, step.own USING ERRCODE = 'data_corrupted';
  END IF;
  RETURN removed;
END $$;

-- Where this is the only node, rows stay; raises for one that no node may have.
CREATE FUNCTION abelian.check_rows(relation regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $$
BEGIN
  IF (SELECT count(*) FROM abelian.node) = 1 AND abelian.node_of_m(relation) IS NOT NULL THEN
    EXECUTE format('SELECT count(%s) FROM %s m', abelian.node_of_m(relation), relation);
  END IF;
END $$;

-- Sets a sequence of the table on by so many steps from its start, unless it is there.
CREATE FUNCTION abelian.advance_moving(relation regclass, sequence regclass, steps bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
BEGIN
  PERFORM abelian.check_mover(relation);
  PERFORM setval(sequence, s.seqstart + steps * s.seqincrement, false)
     FROM abelian.sequence_steps_of(relation) own JOIN pg_sequence s ON s.seqrelid = own.sequence
    WHERE own.sequence = sequence AND own.steps < steps;
END $$;

CREATE FUNCTION abelian.sequence_steps(relation regclass, OUT sequence text, OUT steps bigint) RETURNS SETOF record
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.sequence::text, s.steps FROM abelian.sequence_steps_of(relation) s WHERE EXISTS (SELECT FROM abelian.moving m WHERE m.relation = sequence_steps.relation) AND s.steps > 0
$$;
CREATE FUNCTION abelian.advance_sequence(relation regclass, sequence regclass, steps bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM abelian.claim('pg_catalog.pg_class', relation);
  PERFORM abelian.advance_moving(relation, sequence, steps);
END $$;

REVOKE ALL ON FUNCTION abelian.check_not_in_use(regclass), abelian.begin_move(regclass, integer), abelian.spread_rows(regclass),
  abelian.check_foreign_keys(regclass), abelian.gather_rows(regclass, text), abelian.sequence_steps_of(regclass),
  abelian.align_sequences(regclass, jsonb), abelian.this_node_or_first(), abelian.check_sequence_owner(regclass, regclass), abelian.check_mover(regclass) FROM PUBLIC;
-- ==== end of rows that move =========================================================================
-- ==== types: windows and hashing ====================================================================
-- Windows of RANGE with an offset, as over the values.
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN SELECT * FROM (VALUES
      ('counter', 'bigint', 'bigint'), ('bounded_counter', 'bigint', 'bigint'), ('decimal_counter', 'numeric', 'numeric'),
      ('max', 'bigint', 'bigint'), ('min', 'bigint', 'bigint'), ('max_numeric', 'numeric', 'numeric'), ('min_numeric', 'numeric', 'numeric'),
      ('max_timestamptz', 'timestamptz', 'interval'), ('min_timestamptz', 'timestamptz', 'interval')) t(name, value, offset_type)
  LOOP
    EXECUTE format('CREATE FUNCTION abelian.%I(abelian.%I, abelian.%2$I, %s, boolean, boolean) RETURNS boolean LANGUAGE sql STABLE STRICT
                      PARALLEL SAFE RETURN pg_catalog.in_range($1::%s, $2::%4$s, $3, $4, $5)',
                   made.name || '_in_range', made.name, made.offset_type, made.value);
    EXECUTE format('ALTER OPERATOR FAMILY abelian.%I USING btree ADD FUNCTION 3 (abelian.%I, %s) abelian.%I(abelian.%2$I, abelian.%2$I, %3$s, boolean, boolean)',
                   made.name || '_order', made.name, made.offset_type, made.name || '_in_range');
  END LOOP;
END $$;

-- The equality of a type whose values are arrays claimed to hash, but had no operator class, so that a hash join failed.
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT o.oid AS equality, n.nspname, t.typname,
           EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e') AS member,
           EXISTS (SELECT FROM pg_catalog.pg_cast c JOIN pg_catalog.pg_type v ON v.oid = c.casttarget
                    WHERE c.castsource = t.oid AND c.castcontext = 'i' AND v.typcategory = 'A') AS is_array
      FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_type t ON t.oid = o.oprleft JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
     WHERE o.oprname = '|=|' AND o.oprnamespace = 'abelian'::regnamespace AND o.oprcanhash AND o.oprleft = o.oprright
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_amop a JOIN pg_catalog.pg_am m ON m.oid = a.amopmethod WHERE m.amname = 'hash' AND a.amopopr = o.oid)
  LOOP
    IF NOT made.is_array THEN -- the value type has no hash function
      UPDATE pg_catalog.pg_operator SET oprcanhash = false WHERE oid = made.equality;
      CONTINUE;
    END IF;
    EXECUTE format('CREATE OPERATOR CLASS %I.%I DEFAULT FOR TYPE %1$I.%3$I USING hash AS OPERATOR 1 abelian.|=|, FUNCTION 1 %1$I.%4$I(%1$I.%3$I)',
                   made.nspname, made.typname || '_hashing', made.typname, made.typname || '_hash');
    IF NOT made.member THEN -- a user's type: a dump must bring its operator class as well
      EXECUTE format('ALTER EXTENSION abelian DROP OPERATOR CLASS %I.%I USING hash', made.nspname, made.typname || '_hashing');
      EXECUTE format('ALTER EXTENSION abelian DROP OPERATOR FAMILY %I.%I USING hash', made.nspname, made.typname || '_hashing');
    END IF;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION abelian.make_order(type_schema name, type_name name, value oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
DECLARE
  made text := format('%I.%I', type_schema, type_name);
  part record;
  hashes boolean := EXISTS (SELECT FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod JOIN pg_type t ON t.oid = value
                             WHERE m.amname = 'hash' AND c.opcdefault AND c.opcintype IN (value, CASE WHEN t.typcategory = 'A' THEN 'anyarray'::regtype END));
BEGIN
  FOR part IN SELECT * FROM (VALUES
      ('|<|', 'lt', '|>|', '|>=|', 'RESTRICT = scalarltsel, JOIN = scalarltjoinsel'),
      ('|<=|', 'le', '|>=|', '|>|', 'RESTRICT = scalarlesel, JOIN = scalarlejoinsel'),
      ('|=|', 'eq', '|=|', NULL, CASE WHEN hashes THEN 'HASHES, ' ELSE '' END || 'MERGES, RESTRICT = eqsel, JOIN = eqjoinsel'),
      ('|>=|', 'ge', '|<=|', '|<|', 'RESTRICT = scalargesel, JOIN = scalargejoinsel'),
      ('|>|', 'gt', '|<|', '|<=|', 'RESTRICT = scalargtsel, JOIN = scalargtjoinsel'),
      (NULL, 'compare', NULL, NULL, NULL), (NULL, 'hash', NULL, NULL, NULL)) o(operator, name, commutator, negator, options)
  LOOP
    EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE c STABLE STRICT PARALLEL SAFE AS ''$libdir/abelian'', %L',
                   type_schema, type_name || '_' || part.name, CASE part.name WHEN 'hash' THEN made ELSE made || ', ' || made END,
                   CASE WHEN part.operator IS NULL THEN 'integer' ELSE 'boolean' END, 'abelian_object_' || part.name);
    IF part.operator IS NOT NULL THEN
      EXECUTE format('CREATE OPERATOR abelian.%s (FUNCTION = %I.%I, LEFTARG = %s, RIGHTARG = %4$s, COMMUTATOR = OPERATOR(abelian.%5$s), %6$s %7$s)',
                     part.operator, type_schema, type_name || '_' || part.name, made, part.commutator,
                     CASE WHEN part.negator IS NULL THEN '' ELSE format('NEGATOR = OPERATOR(abelian.%s),', part.negator) END, part.options);
    END IF;
  END LOOP;
  EXECUTE format('CREATE OPERATOR CLASS %I.%I DEFAULT FOR TYPE %s USING btree AS
                    OPERATOR 1 abelian.|<|, OPERATOR 2 abelian.|<=|, OPERATOR 3 abelian.|=|, OPERATOR 4 abelian.|>=|, OPERATOR 5 abelian.|>|,
                    FUNCTION 1 %1$I.%4$I(%3$s, %3$s)', type_schema, type_name || '_order', made, type_name || '_compare');
  IF hashes THEN
    EXECUTE format('CREATE OPERATOR CLASS %I.%I DEFAULT FOR TYPE %s USING hash AS OPERATOR 1 abelian.|=|, FUNCTION 1 %1$I.%4$I(%3$s)',
                   type_schema, type_name || '_hashing', made, type_name || '_hash');
  END IF;
END $make$;
-- ==== end of types: windows and hashing =============================================================
-- ==== objects and slices ============================================================================
CREATE FUNCTION join_values("table" regclass) RETURNS bigint LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'abelian_join_values';
COMMENT ON FUNCTION join_values(regclass) IS 'takes what is in slices back into the rows of a table, for its owner; gives the number of rows that were rewritten';

-- From now on a table whose updates are published has no slices; what older versions have split there is joined.
SELECT pg_catalog.count(abelian.join_values(s.relation)) AS joined
FROM (SELECT DISTINCT relation FROM abelian.slice) s JOIN pg_catalog.pg_class c ON c.oid = s.relation
WHERE c.relkind = 'r' AND EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubupdate);

-- A copy: the same value, of which nothing is an object of a column any more, at whatever depth.
CREATE FUNCTION abelian.detached(anyelement) RETURNS anyelement LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_detached';
COMMENT ON FUNCTION abelian.detached(anyelement) IS 'the same value, which does not change with the columns that it was read from';
-- What ANALYZE keeps are copies, too.
CREATE FUNCTION abelian.analyze_values(internal) RETURNS boolean LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_analyze_values';
ALTER FUNCTION abelian.make_type(name, name, regprocedure, text, text) RENAME TO make_bare_type;
CREATE FUNCTION abelian.make_type(type_schema name, type_name name, over regprocedure, from_value text DEFAULT NULL, new_slice text DEFAULT NULL) RETURNS regtype
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $make$
DECLARE
  made regtype := abelian.make_bare_type(type_schema, type_name, over, from_value, new_slice);
BEGIN
  PERFORM abelian.have_analyzed(made);
  RETURN made;
END $make$;
REVOKE ALL ON FUNCTION abelian.make_type(name, name, regprocedure, text, text) FROM PUBLIC;
-- ALTER TYPE records anew what the type depends on, and knows nothing of its aggregate: that is recorded with the label. The label also tells in what
-- the aggregate keeps its states, if that is a type of PostgreSQL's own: another version may have another one, and must not take what is stored for it.
CREATE FUNCTION abelian.have_analyzed(type regtype) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $have$
DECLARE
  set_label text := (SELECT label FROM pg_seclabel WHERE provider = 'abelian' AND classoid = 'pg_type'::regclass AND objoid = type);
  state text := (SELECT format('; state %I.%I', n.nspname, t.typname)
                   FROM pg_aggregate a JOIN pg_type t ON t.oid = a.aggtranstype JOIN pg_namespace n ON n.oid = t.typnamespace
                  WHERE a.aggfnoid = to_regprocedure(split_part(set_label, ';', 1)) AND n.nspname = 'pg_catalog');
BEGIN
  EXECUTE format('ALTER TYPE %s SET (ANALYZE = abelian.analyze_values)', type);
  IF set_label IS NOT NULL THEN
    EXECUTE format('SECURITY LABEL FOR abelian ON TYPE %s IS %L', type, set_label || CASE WHEN set_label LIKE '%; state %' THEN '' ELSE coalesce(state, '') END);
  END IF;
END $have$;
REVOKE ALL ON FUNCTION abelian.have_analyzed(regtype) FROM PUBLIC;
DO $$
DECLARE
  made regtype;
BEGIN
  FOR made IN SELECT unnest(ARRAY['abelian.counter', 'abelian.bounded_counter', 'abelian.decimal_counter']::regtype[])
              UNION SELECT objoid FROM pg_catalog.pg_seclabel WHERE provider OPERATOR(pg_catalog.=) 'abelian' AND classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
  LOOP
    BEGIN
      PERFORM abelian.have_analyzed(made);
    EXCEPTION WHEN insufficient_privilege THEN
      -- It is refused to run functions that ordinary users own, from now on; ANALYZE as well.
      RAISE WARNING 'type % is over an aggregate whose functions no superuser owns', made USING HINT = 'Have a superuser take them over by ALTER FUNCTION ... OWNER TO, and run SELECT abelian.have_analyzed(...) with the type.';
    END;
  END LOOP;
END $$;

-- Slices whose row is gone. The folding worker looks for those that it knows of.
CREATE FUNCTION abelian.collect_orphans("table" regclass DEFAULT NULL) RETURNS bigint LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'abelian_collect_orphans';
COMMENT ON FUNCTION abelian.collect_orphans(regclass) IS 'removes slices whose row is gone, of one table or of all, and tells how many; for owners of the table and superusers';
CREATE OR REPLACE VIEW abelian.statistics AS
    SELECT abelian.figure('in_place') AS in_place, abelian.figure('in_slices') AS in_slices,
           abelian.figure('slices_created') AS slices_created, abelian.figure('collisions') AS collisions,
           abelian.figure('folds') AS folds, abelian.figure('slices_folded') AS slices_folded,
           abelian.figure('waits') AS waits,
           pg_catalog.pg_relation_size('abelian.slice') AS slice_table_bytes,
           abelian.figure('orphans_collected') AS orphans_collected;
-- ==== end of objects and slices =====================================================================
-- ==== statement analysis ============================================================================
-- The columns that take values of a sequence.
CREATE FUNCTION abelian.columns_of(sequence oid) RETURNS TABLE (relation oid, attribute smallint) LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT a.adrelid, a.adnum
    FROM pg_depend d JOIN pg_attrdef a ON a.oid = d.objid
   WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = sequence
  UNION ALL
  SELECT d.refobjid, d.refobjsubid::smallint
    FROM pg_depend d
   WHERE d.classid = 'pg_class'::regclass AND d.objid = sequence AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'i'
$$;
-- Those of distributed tables, and whether each is a distribution column.
CREATE FUNCTION abelian.takers_of(sequence oid) RETURNS TABLE (relation regclass, is_key boolean) LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.relation, t.attribute = ANY (abelian.key_attributes(p.relation, p.columns))
    FROM abelian.columns_of(sequence) t JOIN abelian.placement p ON p.relation = t.relation
   WHERE p.method <> 'reference'
$$;
-- Whether a sequence gives values to nothing but distribution columns, if this table is distributed by these.
CREATE FUNCTION abelian.serves_keys(sequence oid, table_to_place regclass, keys jsonb) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT EXISTS (SELECT FROM abelian.takers_of(sequence) t WHERE NOT t.is_key)
     AND NOT EXISTS (SELECT FROM abelian.columns_of(sequence) c WHERE c.relation = table_to_place AND NOT c.attribute = ANY (abelian.key_attributes(table_to_place, keys)))
$$;
-- Whether all values of a sequence are drawn on the first node: all of its takers are distribution columns, and it was not divided by an earlier version.
CREATE FUNCTION abelian.counts_whole(sequence oid) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT bool_and(t.is_key) AND NOT EXISTS (
           SELECT FROM pg_sequence s
            WHERE s.seqrelid = sequence
              AND s.seqincrement = CASE s.seqtypid WHEN 'bigint'::regtype THEN 1024 WHEN 'integer'::regtype THEN 64 ELSE 16 END)
    FROM abelian.takers_of(sequence) t
$$;
-- Whether the nodes share a sequence's values among them, since a distributed table takes some.
CREATE FUNCTION abelian.is_divided(sequence oid) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT coalesce(abelian.counts_whole(sequence), true)
$$;
REVOKE ALL ON FUNCTION abelian.columns_of(oid), abelian.takers_of(oid), abelian.serves_keys(oid, regclass, jsonb), abelian.counts_whole(oid) FROM PUBLIC;
-- What setval() is for a sequence that the nodes share, each of which goes on with its own next number above this one. Every node runs it.
CREATE FUNCTION abelian.continue_sequence(sequence regclass, value bigint, called boolean DEFAULT true) RETURNS bigint
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  s pg_sequence;
  following numeric;
BEGIN
  SELECT * INTO s FROM pg_sequence q WHERE q.seqrelid = sequence;
  IF NOT FOUND OR value NOT BETWEEN s.seqmin AND s.seqmax OR NOT abelian.is_divided(sequence) THEN
    RETURN setval(sequence, value, called); -- raises, or is all that there is to do: the first node counts
  END IF;
  following := s.seqstart + ceil((value::numeric + called::integer - s.seqstart) / s.seqincrement) * s.seqincrement;
  IF following BETWEEN s.seqmin AND s.seqmax THEN
    PERFORM setval(sequence, following::bigint, false);
  ELSE
    PERFORM setval(sequence, CASE WHEN s.seqincrement > 0 THEN s.seqmax ELSE s.seqmin END); -- it is at its end
  END IF;
  RETURN value;
END $$;
COMMENT ON FUNCTION abelian.continue_sequence(regclass, bigint, boolean) IS 'setval() of a sequence that the nodes share: each goes on above the value; a router calls it on every node';
-- Rows that a router has gathered for a materialized view over several nodes, until the REFRESH that follows; and one of the arrays that they are.
CREATE FUNCTION abelian.keep_rows(query text, command text, VARIADIC arrays "any") RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'abelian_keep_rows';
CREATE FUNCTION abelian.kept_rows(number integer, of anyarray) RETURNS anyarray LANGUAGE c AS 'MODULE_PATHNAME', 'abelian_kept_rows';
COMMENT ON FUNCTION abelian.keep_rows(text, text, "any") IS 'rows for the REFRESH of a materialized view that follows; a router calls it';
-- Where the statements of a text begin, and how long they are: pairs, in bytes.
CREATE FUNCTION abelian.run_over(statement text, tables oid[], parts integer[], rows text[], types oid[], "values" text[]) RETURNS SETOF record LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'abelian_run_over';
COMMENT ON FUNCTION abelian.run_over(text, oid[], integer[], text[], oid[], text[]) IS 'what a SELECT gives if tables have these rows, for routers';
CREATE FUNCTION abelian.gathered_parts() RETURNS integer[] LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'abelian_gathered_parts';
COMMENT ON FUNCTION abelian.gathered_parts() IS 'of which table each row is, inside of abelian.run_over()';
CREATE FUNCTION abelian.gathered_rows() RETURNS text[] LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'abelian_gathered_rows';
COMMENT ON FUNCTION abelian.gathered_rows() IS 'the rows of tables as texts, inside of abelian.run_over()';
CREATE FUNCTION abelian.statements(query text) RETURNS integer[] LANGUAGE c IMMUTABLE STRICT AS 'MODULE_PATHNAME', 'abelian_statements';
COMMENT ON FUNCTION abelian.statements(text) IS 'where the statements of a text begin and how long they are, in bytes, for routers';
CREATE FUNCTION abelian.identity_value(relation regclass, "column" text) RETURNS bigint LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_identity_value';
COMMENT ON FUNCTION abelian.identity_value(regclass, text) IS 'the next number of an identity column, for a router that inserts a row';
-- The prepared statements of a client's session, as a router has told them: what pg_prepared_statements shows there.
CREATE FUNCTION abelian.tell_statements(told text) RETURNS void LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_tell_statements';
CREATE FUNCTION abelian.statements_told() RETURNS text LANGUAGE c STABLE AS 'MODULE_PATHNAME', 'abelian_statements_told';
CREATE FUNCTION abelian.told_statements() RETURNS SETOF pg_catalog.pg_prepared_statements LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM jsonb_populate_recordset(NULL::pg_prepared_statements, abelian.statements_told()::jsonb)
$$;
-- What a router knows of itself: it sets these settings before a query about the views, as it does before SHOW. NULL where there is no router.
CREATE FUNCTION abelian.router_setting(name text) RETURNS jsonb LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  told text := nullif(current_setting(name, true), '');
BEGIN
  IF told IS NULL AND current_setting('abelian.placement_version') <> '0' THEN
    RAISE EXCEPTION 'this node has not been told what its router knows' USING ERRCODE = 'feature_not_supported',
      HINT = 'Read abelian.router_statistics and abelian.routing_rules in a query about nothing but catalogues.';
  END IF;
  RETURN told;
END $$;
COMMENT ON FUNCTION abelian.router_setting(text) IS 'what a router has told of itself, for the views of it';
CREATE VIEW abelian.router_statistics AS
  WITH told AS MATERIALIZED (SELECT abelian.router_setting('abelian.router_statistics') AS router, abelian.router_setting('abelian.commit_statistics') AS commits,
                                    abelian.router_setting('abelian.routing_rules') AS rules),
       counts (name, labels) AS (
         SELECT 'statements', router -> 'statements' FROM told UNION ALL
         SELECT 'commits', commits -> 'classes' FROM told UNION ALL
         SELECT 'coordinated_because', commits -> 'coordinated_because' FROM told UNION ALL
         SELECT 'lane_refusals', commits -> 'refused_by_lanes' FROM told UNION ALL
         SELECT 'memory', router -> 'memory' FROM told UNION ALL
         SELECT 'trace', commits -> 'trace' FROM told)
  SELECT counts.name, each.key AS label, each.value::bigint AS value FROM counts, pg_catalog.jsonb_each_text(counts.labels) each UNION ALL
  SELECT 'node_' || figure.key, node.key, figure.value::bigint
    FROM told, (VALUES ('nodes'), ('node_states')) of (part), pg_catalog.jsonb_each(told.router -> of.part) node, pg_catalog.jsonb_each_text(node.value) figure UNION ALL
  SELECT single.name, NULL, single.value::bigint
    FROM told, LATERAL (VALUES ('sessions', told.router ->> 'sessions'), ('analyses', told.router ->> 'analyses'), ('in_doubt', told.router ->> 'in_doubt'),
                       ('batched_reads', told.router ->> 'batched_reads'), ('shared_calls', told.commits ->> 'shared'), ('misrouted_attempts', told.rules ->> 'misrouted_attempts')) single (name, value)
   WHERE single.value IS NOT NULL;
COMMENT ON VIEW abelian.router_statistics IS 'what the router that a session is connected to has done and does now; empty without a router';
CREATE VIEW abelian.routing_rules AS
  SELECT rule.procedure, rule.rule, rule.used, rule.misrouted_calls, rule.uses
    FROM pg_catalog.jsonb_to_recordset(abelian.router_setting('abelian.routing_rules') -> 'rules')
      rule (procedure text, rule text, used boolean, misrouted_calls bigint, uses bigint);
COMMENT ON VIEW abelian.routing_rules IS 'what the router that a session is connected to has learned about the keys of distributed procedures';
GRANT SELECT ON abelian.router_statistics, abelian.routing_rules TO PUBLIC;
-- ==== end of statement analysis =====================================================================
-- ==== turns (docs/design/waits.md) ===================================================================
-- What a lock is for, in words; the classes are those of src/lock.
CREATE OR REPLACE FUNCTION abelian.lock_operation(locktype text, class integer, mode text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN class = 11005 AND locktype = 'advisory' THEN CASE mode WHEN 'ExclusiveLock' THEN 'add up' ELSE 'write' END
  WHEN class IN (11001, 11002, 11003, 11004) AND locktype = 'advisory' THEN
    CASE mode WHEN 'RowShareLock' THEN 'read in part' WHEN 'RowExclusiveLock' THEN 'add' WHEN 'ShareLock' THEN 'read' WHEN 'ExclusiveLock' THEN 'overwrite' ELSE mode END
  WHEN locktype = 'tuple' THEN
    CASE mode WHEN 'AccessShareLock' THEN 'FOR KEY SHARE' WHEN 'RowShareLock' THEN 'FOR SHARE' WHEN 'ExclusiveLock' THEN 'FOR NO KEY UPDATE' WHEN 'AccessExclusiveLock' THEN 'FOR UPDATE' ELSE mode END
  WHEN locktype = 'transactionid' THEN NULL
  ELSE mode
END;

CREATE OR REPLACE VIEW abelian.locks AS
    SELECT l.pid, p.relation::regclass AS "table",
           (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = p.relation AND a.attnum = p.attribute) AS "column",
           l.object, CASE l.class WHEN 11001 THEN 'value' WHEN 11002 THEN 'row' WHEN 11003 THEN 'element' WHEN 11005 THEN 'parts' ELSE 'turn' END AS part,
           abelian.lock_operation('advisory', l.class, l.mode) AS operation,
           l.granted, l.waitstart,
           CASE WHEN l.granted THEN '{}' ELSE pg_catalog.pg_blocking_pids(l.pid) END AS blocked_by,
           a.query
    FROM (SELECT pid, mode, granted, waitstart, objsubid AS class, (classid::bigint << 32) | objid::bigint AS object
          FROM pg_catalog.pg_locks
          WHERE locktype = 'advisory' AND objsubid IN (11001, 11002, 11003, 11004, 11005)
            AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())) l
         CROSS JOIN LATERAL abelian.object_place(l.object) p
         LEFT JOIN pg_catalog.pg_stat_activity a USING (pid);

CREATE OR REPLACE VIEW abelian.waits AS
WITH lock AS MATERIALIZED (
       SELECT *, classid::bigint << 32 | objid::bigint AS object FROM pg_catalog.pg_locks
     ),
     -- The row itself is locked by whoever waits for the transaction that is at it.
     at_row AS (
       SELECT DISTINCT ON (pid) * FROM lock WHERE locktype = 'tuple' AND granted ORDER BY pid, relation, page, tuple
     ),
     waiting AS MATERIALIZED (
       SELECT w.pid, w.waitstart, w.locktype, w.objsubid AS class, w.relation AS locked_relation, a.query,
              coalesce(w.relation, o.relation, p.relation, t.relation) AS relation, coalesce(o.attribute, abelian.object_column(o.relation, o."row", o.object), p.attribute) AS attribute,
              CASE WHEN w.tuple IS NOT NULL THEN format('(%s,%s)', w.page, w.tuple)::tid
                   WHEN t.tuple IS NOT NULL THEN format('(%s,%s)', t.page, t.tuple)::tid
                   ELSE o."row" END AS "row",
              coalesce(abelian.lock_operation(w.locktype, w.objsubid::integer, w.mode), abelian.lock_operation('tuple', 0, t.mode)) AS operation,
              w.database, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid, pg_catalog.pg_blocking_pids(w.pid) AS blockers
         FROM lock w
         JOIN pg_catalog.pg_stat_activity a ON a.pid = w.pid AND a.datname = pg_catalog.current_database()
         LEFT JOIN LATERAL abelian.waiting_at(w.pid, w.objsubid::integer, w.object) o ON w.locktype = 'advisory' AND w.objsubid > 11000
         LEFT JOIN LATERAL abelian.object_place(w.object) p ON w.locktype = 'advisory' AND w.objsubid IN (11001, 11002, 11004, 11005)
         LEFT JOIN at_row t ON t.pid = w.pid AND w.locktype = 'transactionid'
        WHERE NOT w.granted
     )
SELECT w.pid, pg_catalog.clock_timestamp() - w.waitstart AS waiting,
       w.relation::regclass AS "table",
       (SELECT c.attname FROM pg_catalog.pg_attribute c WHERE c.attrelid = w.relation AND c.attnum = w.attribute) AS "column",
       w."row", abelian.row_key(w.relation, w."row") AS key,
       CASE WHEN w.locktype = 'advisory' AND w.class = 11001 THEN 'value'
            WHEN w.locktype = 'advisory' AND w.class = 11002 THEN 'plain columns'
            WHEN w.locktype = 'advisory' AND w.class = 11003 THEN 'element'
            WHEN w.locktype = 'advisory' AND w.class = 11004 THEN 'turn'
            WHEN w.locktype = 'advisory' AND w.class = 11005 THEN 'parts'
            WHEN w."row" IS NOT NULL THEN 'row'
            WHEN w.locktype = 'relation' THEN 'table'
            ELSE w.locktype END AS part,
       w.operation, w.query AS statement,
       b.pid AS blocked_by, b.prepared,
       b.operation AS blocker_operation, NOT b.granted AS blocker_waits, a.state AS blocker_state, a.query AS blocker_statement,
       CASE WHEN w.class = 11003 AND w.locktype = 'advisory'
            THEN abelian.waiting_for_element(w.pid, 11003, w.classid::bigint << 32 | w.objid::bigint) END AS element
  FROM waiting w
 CROSS JOIN LATERAL (
         SELECT DISTINCT ON (h.pid, h.virtualtransaction) h.pid, h.granted,
                abelian.lock_operation(h.locktype, h.objsubid::integer, h.mode) AS operation,
                (SELECT x.gid FROM lock o JOIN pg_catalog.pg_prepared_xacts x ON x.transaction = o.transactionid
                  WHERE h.pid IS NULL AND o.pid IS NULL AND o.locktype = 'transactionid' AND o.virtualtransaction = h.virtualtransaction) AS prepared
           FROM lock h
          WHERE (h.locktype, h.database, h.relation, h.page, h.tuple, h.virtualxid, h.transactionid, h.classid, h.objid, h.objsubid)
                IS NOT DISTINCT FROM (w.locktype, w.database, w.locked_relation, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid)
            AND coalesce(h.pid, 0) = ANY (w.blockers)
          -- The strongest of its locks: the modes are named in ascending order.
          ORDER BY h.pid, h.virtualtransaction, h.granted DESC,
                   array_position('{AccessShareLock,RowShareLock,RowExclusiveLock,ShareUpdateExclusiveLock,ShareLock,ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}'::text[], h.mode) DESC
       ) b
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid
 UNION ALL
SELECT g.pid, pg_catalog.clock_timestamp() - g.since, g.relation::regclass,
       (SELECT c.attname FROM pg_catalog.pg_attribute c WHERE c.attrelid = g.relation AND c.attnum = coalesce(abelian.object_column(g.relation, g."row", g.object), g.attribute)),
       g."row", abelian.row_key(g.relation, g."row"), 'gate', abelian.lock_operation('advisory', 11001, g.mode), g.query,
       b.pid, NULL, abelian.lock_operation('advisory', 11001, b.mode), NOT b.granted, a.state, a.query, NULL
  FROM (SELECT a.pid, a.query, coalesce(o.relation, p.relation) AS relation, o."row", o.object, p.attribute, o.since,
               CASE o.level WHEN 3 THEN 'RowExclusiveLock' WHEN 5 THEN 'ShareLock' WHEN 7 THEN 'ExclusiveLock' END AS mode
          FROM pg_catalog.pg_stat_activity a
         CROSS JOIN LATERAL abelian.waiting_at_gate(a.pid) o
         CROSS JOIN LATERAL abelian.object_place(o.object) p
         WHERE a.datname = pg_catalog.current_database() AND a.wait_event_type = 'Extension' AND o.object IS NOT NULL) g
  -- Those of another kind who have passed it. Nobody passes with an exclusive one.
  LEFT JOIN (SELECT DISTINCT ON (pid, classid, objid) * FROM lock
              WHERE locktype = 'advisory' AND objsubid = 11001 AND pid IS NOT NULL AND mode IN ('RowExclusiveLock', 'ShareLock', 'ExclusiveLock')
              ORDER BY pid, classid, objid, granted DESC, mode) b
    ON b.object = g.object AND b.pid <> g.pid AND (b.mode <> g.mode OR g.mode = 'ExclusiveLock')
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid;
-- ==== end of turns ==================================================================================
-- ==== settings of sessions ==========================================================================
CREATE FUNCTION abelian.same_defaults(defaults text) RETURNS boolean LANGUAGE c STRICT AS 'MODULE_PATHNAME', 'abelian_same_defaults';

-- For routers that give a connection to another session: false when it was opened before the role or the database got other defaults.
CREATE FUNCTION abelian.defaults_are_current() RETURNS boolean LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT abelian.same_defaults(coalesce(string_agg(concat_ws(' ', s.setdatabase, s.setrole, s.setconfig), E'\n' ORDER BY s.setdatabase, s.setrole), ''))
    FROM pg_db_role_setting s
   WHERE s.setdatabase IN (0, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
     AND s.setrole IN (0, (SELECT r.oid FROM pg_roles r WHERE r.rolname = session_user))
$$;
-- ==== end of settings of sessions ===================================================================
-- ==== dumps of one node (docs/guide/backup.md) ======================================================
-- pg_dump leaves out the tables of the placement: restored, they would make a second node of the same identity. It takes this copy, which
-- has no effect until somebody passes it to abelian.install_catalog().
CREATE TABLE abelian.catalog_for_dumps (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  catalog json NOT NULL,
  written_at timestamptz NOT NULL
);
SELECT pg_catalog.pg_extension_config_dump('abelian.catalog_for_dumps', '');
GRANT SELECT ON abelian.catalog_for_dumps TO PUBLIC;
-- So that whoever owns a database can dump it.
GRANT SELECT ON SEQUENCE abelian.unique_number TO PUBLIC;
COMMENT ON TABLE abelian.catalog_for_dumps IS 'placement, procedures and nodes as pg_dump takes them; without effect';

CREATE FUNCTION abelian.copy_catalog() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF new.version = (SELECT c.version FROM abelian.cluster c) THEN -- the last change of the transaction
    INSERT INTO abelian.catalog_for_dumps (catalog, written_at) VALUES (abelian.catalog(), clock_timestamp())
    ON CONFLICT (singleton) DO UPDATE SET catalog = excluded.catalog, written_at = excluded.written_at;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION abelian.copy_catalog() FROM PUBLIC;
-- Every change of the placement, of procedures and of nodes makes a new version; at its end all of it is there.
CREATE CONSTRAINT TRIGGER copy_catalog AFTER UPDATE ON abelian.cluster DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION abelian.copy_catalog();
INSERT INTO abelian.catalog_for_dumps (catalog, written_at)
SELECT abelian.catalog(), clock_timestamp()
 WHERE EXISTS (SELECT FROM abelian.node) OR EXISTS (SELECT FROM abelian.placement) OR EXISTS (SELECT FROM abelian.procedure);

-- As before, and whether the database is a restored dump that has not become a node, or lacks triggers that dumps leave out.
CREATE OR REPLACE FUNCTION abelian.preflight(OUT problem text, OUT hint text) RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT 'max_prepared_transactions is 0: transactions over several nodes cannot commit',
         'Set max_prepared_transactions to at least max_connections and restart the node.'
   WHERE current_setting('max_prepared_transactions')::integer = 0
  UNION ALL
  SELECT 'the library abelian is not preloaded', 'Add abelian to shared_preload_libraries and restart the node.'
   WHERE NOT 'abelian' = ANY (regexp_split_to_array(current_setting('shared_preload_libraries'), '[ ,"]+'))
  UNION ALL
  SELECT format('%s is off: a crash may lose committed transactions', name), format('Set %s to on.', name)
    FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'
  UNION ALL
  SELECT format('extension %s has version %s, its files have %s', extname, extversion, default_version), format('ALTER EXTENSION %s UPDATE', extname)
    FROM pg_extension JOIN pg_available_extensions ON name = extname
   WHERE extname IN ('abelian', 'abelian_cluster') AND extversion IS DISTINCT FROM default_version
  UNION ALL
  SELECT 'the functions of clusters belong to no extension: abelian was updated from 0.5.0 or older by itself', 'CREATE EXTENSION abelian_cluster VERSION unpackaged; ALTER EXTENSION abelian_cluster UPDATE'
   WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'abelian_cluster')
  UNION ALL
  SELECT 'this database was restored from a dump of one node, and has no placement, procedures and nodes',
         'To make it that node again: SELECT abelian.install_catalog(catalog) FROM abelian.catalog_for_dumps, or the abelian.catalog() of '
         'another node. Else: DELETE FROM abelian.catalog_for_dumps.'
    FROM abelian.catalog_for_dumps c
   WHERE json_array_length(c.catalog->'nodes') + json_array_length(c.catalog->'tables') > 0
     AND NOT EXISTS (SELECT FROM abelian.node) AND NOT EXISTS (SELECT FROM abelian.placement)
  UNION ALL
  SELECT format('nobody looks whether rows of table %s that triggers change still belong to this node', p.relation), 'SELECT abelian.keep_row_checks()'
    FROM abelian.placement p
   WHERE p.method <> 'reference' AND abelian.may_change_rows(p.relation)
     AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = p.relation AND t.tgisinternal AND t.tgenabled = 'A' AND t.tgfoid = 'abelian.refuse_row()'::regprocedure)
$$;
-- ==== end of dumps of one node ======================================================================
-- ==== figures for those who watch routers (docs/guide/operations.md) =================================
-- Of how many objects a part lies in slices. Tells nothing of whose they are.
CREATE FUNCTION abelian.split_object_count() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
  'SELECT count(DISTINCT object) FROM abelian.slice';
REVOKE ALL ON FUNCTION abelian.split_object_count() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.split_object_count() TO abelian_router;
-- ==== end of figures for those who watch routers =====================================================
-- ==== deadlocks over several nodes (docs/protocols/coordinated.md) ===================================
-- As before, but for waits at the commit gate: readers there give up after a moment by themselves, so none is part of a deadlock, and no commit
-- shall be cancelled for one.
CREATE OR REPLACE FUNCTION abelian.wait_edges(
  OUT waiter_pid integer, OUT waiter_session text, OUT waiter_xact_start timestamptz, OUT waiter_query text,
  OUT blocker_pid integer, OUT blocker_session text, OUT blocker_xact_start timestamptz, OUT blocker_query text, OUT blocker_gid text)
RETURNS SETOF record LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH edge AS MATERIALIZED (
    SELECT DISTINCT a.pid, a.xact_start, a.query, b.pid AS blocker
      FROM pg_stat_activity a, unnest(pg_blocking_pids(a.pid)) AS b(pid)
     WHERE a.wait_event_type = 'Lock' AND a.datname = current_database()
       AND NOT EXISTS (SELECT FROM pg_locks g WHERE g.pid = a.pid AND NOT g.granted AND g.locktype = 'advisory'
                          AND (g.classid, g.objid, g.objsubid) = (0::oid, 0::oid, (x'AB03'::int - 65536)::int2)))
  SELECT e.pid, abelian.session_label(e.pid), e.xact_start, e.query,
         e.blocker, abelian.session_label(e.blocker), b.xact_start, b.query, NULL
    FROM edge e LEFT JOIN pg_stat_activity b ON b.pid = e.blocker
   WHERE e.blocker <> 0
  UNION ALL
  SELECT e.pid, abelian.session_label(e.pid), e.xact_start, e.query, NULL, NULL, p.prepared, NULL, p.gid
    FROM (SELECT * FROM edge WHERE blocker = 0) e
    JOIN LATERAL (
      SELECT DISTINCT x.transactionid AS xid
        FROM pg_locks w JOIN pg_locks h
          ON h.granted AND h.pid IS NULL AND abelian.lock_modes_conflict(w.mode, h.mode)
         AND (h.locktype, h.database, h.relation, h.page, h.tuple, h.virtualxid, h.transactionid, h.classid, h.objid, h.objsubid)
             IS NOT DISTINCT FROM
             (w.locktype, w.database, w.relation, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, w.objsubid)
        JOIN pg_locks x -- the holder's lock on its own transaction id
          ON x.virtualtransaction = h.virtualtransaction AND x.pid IS NULL AND x.granted
         AND x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
       WHERE w.pid = e.pid AND NOT w.granted) h ON true
    JOIN pg_prepared_xacts p ON p.transaction = h.xid
$$;
-- Also of superusers, whom the router's role may not cancel itself; of nobody but those whom a router serves and who wait for a lock.
CREATE FUNCTION abelian.cancel_waiter(pid integer, since bigint) RETURNS boolean
LANGUAGE sql STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((SELECT pg_cancel_backend(a.pid) FROM pg_stat_activity a
                    WHERE a.pid = cancel_waiter.pid AND a.wait_event_type = 'Lock' AND abelian.session_label(a.pid) IS NOT NULL
                      AND (extract(epoch FROM a.xact_start) * 1000000)::bigint = cancel_waiter.since), false)
$$;
REVOKE ALL ON FUNCTION abelian.cancel_waiter(integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION abelian.cancel_waiter(integer, bigint) TO abelian_router;
COMMENT ON FUNCTION abelian.cancel_waiter(integer, bigint) IS 'cancels the statement of a router''s session that waits for a lock in the transaction that began then, in microseconds since 1970; for routers';
-- ==== end of deadlocks over several nodes ===========================================================
-- ==== advice on types (docs/guide/advice.md) =========================================================
-- What a statement, run by that role under that search path, does with the tables that it changes or locks: an array of objects with `relation`,
-- `operations` (from the number of a column to add, take if there is enough, greatest, least, or, and; null if the statement must lock its rows whatever their types are) and
-- `reads` (numbers of the columns that it reads beside that; 0 for all). NULL for what cannot be parsed, and for an UPDATE that cannot be resolved.
CREATE FUNCTION abelian.column_uses(query text, role oid, search_path text) RETURNS json
  LANGUAGE c STRICT SET lock_timeout = '100ms' AS 'MODULE_PATHNAME', 'abelian_column_uses';
COMMENT ON FUNCTION abelian.column_uses(text, oid, text) IS 'which columns of which tables a statement would operate on if they had an Abelian type';

-- One look at who waits for a row of this database, after a hundredth of a second. PostgreSQL does not always know of which table the row is.
CREATE FUNCTION abelian.row_waits(look integer, OUT relation oid, OUT query_id bigint) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
  RETURN QUERY
  WITH held AS MATERIALIZED (SELECT l.pid, l.locktype, l.relation, l.transactionid, l.granted FROM pg_locks l WHERE l.locktype IN ('tuple', 'transactionid')),
       -- The first in the queue holds its place there while it waits for the transaction that is at the row; others may wait for that transaction as well.
       first AS (SELECT DISTINCT ON (w.transactionid) w.transactionid, t.relation FROM held w JOIN held t ON t.pid = w.pid AND t.locktype = 'tuple' AND t.granted
                  WHERE w.locktype = 'transactionid' AND NOT w.granted)
  SELECT coalesce(w.relation, f.relation), a.query_id
    FROM held w
    JOIN pg_stat_activity a ON a.pid = w.pid AND a.datname = current_database()
    LEFT JOIN first f ON f.transactionid = w.transactionid
   WHERE NOT w.granted;
END $$;

-- Where the text of a statement finds what it names, if its session has set nothing else.
CREATE FUNCTION abelian.usual_search_path(role oid) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((SELECT substr(c.setting, length('search_path=') + 1)
                     FROM pg_db_role_setting s, unnest(s.setconfig) c(setting)
                    WHERE c.setting LIKE 'search\_path=%' AND s.setrole IN (0, role)
                      AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
                    ORDER BY s.setrole <> 0 DESC, s.setdatabase <> 0 DESC LIMIT 1),
                  '"$user", public')
$$;

-- What pg_stat_statements has of the statements that took most time, as far as the caller may act as the role that ran them.
CREATE FUNCTION abelian.recorded_statements(top integer, OUT query_id bigint, OUT role oid, OUT calls bigint, OUT spent double precision,
                                            OUT is_nested boolean, OUT query text) RETURNS SETOF record
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  place name := (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements');
BEGIN
  IF place IS NULL THEN
    RAISE EXCEPTION 'extension "pg_stat_statements" is not installed in this database' USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = 'Add pg_stat_statements to shared_preload_libraries, restart the server, and run CREATE EXTENSION pg_stat_statements; advice needs the statements of a usual load.';
  ELSIF current_setting('compute_query_id') = 'off' THEN
    RAISE EXCEPTION 'statements have no identifiers, since compute_query_id is off' USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = 'Set compute_query_id to auto.';
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT s.queryid, s.userid, s.calls, s.total_exec_time, NOT s.toplevel, s.query FROM %I.pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid '
    'WHERE s.dbid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()) AND s.queryid IS NOT NULL '
    'AND length(s.query) <= 100000 AND pg_has_role(s.userid, ''USAGE'') ORDER BY s.total_exec_time DESC LIMIT $1', place) USING top;
END $$;

-- Of these, what changes or locks rows: a row for each statement and table.
CREATE FUNCTION abelian.statement_uses(top integer, path text, OUT query_id bigint, OUT calls bigint, OUT spent double precision, OUT is_nested boolean,
                                       OUT query text, OUT relation oid, OUT operations jsonb, OUT reads jsonb) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  recorded record;
  used json;
  seen integer := 0;
  passed_over integer := 0;
BEGIN
  FOR recorded IN SELECT * FROM abelian.recorded_statements(top) LOOP
    used := abelian.column_uses(recorded.query, recorded.role, coalesce(path, abelian.usual_search_path(recorded.role)));
    seen := seen + 1;
    passed_over := passed_over + (used IS NULL)::integer;
    RETURN QUERY SELECT recorded.query_id, recorded.calls, recorded.spent, recorded.is_nested, recorded.query, (u.value->>'relation')::oid, nullif(u.value->'operations', 'null'), u.value->'reads'
                   FROM jsonb_array_elements(used::jsonb) u;
  END LOOP;
  IF passed_over > 0 THEN
    RAISE NOTICE '% of % recorded statements were passed over', passed_over, seen
      USING DETAIL = 'They are updates of what is not found, cannot be parsed once their constants are replaced, or belong to somebody whose statements you may not read.',
            HINT = 'If the application sets a search path, pass it to abelian.advise_types() as search_path.';
  END IF;
END $$;

-- The type under which an operation on a column of this type would not lock the row; NULL if there is none.
CREATE FUNCTION abelian.type_for(operation text, type oid) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT t.name
    FROM (VALUES ('add', '{int2,int4,int8}'::regtype[], 'counter'), ('add', '{numeric}', 'decimal_counter'),
                 ('take', '{int2,int4,int8}', 'bounded_counter'), ('take', '{numeric}', 'bounded_decimal'),
                 ('greatest', '{int2,int4,int8}', 'max'), ('greatest', '{numeric}', 'max_numeric'), ('greatest', '{timestamptz}', 'max_timestamptz'),
                 ('greatest', '{text}', 'max_text'), ('greatest', '{date}', 'max_date'), ('greatest', '{timestamp}', 'max_timestamp'),
                 ('greatest', '{interval}', 'max_interval'), ('greatest', '{float8}', 'max_float8'), ('greatest', '{uuid}', 'max_uuid'),
                 ('least', '{int2,int4,int8}', 'min'), ('least', '{numeric}', 'min_numeric'), ('least', '{timestamptz}', 'min_timestamptz'),
                 ('least', '{text}', 'min_text'), ('least', '{date}', 'min_date'), ('least', '{timestamp}', 'min_timestamp'),
                 ('least', '{interval}', 'min_interval'), ('least', '{float8}', 'min_float8'), ('least', '{uuid}', 'min_uuid'), ('or', '{bool}', 'bool_or'), ('and', '{bool}', 'bool_and')) t(operation, types, name)
   WHERE t.operation = type_for.operation AND type_for.type = ANY (t.types)
$$;

-- Whether a CHECK of the table reads the column.
CREATE FUNCTION abelian.has_check(relation oid, attribute integer) RETURNS boolean LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = has_check.relation AND c.contype = 'c' AND has_check.attribute::smallint = ANY (c.conkey))
$$;

-- What keeps a column from such a type, or its updates from running side by side: a line each.
CREATE FUNCTION abelian.type_hindrances(relation oid, attribute integer, operation text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT string_agg(h.line, E'\n' ORDER BY h.place, h.line) FROM (
    SELECT 1 AS place, format('%s: %s', pg_describe_object(d.classid, d.objid, d.objsubid),
             CASE d.classid WHEN 'pg_class'::regclass THEN 'drop it, an Abelian column cannot be indexed'
                            WHEN 'pg_constraint'::regclass THEN
                              CASE operation WHEN 'take' THEN 'a floor if it compares the column by >= or > with a number or a column; without one, the condition locks the row, and a constraint that is no bound makes all updates wait'
                                             ELSE 'a constraint that reads the column makes its updates wait; see abelian.bounded_counter and abelian.bounded_decimal for bounds' END
                            ELSE 'drop it, convert the column, and make it again in one transaction' END) AS line
      FROM (SELECT DISTINCT d.classid, d.objid, d.objsubid FROM pg_depend d
             WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = relation AND d.refobjsubid = attribute
               AND d.classid IN ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass)
               AND NOT EXISTS (SELECT FROM pg_class s WHERE d.classid = 'pg_class'::regclass AND s.oid = d.objid AND s.relkind = 'S')
            UNION
            SELECT 'pg_class'::regclass, i.indexrelid, 0 FROM pg_index i WHERE i.indrelid = relation AND attribute::smallint = ANY (i.indkey::smallint[])) d
    UNION ALL
    SELECT 1, format('generated column %I: drop it, and compute it in a view', g.attname)
      FROM pg_depend d JOIN pg_attrdef f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
      JOIN pg_attribute g ON g.attrelid = f.adrelid AND g.attnum = f.adnum AND g.attgenerated <> ''
     WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = relation AND d.refobjsubid = attribute AND f.adnum <> attribute
    UNION ALL
    SELECT 2, format('trigger %I: updates of a table with triggers on UPDATE lock the row', t.tgname)
      FROM pg_trigger t WHERE t.tgrelid = relation AND NOT t.tgisinternal AND t.tgtype::integer & 16 <> 0
    UNION ALL
    SELECT 2, CASE WHEN c.relkind <> 'r' THEN 'the table is partitioned: updates of it lock the row; those that name the partition do not'
                   ELSE 'row security: updates of the table lock the row' END
      FROM pg_class c WHERE c.oid = relation AND (c.relkind <> 'r' OR c.relrowsecurity)
    UNION ALL
    SELECT 2, format('publication %I: updates of a published table lock the row', p.pubname)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_publication_tables t ON (t.schemaname, t.tablename) = (n.nspname, c.relname) JOIN pg_publication p ON p.pubname = t.pubname AND p.pubupdate
     WHERE c.oid = relation
    UNION ALL
    SELECT 1, 'values below 0 are refused, whichever statement makes them' WHERE operation = 'take' AND NOT abelian.has_check(relation, attribute)
    UNION ALL
    SELECT 2, 'a condition that does not follow from the bound, such as stock >= 10 beside stock - 2, locks the row' WHERE operation = 'take'
    UNION ALL
    SELECT 2, 'with a CHECK as bound, changes of other columns of the row and these updates wait for each other'
      FROM pg_attribute a WHERE operation = 'take' AND a.attrelid = relation AND a.attnum = attribute
       AND (a.atttypid = 'numeric'::regtype OR abelian.has_check(relation, attribute))
    UNION ALL
    SELECT 3, format(CASE operation WHEN 'take' THEN '%s: the new type rounds what is added before it is added, and holds 18 digits without a limit of its own'
                                    ELSE '%s: the new type does not round' END, format_type(a.atttypid, a.atttypmod))
      FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum = attribute AND a.atttypid = 'numeric'::regtype AND a.atttypmod >= 0
  ) h
$$;

-- A type that an operation on this column would not lock the row under, as ALTER COLUMN ... TYPE takes it, and what has to be added to the table then.
-- What is taken if there is enough leaves 0 or more, unless CHECKs say what. NULL for a number without a fixed scale, or of more than 18 digits, that is to be bounded.
CREATE FUNCTION abelian.type_with_bounds(relation oid, attribute integer, type text, OUT name text, OUT addition text) LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE type WHEN 'bounded_decimal' THEN CASE WHEN s.scale BETWEEN 0 AND 15 AND s.digits <= 18 THEN format('abelian.bounded_decimal(%s)', s.scale) END
                   WHEN 'bounded_counter' THEN CASE WHEN s.checked THEN 'abelian.bounded_counter' ELSE 'abelian.bounded_counter(0)' END
                   ELSE 'abelian.' || type END,
         CASE WHEN type = 'bounded_decimal' AND NOT s.checked THEN format(', ADD CHECK (%I >= 0)', s.attname) ELSE '' END
    FROM (SELECT a.attname, CASE WHEN a.atttypmod >= 4 THEN (((a.atttypmod - 4) & 2047) # 1024) - 1024 END AS scale,
                 (a.atttypmod - 4) >> 16 & 65535 AS digits, abelian.has_check(relation, attribute) AS checked
            FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum = attribute) s
$$;

CREATE FUNCTION abelian.advise_types(
  sample interval DEFAULT '5 seconds', statements integer DEFAULT 1000, search_path text DEFAULT NULL,
  OUT "table" regclass, OUT "column" name, OUT type text, OUT advice text, OUT operation text,
  OUT waiting numeric, OUT relieved numeric, OUT at_most numeric, OUT calls bigint, OUT statement text, OUT hindrances text, OUT alter_table text)
RETURNS SETOF record LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  looks constant integer := greatest(1, (extract(epoch FROM sample) * 100)::integer);
BEGIN
  IF sample IS NULL OR sample < interval '0' OR sample > interval '10 minutes' OR statements IS NULL OR statements NOT BETWEEN 1 AND 10000 THEN
    RAISE EXCEPTION 'sample must be between 0 and 10 minutes, statements between 1 and 10000' USING ERRCODE = 'invalid_parameter_value',
      HINT = 'A few seconds under the usual load are enough.';
  END IF;
  PERFORM FROM abelian.recorded_statements(1); -- what is missing is told before the sample is taken
  RETURN QUERY
  WITH looked AS MATERIALIZED (
         SELECT w.relation, w.query_id, count(*)::numeric / looks AS sessions
           FROM generate_series(1, looks) look(number) CROSS JOIN LATERAL abelian.row_waits(look.number) w
          GROUP BY w.relation, w.query_id),
       used AS MATERIALIZED (
         SELECT u.* FROM (SELECT count(*) FROM looked) after_the_sample CROSS JOIN LATERAL abelian.statement_uses(statements, search_path) u
          WHERE after_the_sample.count > 0),
       placed AS MATERIALIZED (
         SELECT coalesce(l.relation, s.relation) AS relation, l.query_id, sum(l.sessions) AS sessions
           FROM looked l
           LEFT JOIN (SELECT u.query_id, min(u.relation) AS relation FROM used u GROUP BY u.query_id HAVING count(DISTINCT u.relation) = 1) s
             ON s.query_id = l.query_id
          GROUP BY 1, 2),
       -- A session that waits inside of a function is known to run the call only: the statements inside of functions share it by the time that they took.
       nested AS (
         SELECT u.relation, u.query_id, sum(u.spent) / nullif(sum(sum(u.spent)) OVER (PARTITION BY u.relation), 0) AS share
           FROM used u WHERE u.is_nested GROUP BY u.relation, u.query_id),
       waits AS MATERIALIZED (
         SELECT p.relation, coalesce(n.query_id, p.query_id) AS query_id, sum(p.sessions * coalesce(n.share::numeric, 1)) AS sessions
           FROM placed p
           LEFT JOIN nested n ON n.relation = p.relation AND NOT EXISTS (SELECT FROM used u WHERE u.relation = p.relation AND u.query_id = p.query_id)
          GROUP BY 1, 2),
       -- A column with one operation, for which there is a type. What some take if there is enough, others may add to; where there is no type for
       -- that, there may be one for those who add.
       fit AS MATERIALIZED (
         SELECT f.relation, f.attribute, o.operation, o.name, o.addition
           FROM (SELECT u.relation, o.key::integer AS attribute, array_agg(DISTINCT o.value) AS operations
                   FROM used u CROSS JOIN LATERAL jsonb_each_text(u.operations) o GROUP BY u.relation, o.key) f
           JOIN pg_attribute a ON a.attrelid = f.relation AND a.attnum = f.attribute
           CROSS JOIN LATERAL array_remove(f.operations, 'take') others
           CROSS JOIN LATERAL (
             SELECT c.operation, b.name, b.addition
               FROM (VALUES ('take', 'take' = ANY (f.operations) AND f.operations <@ '{add,take}'), (others[1], cardinality(others) = 1)) c(operation, possible)
               CROSS JOIN LATERAL abelian.type_with_bounds(f.relation, f.attribute, abelian.type_for(c.operation, a.atttypid)) b
              WHERE c.possible AND b.name IS NOT NULL ORDER BY c.operation = 'take' DESC LIMIT 1) o),
       -- A statement would wait no longer if all that it assigns fits, and it reads nothing that does.
       freed AS MATERIALIZED (
         SELECT u.relation, u.query_id, sum(u.calls)::bigint AS calls, min(u.query) AS query, (array_agg(u.operations))[1] AS operations
           FROM used u
          GROUP BY u.relation, u.query_id
         HAVING bool_and(u.operations IS NOT NULL
            AND NOT EXISTS (SELECT FROM jsonb_each_text(u.operations) k(attribute, operation)
                             WHERE NOT EXISTS (SELECT FROM fit f WHERE f.relation = u.relation AND f.attribute = k.attribute::integer AND f.operation IN (k.operation, 'take')))
            AND NOT EXISTS (SELECT FROM jsonb_array_elements_text(u.reads) r(attribute) JOIN fit f ON f.relation = u.relation AND r.attribute::integer IN (0, f.attribute)))),
       gained AS (
         SELECT f.relation, f.attribute, f.operation, f.name, f.addition, sum(w.sessions) AS relieved, sum(s.calls)::bigint AS calls,
                (array_agg(s.query ORDER BY w.sessions DESC, s.query))[1] AS statement
           FROM fit f JOIN freed s ON s.relation = f.relation AND s.operations ? f.attribute::text
           JOIN waits w ON w.relation = s.relation AND w.query_id = s.query_id
          GROUP BY f.relation, f.attribute, f.operation, f.name, f.addition)
  SELECT g.relation::regclass, a.attname, format_type(a.atttypid, a.atttypmod), g.name, g.operation,
         round(t.sessions, 1), round(g.relieved, 1), round((1 + t.sessions) / (1 + t.sessions - g.relieved), 1), g.calls, g.statement,
         abelian.type_hindrances(g.relation, g.attribute, g.operation),
         format('ALTER TABLE %s ALTER COLUMN %I TYPE %s%s', g.relation::regclass, a.attname, g.name, g.addition)
    FROM gained g
    JOIN pg_attribute a ON a.attrelid = g.relation AND a.attnum = g.attribute
    JOIN (SELECT w.relation, sum(w.sessions) AS sessions FROM waits w GROUP BY w.relation) t ON t.relation = g.relation
   WHERE g.relieved >= 0.1
   ORDER BY g.relieved DESC, g.relation::regclass::text, a.attname;
END $$;
COMMENT ON FUNCTION abelian.advise_types(interval, integer, text) IS 'columns whose updates wait for each other now and would not under another type';
-- ==== end of advice on types =========================================================================
-- ==== operations of collections (docs/reference/types.md) ============================================
CREATE FUNCTION abelian.put_if_absent(abelian.dict, text, text) RETURNS abelian.dict LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_put_if_absent';
CREATE FUNCTION abelian.put_greater(abelian.scored_set, text, numeric) RETURNS abelian.scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_put_greater';
CREATE FUNCTION abelian.put_less(abelian.scored_set, text, numeric) RETURNS abelian.scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_put_less';
CREATE FUNCTION abelian.add_all(abelian.set, text[]) RETURNS abelian.set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add_all';
CREATE FUNCTION abelian.add_all(abelian.multiset, text[]) RETURNS abelian.multiset LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add_all';
CREATE FUNCTION abelian.add_all(abelian.scored_set, text[], numeric[]) RETURNS abelian.scored_set LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_add_all';

-- Places are counted from 1, the greatest score first, those of equal score by item, as abelian.top has them.
CREATE FUNCTION abelian.range_by_rank(abelian.scored_set, bigint, bigint) RETURNS TABLE (item text, score numeric) LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT item, score
     FROM (SELECT key AS item, value::pg_catalog.numeric AS score, pg_catalog.row_number() OVER (ORDER BY value::pg_catalog.numeric DESC, key COLLATE pg_catalog."C") AS place
             FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)) ranked
    WHERE place OPERATOR(pg_catalog.>=) $2 AND place OPERATOR(pg_catalog.<=) $3 ORDER BY place';
CREATE FUNCTION abelian.rank(abelian.scored_set, text) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT place
     FROM (SELECT key, pg_catalog.row_number() OVER (ORDER BY value::pg_catalog.numeric DESC, key COLLATE pg_catalog."C") AS place FROM pg_catalog.jsonb_each_text($1::pg_catalog.jsonb)) ranked
    WHERE key OPERATOR(pg_catalog.=) $2';

-- ---- lww_map
CREATE FUNCTION abelian.lww_map_empty() RETURNS bytea LANGUAGE c IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_lww_map_empty';
CREATE FUNCTION abelian.lww_map_merge(bytea, bytea) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_lww_map_merge';
CREATE FUNCTION abelian.lww_map_step(bytea, text, numeric, jsonb) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_lww_map_step';
CREATE FUNCTION abelian.lww_map_value(bytea) RETURNS jsonb LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_lww_map_value';
CREATE FUNCTION abelian.lww_map_order(bytea, text) RETURNS numeric LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_lww_map_order';
DO $$
BEGIN
  EXECUTE format('CREATE AGGREGATE abelian.lww_map_of(text, numeric, jsonb) (SFUNC = abelian.lww_map_step, STYPE = bytea, FINALFUNC = abelian.lww_map_value, COMBINEFUNC = abelian.lww_map_merge, INITCOND = %L, PARALLEL = SAFE)', abelian.lww_map_empty()::text);
  PERFORM abelian.make_type('abelian', 'lww_map', 'abelian.lww_map_of(text, numeric, jsonb)');
END $$;
CREATE OR REPLACE FUNCTION abelian.lww_map_as_text(abelian.lww_map) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT $1::pg_catalog.jsonb::pg_catalog.text';
-- abelian.put adds: one name for it is enough.
DROP FUNCTION abelian.add(abelian.lww_map, text, numeric, jsonb);
SECURITY LABEL FOR abelian ON TYPE abelian.lww_map IS 'abelian.lww_map_of(pg_catalog.text, pg_catalog."numeric", pg_catalog.jsonb); elements lww_map; state pg_catalog.bytea';
CREATE FUNCTION abelian.put(abelian.lww_map, text, numeric, jsonb) RETURNS abelian.lww_map LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_put';
CREATE FUNCTION abelian.put(abelian.lww_map, text, timestamptz, jsonb) RETURNS abelian.lww_map LANGUAGE sql STABLE PARALLEL SAFE AS
  'SELECT abelian.put($1, $2, EXTRACT(epoch FROM $3), $4)';
CREATE FUNCTION abelian.remove(abelian.lww_map, text, numeric) RETURNS abelian.lww_map LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_element_remove';
CREATE FUNCTION abelian.remove(abelian.lww_map, text, timestamptz) RETURNS abelian.lww_map LANGUAGE sql STABLE PARALLEL SAFE AS
  'SELECT abelian.remove($1, $2, EXTRACT(epoch FROM $3))';
CREATE FUNCTION abelian.lww_map_stored(abelian.lww_map) RETURNS bytea LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_object_state';
CREATE FUNCTION abelian.order_of(abelian.lww_map, text) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT abelian.lww_map_order(abelian.lww_map_stored($1), $2)';
CREATE FUNCTION abelian.get(abelian.lww_map, text) RETURNS jsonb LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT ($1::pg_catalog.jsonb) OPERATOR(pg_catalog.->) $2';
CREATE FUNCTION abelian.contains(abelian.lww_map, text) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT ($1::pg_catalog.jsonb) OPERATOR(pg_catalog.?) $2';
CREATE FUNCTION abelian.size(abelian.lww_map) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT pg_catalog.count(*) FROM pg_catalog.jsonb_object_keys($1::pg_catalog.jsonb)';
CREATE FUNCTION abelian.keys(abelian.lww_map) RETURNS text[] LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT ARRAY(SELECT key FROM pg_catalog.jsonb_object_keys($1::pg_catalog.jsonb) key ORDER BY key COLLATE pg_catalog."C")';

DO $$
DECLARE
  function text;
BEGIN
  FOREACH function IN ARRAY ARRAY['put_if_absent(abelian.dict, text, text)', 'put_greater(abelian.scored_set, text, numeric)', 'put_less(abelian.scored_set, text, numeric)',
      'add_all(abelian.set, text[])', 'add_all(abelian.multiset, text[])', 'add_all(abelian.scored_set, text[], numeric[])',
      'put(abelian.lww_map, text, numeric, jsonb)', 'put(abelian.lww_map, text, timestamptz, jsonb)', 'remove(abelian.lww_map, text, numeric)', 'remove(abelian.lww_map, text, timestamptz)'] LOOP
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.%s IS %L', function, 'operation on elements');
  END LOOP;
  FOREACH function IN ARRAY ARRAY['get(abelian.lww_map, text)', 'order_of(abelian.lww_map, text)', 'contains(abelian.lww_map, text)'] LOOP
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.%s IS %L', function, 'query of an element');
  END LOOP;
END $$;
-- ==== end of operations of collections ===============================================================
-- ==== types of ordered values (docs/reference/types/max.md) ==========================================
-- An aggregate that keeps the greatest or the least, for types of which PostgreSQL has none, and under a collation.
CREATE FUNCTION abelian.make_extremum(type_schema name, type_name name, direction text, value regtype, collated regcollation) RETURNS regprocedure
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $make$
DECLARE
  step text := format('%I.%I', type_schema, type_name || '_step');
  made text := format('%I.%I(%s)', type_schema, type_name || '_of', value);
  ordering text;
BEGIN
  EXECUTE format('SELECT greatest(NULL::%1$s, NULL::%1$s)', value); -- for the error of a type that has no order
  EXECUTE format('CREATE FUNCTION %s(%s, %2$s) RETURNS %2$s LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L', step, value,
                 format('SELECT %s($1%2$s, $2%2$s)', CASE direction WHEN 'max' THEN 'greatest' ELSE 'least' END, ' COLLATE ' || collated));
  -- By its operator PostgreSQL knows what the aggregate picks. It has none for a whole kind of types, such as enums, and cannot tell the collation.
  SELECT format(', SORTOP = OPERATOR(%I.%s)', n.nspname, o.oprname) INTO ordering
    FROM pg_opclass c JOIN pg_am m ON m.oid = c.opcmethod JOIN pg_amop a ON a.amopfamily = c.opcfamily JOIN pg_operator o ON o.oid = a.amopopr
    JOIN pg_namespace n ON n.oid = o.oprnamespace
   WHERE m.amname = 'btree' AND c.opcdefault AND c.opcintype = value AND collated IS NULL
     AND a.amoplefttype = value AND a.amoprighttype = value AND a.amopstrategy = CASE direction WHEN 'max' THEN 5 ELSE 1 END;
  EXECUTE format('CREATE AGGREGATE %I.%I(%s) (SFUNC = %s, STYPE = %3$s, COMBINEFUNC = %4$s, PARALLEL = SAFE%s)', type_schema, type_name || '_of', value, step, ordering);
  RETURN made::regprocedure;
END $make$;
REVOKE ALL ON FUNCTION abelian.make_extremum(name, name, text, regtype, regcollation) FROM PUBLIC;

CREATE OR REPLACE FUNCTION abelian.create_type(name text, aggregate text) RETURNS regtype LANGUAGE plpgsql AS $create$
DECLARE
  parts pg_catalog.text[] := pg_catalog.parse_ident(name);
  type_schema pg_catalog.name := CASE WHEN parts[2] IS NULL THEN pg_catalog.current_schema() ELSE parts[1] END;
  type_name pg_catalog.name := coalesce(parts[2], parts[1]);
  extremum pg_catalog.text[] := pg_catalog.regexp_match(aggregate, '^\s*(max|min)\s*\((.*?)(?:\s+collate\s+(.*))?\)\s*$', 'i');
  found pg_catalog.regprocedure;
BEGIN
  IF extremum[3] IS NULL THEN
    found := pg_catalog.to_regprocedure(pg_catalog.replace(aggregate, '(*)', '()'));
  END IF;
  IF found IS NULL AND pg_catalog.to_regtype(extremum[2]) IS NULL THEN
    RAISE EXCEPTION 'aggregate % does not exist', aggregate USING ERRCODE = 'undefined_function',
      HINT = 'Name it with its argument types, as in max(numeric).';
  ELSIF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) current_user) THEN
    RAISE EXCEPTION 'must be superuser to create a type over an aggregate' USING ERRCODE = 'insufficient_privilege';
  ELSIF found IS NULL THEN
    found := abelian.make_extremum(type_schema, type_name, pg_catalog.lower(extremum[1]), extremum[2]::pg_catalog.regtype, extremum[3]::pg_catalog.regcollation);
  END IF;
  RETURN abelian.make_type(type_schema, type_name, found);
END $create$;

-- sum(interval) keeps other states from PostgreSQL 17 on.
CREATE AGGREGATE abelian.sum_interval_of(interval) (SFUNC = pg_catalog.interval_pl, STYPE = interval, COMBINEFUNC = pg_catalog.interval_pl, PARALLEL = SAFE);
-- The usual ones. A window of RANGE takes the offset that it takes over the values.
DO $$
DECLARE
  made record;
BEGIN
  PERFORM abelian.make_type('abelian', 'sum_interval', 'abelian.sum_interval_of(interval)');
  FOR made IN SELECT format('%s_%s', direction, value) AS name, v.*, d.*
                FROM (VALUES ('date', 'interval'), ('timestamp', 'interval'), ('interval', 'interval'), ('int4', 'int4'), ('float8', 'float8'), ('uuid', NULL)) v(value, offset_type),
                     unnest('{max,min}'::text[]) d(direction)
  LOOP
    -- PostgreSQL 18 has max(uuid); the type is the same on all versions.
    IF made.value OPERATOR(pg_catalog.=) 'uuid' THEN
      PERFORM abelian.make_type('abelian', made.name::name, abelian.make_extremum('abelian', made.name::name, made.direction, made.value::regtype, NULL));
      CONTINUE;
    END IF;
    PERFORM abelian.make_type('abelian', made.name::name, format('pg_catalog.%s(%s)', made.direction, made.value)::regprocedure);
    EXECUTE format('CREATE FUNCTION abelian.%I(abelian.%I, abelian.%2$I, pg_catalog.%s, boolean, boolean) RETURNS boolean LANGUAGE sql STABLE STRICT
                      PARALLEL SAFE RETURN pg_catalog.in_range($1::pg_catalog.%s, $2::pg_catalog.%4$s, $3, $4, $5)',
                   made.name || '_in_range', made.name, made.offset_type, CASE made.value WHEN 'date' THEN 'timestamp' ELSE made.value END);
    EXECUTE format('ALTER OPERATOR FAMILY abelian.%I USING btree ADD FUNCTION 3 (abelian.%I, pg_catalog.%s) abelian.%I(abelian.%2$I, abelian.%2$I, pg_catalog.%3$s, boolean, boolean)',
                   made.name || '_order', made.name, made.offset_type, made.name || '_in_range');
  END LOOP;
END $$;
-- ==== end of types of ordered values =================================================================
-- ==== sets of other elements than texts (docs/reference/types/set.md) =================================
-- States keep elements as texts. So a type can have sets if it writes equal values alike, whatever is set.
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN SELECT 'set_' || element AS name, 'pg_catalog.' || element AS element FROM unnest('{uuid,int8}'::text[]) element LOOP
    EXECUTE format('CREATE FUNCTION abelian.%I(bytea, %s) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L', made.name || '_step', made.element,
                   'SELECT abelian.set_step($1, $2::pg_catalog.text)');
    EXECUTE format('CREATE FUNCTION abelian.%I(bytea) RETURNS %s[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L', made.name || '_value', made.element,
                   format('SELECT ARRAY(SELECT x::%s FROM pg_catalog.unnest(abelian.set_value($1)) x ORDER BY 1)', made.element));
    EXECUTE format('CREATE AGGREGATE abelian.%I(%s) (SFUNC = abelian.%I, STYPE = bytea, FINALFUNC = abelian.%I, COMBINEFUNC = abelian.set_merge, INITCOND = %L, PARALLEL = SAFE)',
                   made.name || '_of', made.element, made.name || '_step', made.name || '_value', abelian.set_empty()::text);
    EXECUTE format('CREATE FUNCTION abelian.%I(%s[]) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''MODULE_PATHNAME'', ''abelian_set_from_array''', made.name || '_state_of', made.element);
    PERFORM abelian.make_type('abelian', made.name::name, format('abelian.%I(%s)', made.name || '_of', made.element)::regprocedure,
                              format('abelian.%I(%s)', made.name || '_state_of', replace(made.element, '.', '._')));
    EXECUTE format('SECURITY LABEL FOR abelian ON TYPE abelian.%I IS %L', made.name,
                   (SELECT label || '; elements set' FROM pg_catalog.pg_seclabel
                     WHERE provider OPERATOR(pg_catalog.=) 'abelian' AND classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
                       AND objoid OPERATOR(pg_catalog.=) format('abelian.%I', made.name)::regtype));
    EXECUTE format('CREATE OR REPLACE FUNCTION abelian.add(abelian.%I, %s) RETURNS abelian.%1$I LANGUAGE c STABLE PARALLEL SAFE AS ''MODULE_PATHNAME'', ''abelian_element_add''', made.name, made.element);
    EXECUTE format('CREATE FUNCTION abelian.add_all(abelian.%I, %s[]) RETURNS abelian.%1$I LANGUAGE c STABLE PARALLEL SAFE AS ''MODULE_PATHNAME'', ''abelian_element_add_all''', made.name, made.element);
    EXECUTE format('CREATE FUNCTION abelian.remove(abelian.%I, %s) RETURNS abelian.%1$I LANGUAGE c STABLE PARALLEL SAFE AS ''MODULE_PATHNAME'', ''abelian_element_remove''', made.name, made.element);
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.add(abelian.%I, %s) IS ''operation on elements''', made.name, made.element);
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.add_all(abelian.%I, %s[]) IS ''operation on elements''', made.name, made.element);
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.remove(abelian.%I, %s) IS ''operation on elements''', made.name, made.element);
    EXECUTE format('CREATE FUNCTION abelian.contains(abelian.%I, %s) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS %L', made.name, made.element,
                   format('SELECT $2 OPERATOR(pg_catalog.=) ANY ($1::%s[])', made.element));
    EXECUTE format('SECURITY LABEL FOR abelian ON FUNCTION abelian.contains(abelian.%I, %s) IS ''query of an element''', made.name, made.element);
    EXECUTE format('CREATE FUNCTION abelian.size(abelian.%I) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS %L', made.name,
                   format('SELECT pg_catalog.cardinality($1::%s[])::pg_catalog.int8', made.element));
  END LOOP;
END $$;
-- ==== end of sets of other elements than texts =======================================================

-- ==== least orders ===================================================================================
-- The payload with the least order wins: arg_min, and with a time the first writer. The state has the negative of the order.
CREATE FUNCTION abelian.put_least(abelian.ordered_put, numeric, text) RETURNS abelian.ordered_put LANGUAGE sql STABLE PARALLEL SAFE AS
  'SELECT abelian.put($1, OPERATOR(pg_catalog.-) $2, $3)';
SECURITY LABEL FOR abelian ON FUNCTION abelian.put_least(abelian.ordered_put, numeric, text) IS 'operation';
CREATE FUNCTION abelian.put_least(abelian.ordered_put, timestamptz, text) RETURNS abelian.ordered_put LANGUAGE sql STABLE PARALLEL SAFE AS
  'SELECT abelian.put($1, OPERATOR(pg_catalog.-) EXTRACT(epoch FROM $2), $3)';
SECURITY LABEL FOR abelian ON FUNCTION abelian.put_least(abelian.ordered_put, timestamptz, text) IS 'operation';
CREATE FUNCTION abelian.least_order_of(abelian.ordered_put) RETURNS numeric LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  'SELECT OPERATOR(pg_catalog.-) abelian.order_of($1)';
-- ==== end of least orders ============================================================================

-- ==== indexes over counters (docs/guide/value-indexes.md) ============================================
CREATE FUNCTION abelian.base(abelian.counter) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_base';
CREATE FUNCTION abelian.base(abelian.bounded_counter) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_base';
CREATE FUNCTION abelian.base(abelian.decimal_counter) RETURNS numeric LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_decimal_counter_base';
CREATE FUNCTION abelian.objects_with_slices() RETURNS bigint[] LANGUAGE c STABLE PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'abelian_objects_with_slices';
CREATE FUNCTION abelian.has_no_slices(bigint) RETURNS boolean LANGUAGE c STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'abelian_has_no_slices';
-- ==== end of indexes over counters ===================================================================
-- ==== bounded_decimal ===============================================================================
-- Datums are those of counters, in units of the last digit; the type modifier is the number of digits behind the point.
CREATE TYPE abelian.bounded_decimal;
CREATE FUNCTION abelian.bounded_decimal_in(cstring, oid, integer) RETURNS abelian.bounded_decimal LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_in';
CREATE FUNCTION abelian.bounded_decimal_out(abelian.bounded_decimal) RETURNS cstring LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_out';
CREATE FUNCTION abelian.bounded_decimal_recv(internal, oid, integer) RETURNS abelian.bounded_decimal LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_recv';
CREATE FUNCTION abelian.bounded_decimal_send(abelian.bounded_decimal) RETURNS bytea LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_send';
CREATE FUNCTION abelian.bounded_decimal_modifier_in(cstring[]) RETURNS integer LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_modifier_in';
CREATE FUNCTION abelian.bounded_decimal_modifier_out(integer) RETURNS cstring LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_modifier_out';
CREATE TYPE abelian.bounded_decimal (
    INPUT = abelian.bounded_decimal_in, OUTPUT = abelian.bounded_decimal_out, RECEIVE = abelian.bounded_decimal_recv, SEND = abelian.bounded_decimal_send,
    TYPMOD_IN = abelian.bounded_decimal_modifier_in, TYPMOD_OUT = abelian.bounded_decimal_modifier_out,
    INTERNALLENGTH = 16, ALIGNMENT = double, STORAGE = plain, CATEGORY = 'N'
);
COMMENT ON TYPE abelian.bounded_decimal IS 'numeric whose additions commute within the bounds that CHECKs set: bounded_decimal(digits behind the point)';
CREATE FUNCTION abelian.bounded_decimal(abelian.bounded_decimal, integer, boolean) RETURNS abelian.bounded_decimal LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_rescale';
CREATE CAST (abelian.bounded_decimal AS abelian.bounded_decimal) WITH FUNCTION abelian.bounded_decimal(abelian.bounded_decimal, integer, boolean) AS IMPLICIT;
CREATE FUNCTION abelian.bounded_decimal_value(abelian.bounded_decimal) RETURNS numeric LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_value';
CREATE CAST (abelian.bounded_decimal AS numeric) WITH FUNCTION abelian.bounded_decimal_value(abelian.bounded_decimal) AS IMPLICIT;
DO $$
DECLARE
  made record;
BEGIN
  -- What it is made of, told the digits of the column.
  FOR made IN SELECT * FROM (VALUES ('smallint', 'int2', 'IMPLICIT'), ('integer', 'int4', 'IMPLICIT'), ('bigint', 'int8', 'IMPLICIT'),
                                    ('numeric', 'numeric', 'ASSIGNMENT'), ('double precision', 'float8', 'ASSIGNMENT')) t(type, name, context)
  LOOP
    EXECUTE format('CREATE FUNCTION abelian.bounded_decimal(%s, integer, boolean) RETURNS abelian.bounded_decimal LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS %L, %L',
                   made.type, 'MODULE_PATHNAME', 'abelian_bounded_decimal_from_' || made.name);
    EXECUTE format('CREATE CAST (%s AS abelian.bounded_decimal) WITH FUNCTION abelian.bounded_decimal(%1$s, integer, boolean) AS %s', made.type, made.context);
  END LOOP;
  FOR made IN SELECT unnest('{int2,int4,int8,float4,float8}'::text[]) AS name
  LOOP
    EXECUTE format('CREATE FUNCTION abelian.%I(abelian.bounded_decimal) RETURNS %s LANGUAGE sql STABLE STRICT PARALLEL SAFE AS %L', 'bounded_decimal_as_' || made.name, made.name,
                   'SELECT $1::pg_catalog.numeric::pg_catalog.' || made.name);
    EXECUTE format('CREATE CAST (abelian.bounded_decimal AS %s) WITH FUNCTION abelian.%I(abelian.bounded_decimal) AS ASSIGNMENT', made.name, 'bounded_decimal_as_' || made.name);
  END LOOP;
  FOR made IN SELECT * FROM (VALUES ('counter', 'int8'), ('bounded_counter', 'int8'), ('decimal_counter', 'numeric')) t(name, value)
  LOOP
    EXECUTE format('CREATE FUNCTION abelian.bounded_decimal(abelian.%I, integer, boolean) RETURNS abelian.bounded_decimal LANGUAGE sql STABLE STRICT PARALLEL SAFE AS %L', made.name,
                   format('SELECT abelian.bounded_decimal($1::pg_catalog.%s, $2, $3)', made.value));
    EXECUTE format('CREATE CAST (abelian.%I AS abelian.bounded_decimal) WITH FUNCTION abelian.bounded_decimal(abelian.%1$I, integer, boolean) AS ASSIGNMENT', made.name);
    EXECUTE format('CREATE FUNCTION abelian.%I(abelian.bounded_decimal) RETURNS abelian.%1$I LANGUAGE sql STABLE STRICT PARALLEL SAFE AS %L', made.name,
                   'SELECT $1::pg_catalog.numeric::abelian.' || made.name);
    EXECUTE format('CREATE CAST (abelian.bounded_decimal AS abelian.%I) WITH FUNCTION abelian.%1$I(abelian.bounded_decimal) AS ASSIGNMENT', made.name);
  END LOOP;
  FOR made IN SELECT * FROM (VALUES ('lt', '|<|', '|>|', '|>=|', 'scalarlt'), ('le', '|<=|', '|>=|', '|>|', 'scalarle'),
                                    ('ge', '|>=|', '|<=|', '|<|', 'scalarge'), ('gt', '|>|', '|<|', '|<=|', 'scalargt')) t(name, operator, commutator, negator, selectivity)
  LOOP
    EXECUTE format('CREATE FUNCTION abelian.%I(abelian.bounded_decimal, abelian.bounded_decimal) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS %L, %L',
                   'bounded_decimal_' || made.name, 'MODULE_PATHNAME', 'abelian_bounded_decimal_' || made.name);
    EXECUTE format('CREATE OPERATOR abelian.%s (FUNCTION = abelian.%I, LEFTARG = abelian.bounded_decimal, RIGHTARG = abelian.bounded_decimal,
                      COMMUTATOR = OPERATOR(abelian.%s), NEGATOR = OPERATOR(abelian.%s), RESTRICT = %s, JOIN = %s)',
                   made.operator, 'bounded_decimal_' || made.name, made.commutator, made.negator, made.selectivity || 'sel', made.selectivity || 'joinsel');
  END LOOP;
END $$;
CREATE FUNCTION abelian.bounded_decimal_as_json(abelian.bounded_decimal) RETURNS json LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.to_json($1::pg_catalog.numeric)';
CREATE CAST (abelian.bounded_decimal AS json) WITH FUNCTION abelian.bounded_decimal_as_json(abelian.bounded_decimal);
CREATE FUNCTION abelian.bounded_decimal_eq(abelian.bounded_decimal, abelian.bounded_decimal) RETURNS boolean LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_eq';
CREATE FUNCTION abelian.bounded_decimal_compare(abelian.bounded_decimal, abelian.bounded_decimal) RETURNS integer LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_compare';
CREATE FUNCTION abelian.bounded_decimal_hash(abelian.bounded_decimal) RETURNS integer LANGUAGE sql STABLE STRICT PARALLEL SAFE AS 'SELECT pg_catalog.hash_numeric($1::pg_catalog.numeric)';
CREATE OPERATOR abelian.|=| (FUNCTION = abelian.bounded_decimal_eq, LEFTARG = abelian.bounded_decimal, RIGHTARG = abelian.bounded_decimal, COMMUTATOR = OPERATOR(abelian.|=|), HASHES, MERGES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR CLASS abelian.bounded_decimal_order DEFAULT FOR TYPE abelian.bounded_decimal USING btree AS
    OPERATOR 1 abelian.|<|, OPERATOR 2 abelian.|<=|, OPERATOR 3 abelian.|=|, OPERATOR 4 abelian.|>=|, OPERATOR 5 abelian.|>|, FUNCTION 1 abelian.bounded_decimal_compare(abelian.bounded_decimal, abelian.bounded_decimal);
CREATE OPERATOR CLASS abelian.bounded_decimal_hashing DEFAULT FOR TYPE abelian.bounded_decimal USING hash AS OPERATOR 1 abelian.|=|, FUNCTION 1 abelian.bounded_decimal_hash(abelian.bounded_decimal);
CREATE FUNCTION abelian.bounded_decimal_in_range(abelian.bounded_decimal, abelian.bounded_decimal, numeric, boolean, boolean) RETURNS boolean LANGUAGE sql STABLE STRICT
    PARALLEL SAFE RETURN pg_catalog.in_range($1::numeric, $2::numeric, $3, $4, $5);
ALTER OPERATOR FAMILY abelian.bounded_decimal_order USING btree ADD FUNCTION 3 (abelian.bounded_decimal, numeric)
    abelian.bounded_decimal_in_range(abelian.bounded_decimal, abelian.bounded_decimal, numeric, boolean, boolean);
-- What rewritten statements call.
CREATE FUNCTION abelian.bounded_decimal_copy(abelian.bounded_decimal) RETURNS abelian.bounded_decimal LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_copy';
CREATE FUNCTION abelian.bounded_decimal_object(abelian.bounded_decimal) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_counter_object';
CREATE FUNCTION abelian.bounded_decimal_units(numeric, integer) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_units';
CREATE FUNCTION abelian.bounded_decimal_limit(numeric, integer, at_most boolean, strict boolean, shift numeric) RETURNS bigint LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_limit';
CREATE FUNCTION abelian.base(abelian.bounded_decimal) RETURNS numeric LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_bounded_decimal_base';
CREATE FUNCTION abelian.operate(abelian.bounded_decimal, bigint, tid, oid, oid, integer) RETURNS abelian.bounded_decimal LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_bounded_counter_operate';
CREATE FUNCTION abelian.newest(abelian.bounded_decimal, tid, oid, integer) RETURNS abelian.bounded_decimal LANGUAGE c VOLATILE STRICT COST 1000 AS 'MODULE_PATHNAME', 'abelian_counter_newest';
CREATE FUNCTION abelian.replace(abelian.bounded_decimal, abelian.bounded_decimal, tid, oid, oid, integer) RETURNS abelian.bounded_decimal LANGUAGE c VOLATILE AS 'MODULE_PATHNAME', 'abelian_bounded_counter_replace';
CREATE FUNCTION abelian.keep(abelian.bounded_decimal, tid, oid) RETURNS abelian.bounded_decimal LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'abelian_counter_keep';
SELECT abelian.have_analyzed('abelian.bounded_decimal');
-- ==== end of bounded_decimal ========================================================================
-- ==== laws of types over aggregates (docs/guide/own-type.md) =========================================
CREATE FUNCTION abelian.merged(anyelement, anyelement) RETURNS anyelement LANGUAGE c STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_object_merged';
COMMENT ON FUNCTION abelian.merged(anyelement, anyelement) IS 'two values of a type over an aggregate, combined as the parts of one are';

-- A literal of a value of this type, drawn at random from few, so that equal ones come often; NULL for a type of which none are known.
CREATE FUNCTION abelian.drawn_literal(type regtype) RETURNS text LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $drawn$
DECLARE
  n int := floor(random() * 9)::int - 3;
  base oid := (SELECT CASE WHEN typtype = 'd' THEN typbasetype ELSE oid END FROM pg_type WHERE oid = type);
BEGIN
  IF (SELECT typtype FROM pg_type WHERE oid = base) = 'e' THEN
    RETURN (SELECT quote_literal(enumlabel) FROM pg_enum WHERE enumtypid = base ORDER BY random() LIMIT 1);
  END IF;
  RETURN quote_literal(CASE base::regtype
    WHEN 'smallint'::regtype THEN n::text WHEN 'integer'::regtype THEN n::text WHEN 'bigint'::regtype THEN (n * 1000003)::text
    WHEN 'numeric'::regtype THEN (n * 1.25)::text WHEN 'real'::regtype THEN (n * 0.5)::text WHEN 'double precision'::regtype THEN (n * 0.1)::text
    WHEN 'boolean'::regtype THEN (n > 0)::text
    WHEN 'text'::regtype THEN substr('abcÄ xyz', 4 + n, 1 + abs(n) % 3) WHEN 'character varying'::regtype THEN substr('abcxyz', 4 + n, 2)
    WHEN 'bytea'::regtype THEN '\x' || lpad(to_hex(n + 3), 2, '0')
    WHEN 'date'::regtype THEN (DATE '2020-02-28' + n)::text WHEN 'interval'::regtype THEN format('%s hours', n)
    WHEN 'timestamp without time zone'::regtype THEN (TIMESTAMP '2020-02-28' + n * INTERVAL '1 hour')::text
    WHEN 'timestamp with time zone'::regtype THEN (TIMESTAMP '2020-02-28' + n * INTERVAL '1 hour')::text || '+00'
    WHEN 'uuid'::regtype THEN lpad(to_hex(n + 3), 32, '0') WHEN 'inet'::regtype THEN '10.0.0.' || n + 3
    WHEN 'jsonb'::regtype THEN jsonb_build_object('k', n)::text
  END);
END $drawn$;
REVOKE ALL ON FUNCTION abelian.drawn_literal(regtype) FROM PUBLIC;

-- An expression for a value that some additions to nothing make, and these as a reader understands them.
CREATE FUNCTION abelian.drawn_value(type regtype, arguments regtype[], samples text[], OUT expression text, OUT told text) LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $drawn$
DECLARE
  literals text[];
BEGIN
  expression := format('NULL::%s', type);
  FOR i IN 0..floor(random() * 3) LOOP
    IF samples IS NULL THEN
      literals := ARRAY(SELECT abelian.drawn_literal(argument) FROM unnest(arguments) WITH ORDINALITY a(argument, place) ORDER BY place);
    ELSE
      literals := ARRAY[samples[1 + floor(random() * cardinality(samples))::int]];
    END IF;
    told := concat_ws(', ', told, format('add(%s)', array_to_string(literals, ', ')));
    IF samples IS NULL THEN
      literals := ARRAY(SELECT format('%s::%s', literal, argument) FROM unnest(literals, arguments) WITH ORDINALITY a(literal, argument, place) ORDER BY place);
    END IF;
    expression := format('abelian.add(%s)', array_to_string(ARRAY[expression] || literals, ', '));
  END LOOP;
END $drawn$;
REVOKE ALL ON FUNCTION abelian.drawn_value(regtype, regtype[], text[]) FROM PUBLIC;

CREATE FUNCTION abelian.check_laws(type regtype, samples text[] DEFAULT NULL, tries integer DEFAULT 200) RETURNS TABLE (law text, holds boolean, counterexample text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $check$
DECLARE
  aggregate oid := (SELECT to_regprocedure(split_part(label, ';', 1)) FROM pg_seclabel WHERE provider = 'abelian' AND classoid = 'pg_type'::regclass AND objoid = type);
  value text := (SELECT format_type(prorettype, -1) FROM pg_proc WHERE oid = aggregate);
  arguments regtype[] := (SELECT proargtypes::oid[]::regtype[] FROM pg_proc WHERE oid = aggregate);
  laws constant text[][] := ARRAY[
    ['combining is commutative', 'abelian.merged(A, B)', 'abelian.merged(B, A)'],
    ['combining is commutative within more', 'abelian.merged(abelian.merged(A, B), C)', 'abelian.merged(abelian.merged(B, A), C)'],
    ['combining is associative', 'abelian.merged(abelian.merged(A, B), C)', 'abelian.merged(A, abelian.merged(B, C))'],
    ['nothing is the identity', 'abelian.merged(A, NULL)', 'A'],
    ['nothing is the identity on the left', 'abelian.merged(NULL, A)', 'A'],
    ['adding is combining with what is added', 'ADDED', 'abelian.merged(A, B)'],
    ['a value is read as it was written', 'WRITTEN', 'abelian.merged(A, B)']];
  a record; b record; c record;
  failed text[] := array_fill(NULL::text, ARRAY[array_length(laws, 1)]);
  sides text[]; same boolean; seen text[];
  tried integer := 0;
BEGIN
  IF aggregate IS NULL THEN
    RAISE EXCEPTION 'type % is not one over an aggregate', type USING ERRCODE = 'wrong_object_type', HINT = 'abelian.create_type() makes such types.';
  ELSIF samples IS NULL AND EXISTS (SELECT FROM unnest(arguments) argument WHERE abelian.drawn_literal(argument) IS NULL) THEN
    RAISE EXCEPTION 'there are no examples of arguments of %', aggregate::regprocedure USING ERRCODE = 'invalid_parameter_value',
      HINT = 'Give some, each a list of arguments as it would stand in abelian.add(column, ...).';
  END IF;
  FOR try IN 1..tries LOOP
    a := abelian.drawn_value(type, arguments, samples);
    b := abelian.drawn_value(type, arguments, samples);
    c := abelian.drawn_value(type, arguments, samples);
    BEGIN
      EXECUTE format('SELECT %s, %s, %s', a.expression, b.expression, c.expression);
    EXCEPTION WHEN data_exception OR integrity_constraint_violation THEN
      CONTINUE; -- drawn were arguments that the operation refuses
    END;
    tried := tried + 1;
    FOR n IN 1..array_length(laws, 1) LOOP
      CONTINUE WHEN failed[n] IS NOT NULL;
      sides := ARRAY[laws[n][2], laws[n][3]];
      FOR side IN 1..2 LOOP
        sides[side] := CASE sides[side]
          WHEN 'ADDED' THEN replace(b.expression, format('NULL::%s', type), a.expression)
          WHEN 'WRITTEN' THEN format('abelian.merged(pg_catalog.format(''%%s'', %s)::%s, pg_catalog.format(''%%s'', %s)::%2$s)', a.expression, type, b.expression)
          ELSE regexp_replace(regexp_replace(regexp_replace(regexp_replace(sides[side], '\mNULL\M', format('@::%s', type), 'g'), '\mA\M', '#a', 'g'), '\mB\M', '#b', 'g'), '\mC\M', '#c', 'g') END;
        sides[side] := replace(replace(replace(replace(sides[side], '@', 'NULL'), '#a', a.expression), '#b', b.expression), '#c', c.expression);
      END LOOP;
      BEGIN
        EXECUTE format('SELECT l IS NOT DISTINCT FROM r, ARRAY[l, r] FROM (SELECT ((%s)::%s)::text AS l, ((%s)::%2$s)::text AS r) both_sides', sides[1], value, sides[2]) INTO same, seen;
      EXCEPTION WHEN data_exception OR internal_error THEN
        same := false;
        seen := ARRAY['an error: ' || SQLERRM, 'a value'];
      END;
      IF NOT same THEN
        failed[n] := format('A: %s; B: %s; C: %s; %s against %s', a.told, b.told, c.told, coalesce(seen[1], 'NULL'), coalesce(seen[2], 'NULL'));
      END IF;
    END LOOP;
  END LOOP;
  IF tried = 0 THEN
    RAISE EXCEPTION 'all examples of arguments of % were refused', aggregate::regprocedure USING ERRCODE = 'invalid_parameter_value',
      HINT = 'Give some, each a list of arguments as it would stand in abelian.add(column, ...).';
  END IF;
  RETURN QUERY SELECT laws[n][1], failed[n] IS NULL, failed[n] FROM generate_series(1, array_length(laws, 1)) n;
END $check$;
COMMENT ON FUNCTION abelian.check_laws(regtype, text[], integer) IS 'checks with values made at random that parts of a type over an aggregate can be combined in any order';
REVOKE ALL ON FUNCTION abelian.check_laws(regtype, text[], integer) FROM PUBLIC;
-- ==== end of laws of types over aggregates ===========================================================
-- ==== collections from whole values ==================================================================
-- The state of all elements at once, where aggregates would merge each into those before.
CREATE OR REPLACE FUNCTION abelian.set_state_of(text[]) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_set_from_array';
CREATE FUNCTION abelian.multiset_from_arrays(text[], bigint[]) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_multiset_from_arrays';
CREATE FUNCTION abelian.scored_set_from_arrays(text[], numeric[]) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_scored_set_from_arrays';
CREATE FUNCTION abelian.dict_from_arrays(text[], text[]) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'abelian_dict_from_arrays';
CREATE OR REPLACE FUNCTION abelian.multiset_state_of(jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
  $$ SELECT abelian.multiset_from_arrays(coalesce(array_agg(key), '{}'), coalesce(array_agg(value::bigint), '{}')) FROM jsonb_each_text($1) $$;
CREATE OR REPLACE FUNCTION abelian.scored_set_state_of(jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
  $$ SELECT abelian.scored_set_from_arrays(coalesce(array_agg(key), '{}'), coalesce(array_agg(value::numeric), '{}')) FROM jsonb_each_text($1) $$;
CREATE OR REPLACE FUNCTION abelian.dict_state_of(jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS
  $$ SELECT abelian.dict_from_arrays(coalesce(array_agg(key), '{}'), coalesce(array_agg(value), '{}')) FROM jsonb_each_text($1) $$;
DROP AGGREGATE abelian.set_state(text), abelian.multiset_state(text, bigint), abelian.scored_set_state(text, numeric), abelian.dict_state(text, text);
-- ==== end of collections from whole values ===========================================================

-- ==== boards (docs/reference/types/top_k.md) =========================================================
DO $$
DECLARE
  made record;
  empty bytea;
BEGIN
  FOR made IN SELECT * FROM (VALUES ('top_k', 'top'), ('bottom_k', 'bottom'), ('top_items', 'top'), ('bottom_items', 'bottom')) m(name, best) LOOP
    EXECUTE format('CREATE FUNCTION abelian.%I(numeric[], text[]) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''MODULE_PATHNAME'', %L', made.name || '_from_arrays', 'abelian_' || made.name || '_from_arrays');
    EXECUTE format('CREATE OR REPLACE FUNCTION abelian.%I(jsonb) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS %L', made.name || '_state_of',
                   format($f$ SELECT CASE WHEN $1 ->> 'k' IS NULL THEN state ELSE abelian.%I(state, ($1 ->> 'k')::integer) END
       FROM (SELECT abelian.%I(coalesce(array_agg((pair ->> 'score')::numeric), '{}'), coalesce(array_agg(pair ->> 'item'), '{}')) AS state
               FROM jsonb_array_elements(CASE jsonb_typeof($1) WHEN 'object' THEN $1 -> %L ELSE $1 END) pair) s $f$, made.name || '_cut', made.name || '_from_arrays', made.best));
    CONTINUE WHEN made.name = 'top_k'; -- has the rest
    EXECUTE format('CREATE FUNCTION abelian.%I() RETURNS bytea LANGUAGE c IMMUTABLE PARALLEL SAFE AS ''MODULE_PATHNAME'', %L', made.name || '_empty', 'abelian_' || made.name || '_empty');
    EXECUTE format('CREATE FUNCTION abelian.%I(bytea, bytea) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''MODULE_PATHNAME'', %L', made.name || '_merge', 'abelian_' || made.name || '_merge');
    EXECUTE format('CREATE FUNCTION abelian.%I(bytea, numeric, text) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''MODULE_PATHNAME'', %L', made.name || '_step', 'abelian_' || made.name || '_step');
    EXECUTE format('CREATE FUNCTION abelian.%I(bytea) RETURNS jsonb LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''MODULE_PATHNAME'', %L', made.name || '_value', 'abelian_' || made.name || '_value');
    EXECUTE format('CREATE FUNCTION abelian.%I(bytea, integer) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''MODULE_PATHNAME'', %L', made.name || '_cut', 'abelian_' || made.name || '_cut');
    EXECUTE format('CREATE FUNCTION abelian.%I(bytea) RETURNS bytea LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS ''MODULE_PATHNAME'', %L', made.name || '_slice', 'abelian_' || made.name || '_slice');
    EXECUTE format('SELECT abelian.%I()', made.name || '_empty') INTO empty;
    EXECUTE format('CREATE AGGREGATE abelian.%I(numeric, text) (SFUNC = abelian.%I, STYPE = bytea, FINALFUNC = abelian.%I, COMBINEFUNC = abelian.%I, INITCOND = %L, PARALLEL = SAFE)',
                   made.name || '_of', made.name || '_step', made.name || '_value', made.name || '_merge', empty::text);
    PERFORM abelian.make_type('abelian', made.name::name, format('abelian.%I(numeric, text)', made.name || '_of')::regprocedure,
                              format('abelian.%I(pg_catalog.jsonb)', made.name || '_state_of'), format('abelian.%I(pg_catalog.bytea)', made.name || '_slice'));
    EXECUTE format('CREATE FUNCTION abelian.%I(integer) RETURNS abelian.%1$I LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L', made.name,
                   format('SELECT pg_catalog.jsonb_build_object(''k'', $1, %L, ''[]''::pg_catalog.jsonb)::abelian.%I', made.best, made.name));
    EXECUTE format('CREATE FUNCTION abelian.size(abelian.%I) RETURNS bigint LANGUAGE sql STABLE STRICT PARALLEL SAFE AS %L', made.name,
                   format('SELECT pg_catalog.jsonb_array_length(($1::pg_catalog.jsonb) OPERATOR(pg_catalog.->) %L)::pg_catalog.int8', made.best));
    EXECUTE format('CREATE FUNCTION abelian.%I(abelian.%I, integer DEFAULT NULL) RETURNS TABLE (score numeric, item text) LANGUAGE c STABLE PARALLEL SAFE ROWS 10 AS ''MODULE_PATHNAME'', %L',
                   made.best, made.name, 'abelian_' || made.name || '_best');
  END LOOP;
END $$;
DROP AGGREGATE abelian.top_k_state(numeric, text);

-- Whatever lies beyond the greatest scores goes: that depends on the whole, and so it overwrites.
CREATE FUNCTION abelian.trim(abelian.scored_set, integer) RETURNS abelian.scored_set LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  $$ SELECT coalesce(pg_catalog.jsonb_object_agg(item, score), '{}'::pg_catalog.jsonb)::abelian.scored_set FROM abelian.top($1, $2) $$;

-- The same pairs, of which so many are kept from here on; NULL: all. It overwrites, too.
DO $$
DECLARE
  made record;
BEGIN
  FOR made IN SELECT * FROM (VALUES ('top_k', 'top'), ('bottom_k', 'bottom'), ('top_items', 'top'), ('bottom_items', 'bottom')) m(name, best) LOOP
    EXECUTE format('CREATE FUNCTION abelian.set_k(abelian.%I, integer) RETURNS abelian.%1$I LANGUAGE sql STABLE PARALLEL SAFE AS %L', made.name,
                   format('SELECT pg_catalog.jsonb_build_object(''k'', $2, %1$L, coalesce(($1::pg_catalog.jsonb) OPERATOR(pg_catalog.->) %1$L, ''[]''::pg_catalog.jsonb))::abelian.%2$I', made.best, made.name));
  END LOOP;
END $$;
-- ==== end of boards ==================================================================================

-- ==== nodes of clusters are another extension ========================================================
-- What they need belongs to abelian_cluster from here on. These stay where they are until it takes them (docs/guide/operations.md#two-extensions).
-- pg-extension/install-script makes that extension's scripts by these names, whose overloads all belong to it, and event triggers.
DO $detach$
DECLARE
  cluster_names CONSTANT name[] := '{
    abort_decision,add_internal_trigger,add_node,advance_moving,advance_sequence,align_sequences,analyse_replaced,analyze,anything_placed,apply_intent,
    apply_lookup_changes,bar_intent,begin_move,begin_placement_change,block_changes,cancel_waiter,catalog,catalog_for_dumps,catalog_to_join,
    change_schema,changes_meaning,check_changed_row,check_ddl,check_entry,check_foreign_keys,check_intent_horizon,check_kind,check_lookup_seal,
    check_lookup_triggers,check_member,check_method,check_mover,check_not_in_use,check_own_row,check_partitions,check_placement,check_rows,
    check_sequence_owner,check_triggers,choose_colocation,claim,claim_entry,claim_procedure,claim_table,class_of_body,close_intents,cluster,colocation,
    columns_of,commit_intent,condition_text,continue_sequence,copy_catalog,count_of_rule,counts_whole,create_distributed_function,
    create_distributed_procedure,create_distributed_table,create_lookup_index,create_reference_table,decide,decision,defaults_are_current,
    distribute_procedure,distributed_tables,divide_sequences,drop_lookup_index,end_join,end_move,enter_commit_gate,enter_snapshot_gate,
    explain_body,explain_procedure,find_lookup_entry,finish_deferred,follow_drop,follow_procedures,forget_aborts,forget_commits,forget_decisions,forget_intents,
    forget_lookup_index,forget_table,found_colocation,gather_rows,gathered_parts,gathered_rows,give_rows,has_key,has_rows,hold_conflicts,identity_value,
    independent_advance,independent_begin_run,independent_cancel,independent_catch_up,independent_completable,independent_complete,
    independent_executed,independent_executing,independent_fence,independent_flush,independent_forget,independent_freeze,independent_is_closed,
    independent_lane,independent_next_run,independent_open,independent_open_lane,independent_pending,independent_propose,independent_record,
    independent_run,independent_run_calls,independent_state,independent_stop,independent_sweep,independent_turn,independent_unblock,
    install_catalog,intent,intent_horizon,is_claimed,is_divided,is_local,is_local_foreign_key,is_own_trigger,is_router,is_wide,join_cluster,joining,keep_row_checks,keep_rows,
    kept_rows,key_arguments,key_attributes,key_columns,key_expression,key_expressions,key_kind,key_kinds,key_type,listed_intents,lock_modes_conflict,
    lookup_change,lookup_change_place_seq,lookup_column,lookup_entry,lookup_index,lookup_key,lookup_name,maps_keys,may_change_rows,move_names,move_step,moves,moving,mute_triggers,names_in_catalog,node,
    node_of,node_of_m,node_of_row,note_lookup_change,own_node,parse_key_columns,parse_rule,partition,partition_of,partition_of_key,
    partition_tree,partitions,place_entry,place_key,place_lookup_index,place_partition,place_procedure,place_table,placement,
    placement_change_begins,placement_changed,preflight,procedure,reclassify,redo_operation,refuse_row,refuse_half_joined,refuse_half_moved,
    refuse_lookup_change,remove_entry,remove_lookup_index,remove_node,remove_procedure,rename_key,router_key,router_setting,router_statistics,routing_rules,rule_text,run_call,run_operations,
    run_over,same_defaults,scram_verifier,sequence_steps,sequence_steps_of,sequences_of,server_run,serves_keys,session_label,set_transaction_timestamp,settle_conflicts,snapshot_gate,
    split_object_count, spread_rows,statements,statements_told,stop_procedure,tables_above,take_lookup_changes,take_rows,takers_of,tell_calls,tell_statements,
    this_node,this_node_or_first,told_statements,transaction_outcome,undistribute_procedure,undistribute_table,unplace_key,unplace_table,
    visible_intents,vote,wait_edges}';
  member text;
BEGIN
  FOR member IN
    SELECT format('%s %s', i.type, i.identity)
      FROM pg_catalog.pg_extension e
      JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid AND d.deptype = 'e'
      LEFT JOIN pg_catalog.pg_proc p ON d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND p.oid = d.objid
      LEFT JOIN pg_catalog.pg_class c ON d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND c.oid = d.objid,
      pg_catalog.pg_identify_object(d.classid, d.objid, 0) i
     WHERE e.extname = 'abelian' AND (coalesce(p.proname, c.relname) = ANY (cluster_names) OR i.type = 'event trigger')
  LOOP
    EXECUTE 'ALTER EXTENSION abelian DROP ' || member;
  END LOOP;
END $detach$;
-- ==== end of nodes of clusters =======================================================================
