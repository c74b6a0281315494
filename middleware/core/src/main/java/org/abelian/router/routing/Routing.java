package org.abelian.router.routing;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.InsteadFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.StepsFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;

/**
 * From the facts of a statement and the placement of its tables to the nodes that must run it. The
 * rule throughout: a route is given only if every row that can matter lies on its nodes and the
 * answers can be put together to the one that a single PostgreSQL would give; anything else is
 * refused.
 */
public final class Routing {
  private Routing() {}

  /**
   * Routes a statement as far as it can be without its values. Never throws: a statement that
   * cannot be routed gives a router that refuses it.
   *
   * @param sql the query text that the facts were found in, all of it
   */
  public static StatementRouter compile(String sql, StatementFacts facts, Catalog catalog) {
    return compile(sql, facts, null, catalog);
  }

  /** A statement of which it was decided before where it goes. */
  public static StatementRouter fixed(Route route, StatementFacts facts, Catalog catalog) {
    return new FixedRouter(route, facts, catalog);
  }

  /**
   * As {@link #compile(String, StatementFacts, Catalog)}.
   *
   * @param instead what runs instead of the statement where rows come to other nodes; null when
   *     they cannot
   */
  public static StatementRouter compile(
      String sql, StatementFacts facts, InsteadFacts instead, Catalog catalog) {
    Plan plan;
    try {
      plan = plan(sql, facts, instead, catalog);
    } catch (AbelianException refusal) {
      plan = Plan.always(new Route.Refused(refusal));
    }
    return new PlannedRouter(plan, facts, catalog);
  }

  private static Plan plan(
      String sql, StatementFacts facts, InsteadFacts instead, Catalog catalog) {
    switch (facts.kind()) {
      case EMPTY:
        return Plan.always(new Route.AnyNode());
      case CLUSTER_CALL:
        return Plan.always(new Route.AllNodes(Route.Purpose.CLUSTER_CALL));
      default:
        break;
    }
    LookupRouting lookups = new LookupRouting(facts, catalog);
    lookups.check();
    if (catalog.nodes().size() == 1 && facts.command().utility() == UtilityKind.COPY_FROM) {
      return lookups.copy(Plan.always(new Route.OneNode(catalog.first().id())));
    }
    if (catalog.nodes().size() == 1) {
      return lookups.plan(Plan.always(new Route.OneNode(catalog.first().id())));
    }
    if (facts.calls().procedure() != null && facts.calls().functions().isEmpty()) {
      return new ProcedureRouting(facts, catalog).plan();
    }
    BodyRouting body = new BodyRouting(facts, catalog);
    if (body.applies()) {
      Plan block =
          instead instanceof StepsFacts changes
              ? steps(changes.steps(), catalog)
              : UtilityRouting.block(facts);
      return block == null ? body.plan() : body.plan(block);
    }
    if (instead instanceof StepsFacts changes) {
      return steps(changes.steps(), catalog);
    }
    GatheredFacts gathered = (GatheredFacts) instead;
    if (facts.kind() == StatementKind.UTILITY) {
      return gathered == null
          ? lookups.copy(new UtilityRouting(sql, facts, catalog).plan())
          : stored(sql, facts, gathered, catalog);
    }
    Plan query = lookups.plan(query(sql, facts, gathered, catalog));
    return facts.calls().nodeFunctions().settings() ? onOneNode(query) : query;
  }

  private static Plan query(
      String sql, StatementFacts facts, GatheredFacts gathered, Catalog catalog) {
    if (gathered == null) {
      return new QueryRouting(sql, facts, catalog).plan();
    }
    Plan direct = Plan.of(() -> new QueryRouting(sql, facts, catalog).plan());
    GatheredInsertRouting routing = new GatheredInsertRouting(facts, gathered, catalog);
    return routing.applies()
        ? routing.plan(direct, compile(gathered.source(), gathered.sourceFacts(), catalog))
        : direct;
  }

  /** Each of the changes goes where it would go alone; none is done when one is refused. */
  private static Plan steps(List<StepsFacts.Step> steps, Catalog catalog) {
    List<StatementRouter> routers =
        steps.stream()
            .map(step -> compile(step.text(), step.facts(), step.instead(), catalog))
            .toList();
    return values -> {
      List<Route.Step> routed = new ArrayList<>();
      for (int at = 0; at < routers.size(); at++) {
        Route route = routers.get(at).route(values);
        if (route instanceof Route.Refused refused) {
          throw refused.error();
        }
        routed.add(new Route.Step(steps.get(at).text(), steps.get(at).facts(), route));
      }
      return new Route.Steps(routed);
    };
  }

  /** A table that is made of the rows of several nodes, unless one node has them all. */
  private static Plan stored(
      String sql, StatementFacts facts, GatheredFacts gathered, Catalog catalog) {
    StatementRouter source = compile(gathered.source(), gathered.sourceFacts(), catalog);
    return new UtilityRouting(sql, facts, catalog).plan(gathered, source);
  }

  /** What changes settings must do it once, so that all nodes can be told the same. */
  private static Plan onOneNode(Plan query) {
    return values -> {
      Route route = query.route(values);
      Route plain = route.plain();
      if (plain instanceof Route.OneNode || plain instanceof Route.AnyNode) {
        return route;
      }
      throw Refusals.settingsOfSeveralNodes();
    };
  }
}
