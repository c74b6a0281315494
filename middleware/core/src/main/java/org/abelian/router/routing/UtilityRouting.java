package org.abelian.router.routing;

import java.util.Set;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;

/**
 * Routes utility commands. Those that only change what the session is (SET, BEGIN, FETCH ...) can
 * go to any node as far as the rows are concerned; the session, which remembers the rest, treats
 * them before it asks for a route.
 */
final class UtilityRouting {
  private static final Set<String> STORING_QUERIES =
      Set.of(
          "CREATE TABLE AS",
          "SELECT INTO",
          "CREATE MATERIALIZED VIEW",
          "REFRESH MATERIALIZED VIEW",
          "EXPLAIN"); // of one of these

  private final String sql;
  private final StatementFacts facts;
  private final Catalog catalog;
  private final TableUses uses;

  UtilityRouting(String sql, StatementFacts facts, Catalog catalog) {
    this.sql = sql;
    this.facts = facts;
    this.catalog = catalog;
    this.uses = new TableUses(facts, catalog);
  }

  Plan plan() {
    switch (facts.utility()) {
      case DDL:
        return Plan.always(schemaChange());
      case OTHER:
        return Plan.always(everyNode());
      case VACUUM:
        return Plan.always(
            facts.relations().isEmpty() || uses.isPlaced()
                ? new Route.AllNodes(Route.Purpose.NODE_BY_NODE)
                : firstNode());
      case LOCK:
      case TRUNCATE:
        return Plan.always(
            uses.isPlaced() ? new Route.AllNodes(Route.Purpose.ALL_TABLES) : firstNode());
      case EXPLAIN:
        return oneNodeOnly("EXPLAIN of a statement for several nodes");
      case DECLARE:
        return oneNodeOnly("a cursor over several nodes");
      case COPY_TO:
        return copyTo();
      case COPY_FROM:
        return Plan.always(
            uses.isPlaced() ? new CopyRouting(facts, catalog, uses).route() : firstNode());
      case CALL:
      case DO:
        return Plan.always(procedure());
      case LISTEN:
      case UNLISTEN:
      case NOTIFY:
        return Plan.always(firstNode());
      case PREPARE:
      case EXECUTE:
        throw Refusals.utility(
            facts.tag(), "Use prepared statements of the driver (the extended query protocol).");
      case PREPARE_TRANSACTION:
      case COMMIT_PREPARED:
      case ROLLBACK_PREPARED:
        throw Refusals.utility(
            facts.tag(), "A plain COMMIT commits on all nodes; the router prepares by itself.");
      default:
        return Plan.always(new Route.AnyNode());
    }
  }

  private Route firstNode() {
    return new Route.OneNode(catalog.first().id());
  }

  private Route everyNode() {
    return new Route.AllNodes(
        facts.outsideTransaction() ? Route.Purpose.NODE_BY_NODE : Route.Purpose.SCHEMA);
  }

  private Route schemaChange() {
    if (STORING_QUERIES.contains(facts.tag()) && !uses.hashed().isEmpty()) {
      throw Refusals.utility(
          facts.tag() + " from a distributed table",
          "Create the table, place it, and fill it with INSERT ... SELECT or from the"
              + " application.");
    }
    if (facts.relations().stream().anyMatch(RelationFacts::temporary)) {
      return firstNode();
    }
    return everyNode();
  }

  private Plan oneNodeOnly(String what) {
    Plan query = new QueryRouting(sql, facts, catalog).plan();
    return values -> {
      Route route = query.route(values);
      if (route instanceof Route.OneNode || route instanceof Route.AnyNode) {
        return route;
      }
      throw Refusals.utility(what, "Restrict the distribution column to one value.");
    };
  }

  private Plan copyTo() {
    return oneNodeOnly("COPY TO from several nodes");
  }

  private Route procedure() {
    if (!catalog.tables().isEmpty()) {
      throw Refusals.utility(
          facts.tag() + ", whose body the router does not see,",
          "Make it a distributed procedure with create_distributed_procedure(), or send its"
              + " statements by themselves.");
    }
    return firstNode();
  }
}
