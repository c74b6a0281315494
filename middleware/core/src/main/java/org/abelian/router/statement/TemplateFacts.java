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
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.Routing;
import org.abelian.router.routing.StatementRouter;

/**
 * What the facts of a {@link LiteralTemplate} say about a text that it was made of: where the text
 * goes, if that is one node, and what it does. What else facts hold are texts with parameters,
 * which are of no use to it.
 */
final class TemplateFacts {
  /** Types whose values name objects: regproc and its kind. */
  private static final Set<Integer> NAMES =
      Set.of(24, 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191);

  private TemplateFacts() {}

  /**
   * True when such statements differ in nothing but where they go, whatever their literals are. A
   * literal may name a sequence or an object to a function, so there are none but those that only
   * compute.
   */
  static boolean stand(StatementFacts facts) {
    boolean plain =
        facts.kind() == StatementKind.SELECT
            || facts.kind() == StatementKind.INSERT
            || facts.kind() == StatementKind.UPDATE
            || facts.kind() == StatementKind.DELETE;
    return plain
        && facts.parameters().stream().noneMatch(NAMES::contains)
        && !facts.deferred()
        && facts.command().utility() == null
        && onlyCompute(facts.calls())
        && isOfItself(facts.change());
  }

  private static boolean onlyCompute(CallFacts calls) {
    return !calls.volatileFunctions()
        && calls.functions().isEmpty()
        && calls.procedure() == null
        && calls.body() == null
        && !calls.nodeFunctions().settings()
        && calls.nodeFunctions().ofOneNode().isEmpty()
        && calls.nodeFunctions().ofNoNode().isEmpty()
        && !calls.nodeFunctions().ofEveryNode()
        && calls.nodeFunctions().draws().isEmpty();
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
    Route route = known.routed().router().route(values);
    if (!(route instanceof Route.OneNode) && !(route instanceof Route.AnyNode)) {
      return null;
    }
    Catalog catalog = known.routed().router().catalog();
    StatementRouter router = Routing.fixed(route, filled(facts, sql), catalog);
    return new AnalysedStatement(
        known.scope(), known.epoch(), new RoutedStatement(router), false, null);
  }

  private static StatementFacts filled(StatementFacts facts, String sql) {
    return new StatementFacts(
        facts.kind(),
        new Span(0, sql.getBytes(StandardCharsets.UTF_8).length),
        facts.tag(),
        false,
        List.of(),
        facts.returnsRows(),
        facts.relations(),
        List.of(),
        List.of(),
        facts.calls(),
        new ChangeFacts(null, false, facts.change().blind(), null, facts.change().unmoved()),
        null,
        facts.command());
  }
}
