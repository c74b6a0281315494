-- as: abelian
-- Every equality that claims to hash can be hashed; that of a type over arrays as well.
\pset format unaligned
\pset tuples_only on
CREATE AGGREGATE public.joined(integer[]) (SFUNC = array_cat, STYPE = integer[], COMBINEFUNC = array_cat, PARALLEL = SAFE);
SELECT abelian.create_type('public.joined', 'public.joined(integer[])');
SELECT o.oprleft::regtype FROM pg_operator o
 WHERE o.oprname = '|=|' AND o.oprcanhash
   AND NOT EXISTS (SELECT FROM pg_amop a JOIN pg_am m ON m.oid = a.amopmethod WHERE m.amname = 'hash' AND a.amopopr = o.oid);
CREATE TABLE public.a (id int, s abelian.set);
INSERT INTO public.a VALUES (1, '{x,y}'), (2, '{x}'), (3, '{}'), (4, NULL);
SET enable_mergejoin = off;
SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT FROM public.a JOIN public.a b ON a.s OPERATOR(abelian.|=|) b.s;
SELECT a.id, b.id FROM public.a JOIN public.a b ON a.s OPERATOR(abelian.|=|) b.s ORDER BY 1, 2;
