package org.abelian.advisor.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.explanation.Explanation;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.placement.Rule;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.trace.TraceTable.Attribute;
import org.abelian.advisor.trace.TraceTable.ForeignKey;
import org.abelian.advisor.trace.TracedProcedure;
import org.abelian.advisor.trace.TracedProcedure.Touch;
import org.abelian.advisor.validation.Judgement;
import org.abelian.advisor.validation.TransactionKind;
import org.abelian.advisor.validation.Validation;
import org.junit.jupiter.api.Test;

class PlacementSqlTest {
  private static final TraceTable SHOP =
      new TraceTable(
          "public",
          "shop",
          List.of(List.of("id")),
          List.of(new Attribute("id", "bigint")),
          List.of(),
          10);
  private static final TraceTable SALE =
      new TraceTable(
          "public",
          "sale",
          List.of(List.of("shop", "number")),
          List.of(new Attribute("shop", "bigint"), new Attribute("number", "bigint")),
          List.of(new ForeignKey("sale_shop", List.of("shop"), "public.shop", List.of("id"))),
          10);
  private static final TraceTable VISIT =
      new TraceTable(
          "public",
          "visit",
          List.of(),
          List.of(new Attribute("shop", "bigint", true)),
          List.of(),
          10);

  private static Judgement judged(Candidate candidate, double distributed, boolean loadable) {
    return new Judgement(
        candidate.name(),
        candidate.title(),
        candidate.kind(),
        loadable,
        Map.of(TransactionKind.SINGLE, 1 - distributed),
        0,
        1,
        1,
        1,
        1,
        List.of(),
        List.of(),
        new long[1][1]);
  }

  private static Candidate candidate(
      Candidate.Kind kind, TablePlacement shop, TablePlacement sale, TablePlacement visit) {
    return new Candidate(
        kind.name(),
        "of kind " + kind,
        kind,
        Map.of("public.shop", shop, "public.sale", sale, "public.visit", visit));
  }

  /** The statements; comments as they are. */
  private static List<String> lines(Lookups lookups, Candidate... candidates) {
    return lines(List.of(), lookups, candidates);
  }

  private static List<String> lines(
      List<TracedProcedure> procedures, Lookups lookups, Candidate... candidates) {
    List<TraceTable> tables = List.of(SALE, SHOP, VISIT);
    List<Judgement> judgements = new ArrayList<>();
    String loadable = null;
    for (Candidate one : candidates) {
      boolean can = one.loadable(tables);
      judgements.add(judged(one, 0.1 * judgements.size(), can));
      loadable = loadable == null && can ? one.name() : loadable;
    }
    Map<String, Integer> group = Map.of("public.shop", 0, "public.sale", 0, "public.visit", 0);
    Explanation explanation =
        new Explanation(
            3,
            1,
            0.25,
            List.of(candidates),
            Map.of(),
            Map.of("LOOKUP", group, "RANGES", group),
            List.of());
    Validation validation =
        new Validation(
            100, 0.01, 1.25, candidates[0].name(), loadable, judgements, List.of(), List.of());
    String sql =
        new PlacementSql(
                new Advice(
                    new TraceDescription(
                        1, "a test", tables, Map.of(), null, null, procedures, List.of()),
                    explanation,
                    validation,
                    lookups))
            .text();
    return sql.lines().skip(2).filter(line -> !line.isEmpty()).toList();
  }

  private static TablePlacement halves(String column) {
    return new TablePlacement.Rules(
        new Rule.AtMost(column, 5.5, new Rule.Then(0), new Rule.Then(2)));
  }

  @Test
  void saysRangesOnceForAGroup() {
    assertEquals(
        List.of(
            "SELECT create_distributed_table('shop', 'id', 'range', partition_count => 3, rule =>"
                + " 'WHEN id <= 5 THEN 0 ELSE 2');",
            "SELECT create_distributed_table('sale', 'shop', colocate_with => 'shop');",
            "-- Rows of visit with NULL in shop will lie in partition 0.",
            "SELECT create_distributed_table('visit', 'shop', colocate_with => 'shop');"),
        lines(
            new Lookups(),
            candidate(Candidate.Kind.RANGES, halves("id"), halves("shop"), halves("shop"))));
  }

  @Test
  void placesTheKeysOfALookup() {
    Lookups lookups = new Lookups();
    lookups.map("group 0").putAll(Map.of("it's", 2, "7", 0));
    TablePlacement byShop = new TablePlacement.Lookup("shop", "group 0");
    List<String> lines =
        lines(
            lookups,
            candidate(
                Candidate.Kind.LOOKUP, new TablePlacement.Lookup("id", "group 0"), byShop, byShop));
    assertEquals(
        "SELECT create_distributed_table('shop', 'id', 'lookup', rule => 'ELSE HASH');",
        lines.get(0));
    assertEquals(
        List.of(
            "SELECT abelian.place_key('shop', '7', ", "SELECT abelian.place_key('shop', 'it''s', "),
        lines.subList(4, 6).stream()
            .map(line -> line.substring(0, line.lastIndexOf(' ') + 1))
            .toList());
    assertEquals(6, lines.size(), lines::toString);
  }

  /** What was learnt for each table apart is one function where it is the same. */
  @Test
  void joinsTablesWithTheSameRule() {
    TablePlacement other =
        new TablePlacement.Rules(new Rule.AtMost("shop", 7.5, new Rule.Then(0), new Rule.Then(2)));
    List<String> lines =
        lines(new Lookups(), candidate(Candidate.Kind.RULES, halves("id"), halves("shop"), other));
    assertEquals(
        "SELECT create_distributed_table('sale', 'shop', colocate_with => 'shop');", lines.get(1));
    assertEquals(
        "SELECT create_distributed_table('visit', 'shop', 'range', partition_count => 3, rule =>"
            + " 'WHEN shop <= 7 THEN 0 ELSE 2');",
        lines.get(3));
    List<String> apart =
        lines(
            new Lookups(),
            candidate(Candidate.Kind.RULES, halves("id"), other, new TablePlacement.Reference()));
    assertEquals(
        "-- Refers to rows of other nodes, which create_... refuses: ALTER TABLE sale DROP"
            + " CONSTRAINT sale_shop;",
        apart.get(0));
  }

  @Test
  void saysWhyAPlacementCannotBeLoaded() {
    TablePlacement mixed =
        new TablePlacement.Rules(
            new Rule.AtMost("shop", 7.5, new Rule.Then(Rule.EVERYWHERE), new Rule.Then(2)));
    List<String> lines =
        lines(
            new Lookups(),
            candidate(Candidate.Kind.RULES, halves("id"), mixed, new TablePlacement.Reference()),
            candidate(
                Candidate.Kind.KEYS,
                new TablePlacement.Hash("id"),
                new TablePlacement.RowHash(),
                new TablePlacement.Reference()));
    assertEquals(
        1,
        lines.stream()
            .filter(
                "--     cannot be loaded: some rows are on every node and others are not"::equals)
            .count(),
        lines::toString);
    assertEquals(
        List.of(
            "SELECT create_reference_table('visit');",
            "SELECT create_distributed_table('shop', 'id', colocate_with => 'none');",
            "SELECT create_distributed_table('sale', 'shop, number', colocate_with => 'none');"),
        lines.subList(lines.size() - 3, lines.size()));
  }

  private static TracedProcedure procedure(
      String name, boolean returns, boolean flat, Touch... touches) {
    return new TracedProcedure("public." + name, 7, returns, flat, List.of(), List.of(touches));
  }

  private static Touch touch(String table, boolean write, Map<String, Integer> columns) {
    return new Touch("public." + table, write, columns);
  }

  private static List<String> procedures(TablePlacement visit, TracedProcedure... procedures) {
    List<String> lines =
        lines(
            List.of(procedures),
            new Lookups(),
            candidate(Candidate.Kind.RANGES, halves("id"), halves("shop"), visit));
    return lines.stream()
        .filter(line -> line.contains("7 calls") || line.contains("_procedure("))
        .toList();
  }

  @Test
  void handsProceduresToTheRouterWhoseArgumentsAreKeys() {
    assertEquals(
        List.of(
            "-- public.sell(bigint) (7 calls): all rows that it touches are named by sale.shop ="
                + " $1, shop.id = $1",
            "SELECT create_distributed_procedure('public.sell(bigint)', '$1', colocate_with =>"
                + " 'shop');",
            "-- public.move(bigint,bigint) (7 calls): all rows that it touches are named by shop.id"
                + " = $1 and $2",
            "SELECT create_distributed_procedure('public.move(bigint,bigint)', '$1, $2',"
                + " colocate_with => 'shop');"),
        procedures(
            new TablePlacement.Reference(),
            procedure(
                "sell(bigint)",
                true,
                false,
                touch("shop", true, Map.of("id", 1)),
                touch("visit", false, Map.of()),
                touch("sale", true, Map.of("shop", 1, "number", 2))),
            procedure(
                "move(bigint,bigint)",
                false,
                true,
                touch("shop", true, Map.of("id", 1)),
                touch("shop", true, Map.of("id", 2)))));
  }

  @Test
  void leavesOutProceduresThatOneNodeCannotRun() {
    Touch one = touch("shop", true, Map.of("id", 1));
    Touch two = touch("shop", true, Map.of("id", 2));
    assertEquals(
        List.of(
            "-- public.a() (7 calls) is not distributed: line 1: EXECUTE",
            "-- public.b() (7 calls) is not distributed: a statement on sale does not name shop by"
                + " an argument",
            "-- public.c() (7 calls) is not distributed: it changes visit, which every node has",
            "-- public.d() (7 calls) is not distributed: by several keys it may need rows of one"
                + " node on another; abelian.explain_procedure tells when it is distributed",
            "-- public.e() (7 calls) is not distributed: how the results of several nodes become"
                + " one, only its owner knows",
            "-- public.f() (7 calls) is not distributed: other is not placed",
            "-- public.g() (7 calls) is not distributed: it touches nothing but tables that every"
                + " node has"),
        procedures(
            new TablePlacement.Reference(),
            new TracedProcedure(
                "public.a()", 7, false, true, List.of("line 1: EXECUTE"), List.of(one)),
            procedure("b()", false, true, one, touch("sale", true, Map.of("number", 1))),
            procedure("c()", false, true, one, touch("visit", true, Map.of("shop", 1))),
            procedure("d()", false, false, one, two),
            procedure("e()", true, true, one, two),
            procedure("f()", false, true, one, touch("other", false, Map.of("id", 1))),
            procedure("g()", true, true, touch("visit", false, Map.of()))));
    assertEquals(
        List.of("-- public.h() (7 calls) is not distributed: visit and shop are not colocated"),
        procedures(
            new TablePlacement.Hash("shop"),
            procedure("h()", false, true, one, touch("visit", true, Map.of("shop", 1)))));
  }
}
