-- The key with which a router seals is for routers, and for the role that asked first.
SELECT abelian.router_key('00000000-0000-4000-8000-000000000001');
--! 42501
-- as: router
SELECT length(abelian.router_key('00000000-0000-4000-8000-000000000001')) AS bytes, abelian.router_key('00000000-0000-4000-8000-000000000001') = abelian.router_key('00000000-0000-4000-8000-000000000001') AS same;
--= 32|t
-- as: friend
SELECT abelian.router_key('00000000-0000-4000-8000-000000000001');
--! 42501
SELECT length(abelian.router_key('00000000-0000-4000-8000-000000000002')) AS bytes;
--= 32
-- as: abelian
-- A seal, made in SQL as a router makes it.
CREATE FUNCTION public.hmac(key bytea, message bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  inner_key bytea := key || decode(repeat('00', 32), 'hex');
  outer_key bytea := inner_key;
BEGIN
  FOR i IN 0..63 LOOP
    outer_key := set_byte(outer_key, i, get_byte(inner_key, i) # 92);
    inner_key := set_byte(inner_key, i, get_byte(inner_key, i) # 54);
  END LOOP;
  RETURN sha256(outer_key || sha256(inner_key || message));
END $$;
CREATE FUNCTION public.seal(key bytea, connection text, number bigint, VARIADIC fields text[]) RETURNS text LANGUAGE sql AS $$
  SELECT number || '.' || encode(substr(hmac(key, (SELECT string_agg(convert_to(field, 'UTF8') || '\x00'::bytea, ''::bytea ORDER BY n) FROM unnest(connection || fields || number::text) WITH ORDINALITY f(field, n))), 1, 16), 'hex')
$$;
CREATE TABLE public.given (connection text, seal text);
GRANT ALL ON public.given TO PUBLIC;
-- as: friend
SELECT abelian.router_key('00000000-0000-4000-8000-000000000002') AS key \gset
-- as: client
SELECT current_setting('abelian.connection') AS connection \gset
SELECT public.seal(:'key', :'connection', 107, 'decide', 'abelian:1:00000000-0000-4000-8000-000000000002:1-1') AS seal \gset
-- Sealed by that router, for this connection and gid: it holds. Seen by somebody, it is of no use elsewhere, nor for anything else.
BEGIN;
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000002:1-1', :'seal');
ROLLBACK;
-- Not even for the same once more: what it announces would be of the client's next statement.
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000002:1-1', :'seal');
--! 42501
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000002:1-1', regexp_replace(:'seal', '^107', '108'));
--! 42501
SELECT public.seal(:'key', :'connection', 6, 'decide', 'abelian:1:00000000-0000-4000-8000-000000000002:1-1') AS older \gset
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000002:1-1', :'older');
--! 42501
SELECT public.seal(:'key', :'connection', 108, 'change_schema', '1') AS change \gset
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000002', 1, :'change');
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000002', 1, :'change');
--! 42501
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000002', 1, 0, 0, :'change');
--! 42501
-- Who chooses when his transaction has begun dates what he does as he likes: only the router can, for this transaction, and no function.
SELECT public.seal(:'key', :'connection', 110, 'set_transaction_timestamp', '0') AS past \gset
SELECT abelian.set_transaction_timestamp('00000000-0000-4000-8000-000000000002', 1, :'past');
--! 42501
DO $$ BEGIN PERFORM abelian.set_transaction_timestamp('00000000-0000-4000-8000-000000000002', 0, '112.00000000000000000000000000000000'); END $$;
--! 42501
BEGIN;
SELECT abelian.set_transaction_timestamp('00000000-0000-4000-8000-000000000002', 0, :'past');
SELECT count(*) WHERE now() = timestamptz '2000-01-01 00:00:00+00';
--= 1
SELECT abelian.set_transaction_timestamp('00000000-0000-4000-8000-000000000002', 0, :'past');
--! 42501
ROLLBACK;
SELECT count(*) WHERE now() < timestamptz '2026-01-01 00:00:00+00';
--= 0
-- A clock that was told for one command is told for no other.
SELECT public.seal(:'key', :'connection', 109, 'change_schema', '1', '0', '0') AS change \gset
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000002', 1, 1, 0, :'change');
--! 42501
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000002', 1, 0, 0, :'change');
SELECT abelian.change_schema('00000000-0000-4000-8000-000000000002', 1, 0, 0, :'change');
--! 42501
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000002:1-2', :'seal');
--! 42501
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000001:1-1', :'seal');
--! 42501
SELECT abelian.vote('abelian:1:00000000-0000-4000-8000-000000000002:1-1', :'seal');
--! 42501
-- as: client
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000002:1-1', :'seal');
--! 42501
-- Who is a router no more has no key any more.
-- as: abelian
REVOKE abelian_router FROM friend;
-- as: client
SELECT public.seal(:'key', current_setting('abelian.connection'), 107, 'decide', 'abelian:1:00000000-0000-4000-8000-000000000002:1-1') AS seal \gset
SELECT abelian.decide('abelian:1:00000000-0000-4000-8000-000000000002:1-1', :'seal');
--! 42501
-- as: abelian
GRANT abelian_router TO friend;
SELECT count(*) FROM abelian.decision;
--= 0
