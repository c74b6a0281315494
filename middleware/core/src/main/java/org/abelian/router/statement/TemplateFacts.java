package org.abelian.router.statement;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.abelian.router.analysis.CallFacts;
import org.abelian.router.analysis.ChangeFacts;
import org.abelian.router.analysis.Span;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.Routing;
import org.abelian.router.routing.StatementRouter;

/**
 * What the facts of a {@link LiteralTemplate} say about a text that it was made of: where the text
 * goes, if that is one node, and what it does. What else facts hold are texts with parameters,
 * which are of use only when the template is run in the text's place.
 */
final class TemplateFacts {
  /** Types whose values name objects: regproc and its kind. */
  private static final Set<Integer> NAMES =
      Set.of(24, 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191);

  /** A literal may stay without a type, as an argument of format() does; a parameter may not. */
  private static final Set<Integer> UNKNOWN = Set.of(0, 705);

  private static final Set<String> DRAWS = Set.of("nextval");

  private TemplateFacts() {}

  /**
   * True when such statements differ in nothing but where they go, whatever their literals are. A
   * literal may name a sequence or an object to a function, so there are none but those that only
   * compute.
   */
  static boolean stand(StatementFacts facts) {
    return isPlain(facts) && onlyCompute(facts.calls()) && isOfItself(facts.change());
  }

  /**
   * True when the template may be run in the place of such a text, with its literals for values.
   * Where several tables take part, how rows get to each other is chosen by what the literals say.
   */
  static boolean areBindable(StatementFacts facts) {
    return isPlain(facts)
        && facts.relations().size() == 1
        && facts.parameters().stream().noneMatch(UNKNOWN::contains)
        && (facts.kind() == StatementKind.INSERT
            ? onlyDraws(facts.calls())
            : onlyCompute(facts.calls()));
  }

  private static boolean isPlain(StatementFacts facts) {
    boolean plain =
        facts.kind() == StatementKind.SELECT
            || facts.kind() == StatementKind.INSERT
            || facts.kind() == StatementKind.UPDATE
            || facts.kind() == StatementKind.DELETE;
    return plain
        && facts.parameters().stream().noneMatch(NAMES::contains)
        && !facts.deferred()
        && facts.command().utility() == null;
  }

  private static boolean onlyCompute(CallFacts calls) {
    return onlyDraws(calls)
        && !calls.volatileFunctions()
        && calls.nodeFunctions().ofOneNode().isEmpty()
        && calls.nodeFunctions().draws().isEmpty();
  }

  /** Nothing has an effect but sequences, which defaults of columns name. */
  private static boolean onlyDraws(CallFacts calls) {
    return calls.functions().isEmpty()
        && calls.procedure() == null
        && calls.body() == null
        && !calls.nodeFunctions().settings()
        && DRAWS.containsAll(calls.nodeFunctions().ofOneNode())
        && calls.nodeFunctions().ofNoNode().isEmpty()
        && !calls.nodeFunctions().ofEveryNode();
  }

  /** Nothing of the text is told by which it is repeated, or run for several sessions. */
  private static boolean isOfItself(ChangeFacts change) {
    return !change.randomKeys()
        && change.combined() == null
        && (change.blind() == null || change.blind().redo() == null);
  }

  /**
   * What is known about a text by its template; null when that is not enough.
   *
   * @param known what is known about the template
   * @param values those of the text's literals
   */
  static AnalysedStatement of(AnalysedStatement known, String sql, BoundValues values) {
    StatementFacts facts = known.routed().facts();
    if (!stand(facts) || known.toldKeys() || known.hasGeneratedKeys()) {
      return null;
    }
    Route route = route(known, values);
    if (!(route instanceof Route.OneNode) && !(route instanceof Route.AnyNode)) {
      return null;
    }
    Catalog catalog = known.routed().router().catalog();
    StatementRouter router = Routing.fixed(route, filled(facts, sql), catalog);
    return new AnalysedStatement(
        known.scope(), known.epoch(), new RoutedStatement(router), false, null);
  }

  /** The template in the place of a text that does not go to one node; null when it may not be. */
  static BoundTemplate bound(
      SharedStatement template, AnalysedStatement known, LiteralTemplate literals) {
    if (!literals.isBindable() || !areBindable(known.routed().facts())) {
      return null;
    }
    if (!known.hasGeneratedKeys()) {
      Route route = route(known, literals.values());
      boolean several =
          route instanceof Route.Scatter
              || route instanceof Route.ScatterWrite
              || route instanceof Route.Split;
      if (!several) {
        return null;
      }
    }
    return new BoundTemplate(template, known, literals.queues());
  }

  /** Null when only a node can read a literal that is a key, or it is none. */
  private static Route route(AnalysedStatement known, BoundValues values) {
    try {
      return known.routed().router().route(values);
    } catch (AbelianException unread) {
      return null;
    }
  }

  private static StatementFacts filled(StatementFacts facts, String sql) {
    return new StatementFacts(
        facts.kind(),
        new Span(0, sql.getBytes(StandardCharsets.UTF_8).length),
        facts.tag(),
        false,
        List.of(),
        facts.returnsRows(),
        facts.result(),
        null,
        facts.relations(),
        List.of(),
        List.of(),
        facts.calls(),
        new ChangeFacts(
            null,
            false,
            facts.change().blind(),
            null,
            facts.change().unmoved(),
            facts.change().currentOf()),
        null,
        facts.command());
  }
}
