package org.abelian.router.routing;

import java.util.List;
import org.abelian.router.analysis.CopyFacts;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.analysis.NodeFunctions;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.error.AbelianException;

/**
 * Routes utility commands. Those that only change what the session is (SET, BEGIN, FETCH ...) can
 * go to any node as far as the rows are concerned; the session, which remembers the rest, treats
 * them before it asks for a route.
 */
final class UtilityRouting {
  private static final Route BLOCK = new Route.AllNodes(Route.Purpose.BLOCK);

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

  /**
   * Of a command that stores the rows of a query in a new table.
   *
   * @param gathered how it does so when the rows come from several nodes
   * @param source routes the query
   */
  Plan plan(GatheredFacts gathered, StatementRouter source) {
    boolean plain =
        facts.command().utility() != UtilityKind.DDL
            || uses.distributed().isEmpty() && facts.calls().functions().isEmpty();
    if (plain || gathered.sourceFacts().writes()) {
      return plan();
    }
    Route creation = temporaryOr(everyNode());
    return values -> {
      Route from = source.route(values);
      if (from instanceof Route.Refused refused) {
        throw refused.error();
      }
      boolean gives =
          from instanceof Route.OneNode
              || from instanceof Route.AnyNode
              || from instanceof Route.Scatter;
      return gives ? new Route.GatheredTable(from, creation, gathered) : storedQuery();
    };
  }

  Plan plan() {
    switch (facts.command().utility()) {
      case DDL:
        return Plan.always(facts.command().storesRows() ? storedQuery() : schemaChange());
      case OTHER:
        return Plan.always(everyNode());
      case VACUUM:
        return Plan.always(ofTables(Route.Purpose.NODE_BY_NODE));
      case ANALYZE:
        return Plan.always(ofTables(Route.Purpose.ALL_TABLES));
      case CONSTRAINTS:
        return Plan.always(new Route.AllNodes(Route.Purpose.ALL_TABLES));
      case LOCK:
      case TRUNCATE:
        return Plan.always(
            uses.isPlaced()
                ? temporaryOr(new Route.AllNodes(Route.Purpose.ALL_TABLES))
                : firstNode());
      case EXPLAIN:
        return explain();
      case DECLARE:
        return declare();
      case COPY_TO:
        return copyTo();
      case COPY_FROM:
        return Plan.always(copyFrom());
      case CALL:
      case DO:
        return Plan.always(procedure());
      case LISTEN:
      case UNLISTEN:
      case NOTIFY:
        return Plan.always(firstNode());
      default:
        return refusedOrAnywhere();
    }
  }

  private Plan refusedOrAnywhere() {
    switch (facts.command().utility()) {
      case PREPARE:
      case EXECUTE:
        throw Refusals.utility(
            facts.tag(), "Use prepared statements of the driver (the extended query protocol).");
      case PREPARE_TRANSACTION:
      case COMMIT_PREPARED:
      case ROLLBACK_PREPARED:
        throw Refusals.utility(
            facts.tag(), "A plain COMMIT commits on all nodes; the router prepares by itself.");
      case BEGIN:
      case COMMIT:
      case ROLLBACK:
      case SAVEPOINT:
      case RELEASE:
      case ROLLBACK_TO:
        throw Refusals.utility(
            facts.tag() + " in this form",
            "The router reads these commands itself: write names without Unicode escapes.");
      case SUBSCRIPTION:
        throw Refusals.utility(
            facts.tag(),
            "A node that subscribes gets all rows: subscribe outside the cluster, or load the rows"
                + " through the router.");
      case LOAD:
        throw Refusals.utility(
            facts.tag(), "Name the library in session_preload_libraries of every node.");
      case UNKNOWN:
        throw Refusals.utility(facts.tag(), "Run it on the nodes by themselves.");
      default:
        return Plan.always(new Route.AnyNode());
    }
  }

  private Route firstNode() {
    return new Route.OneNode(catalog.first().id());
  }

  private Route everyNode() {
    return new Route.AllNodes(
        facts.command().outsideTransaction() ? Route.Purpose.NODE_BY_NODE : Route.Purpose.SCHEMA);
  }

  /** Of a command about the tables it names, or about all if it names none. */
  private Route ofTables(Route.Purpose purpose) {
    return facts.relations().isEmpty() || uses.isPlaced()
        ? temporaryOr(new Route.AllNodes(purpose))
        : firstNode();
  }

  private Route schemaChange() {
    return facts.calls().nodeFunctions().ofOneNode().isEmpty()
        ? temporaryOr(everyNode())
        : firstNode();
  }

  /**
   * What belongs to the session alone lies on the first node; a command that is about such objects
   * and others has no one place.
   */
  private Route temporaryOr(Route route) {
    List<RelationFacts> relations = facts.relations();
    boolean some = facts.command().temporary() || facts.usesTemporary();
    if (!some) {
      return route;
    }
    if (relations.stream().allMatch(table -> table.temporary() || !table.write())) {
      return firstNode();
    }
    throw Refusals.temporaryAndOthers(facts.tag());
  }

  /**
   * The rows of a table without placement lie on the first node, where the query runs; the other
   * nodes make the table alone.
   */
  private Route storedQuery() {
    if (!uses.distributed().isEmpty()) {
      throw Refusals.utility(facts.tag() + " from a distributed table", insteadOfStoring());
    }
    for (RelationFacts table : uses.references()) {
      if (table.write()) {
        throw Refusals.nestedWrite(table);
      }
    }
    new QueryRouting(sql, facts, catalog).plan(); // It refuses what functions hide.
    return temporaryOr(everyNode());
  }

  private String insteadOfStoring() {
    return facts.tag().contains("MATERIALIZED VIEW")
        ? "PostgreSQL would fill the view with the rows of one node. Rows of several nodes come by"
            + " a query that could run alone, when the owner himself refreshes the view (SET ROLE)."
        : "Create the table, place it, and fill it with INSERT ... SELECT or from the application.";
  }

  private Plan explain() {
    if (facts.command().storesRows() && facts.command().analyzes()) {
      return Plan.always(storedQuery());
    }
    return oneNodeOnly("EXPLAIN of a statement for several nodes");
  }

  private Plan declare() {
    if (facts.calls().nodeFunctions().settings()) {
      throw Refusals.settingsOfSeveralNodes();
    }
    if (facts.command().cursor() == null) {
      return oneNodeOnly("a cursor over several nodes");
    }
    return oneNodeOrByItself(new Route.Cursor());
  }

  /** Where one node does not do: by itself the query may be one whose answers can be merged. */
  private Plan oneNodeOrByItself(Route several) {
    try {
      Plan query = new QueryRouting(sql, facts, catalog).plan();
      return values -> {
        try {
          return oneNodeOr(query.route(values), several);
        } catch (AbelianException refusal) {
          return several;
        }
      };
    } catch (AbelianException refusal) {
      return Plan.always(several);
    }
  }

  private Plan oneNodeOnly(String what) {
    Plan query = new QueryRouting(sql, facts, catalog).plan();
    Route refusal =
        new Route.Refused(Refusals.utility(what, "Restrict the distribution column to one value."));
    return values -> oneNodeOr(query.route(values), refusal);
  }

  private static Route oneNodeOr(Route route, Route several) {
    boolean one = route instanceof Route.OneNode || route instanceof Route.AnyNode;
    return one ? route : several;
  }

  private Route copyFrom() {
    CopyFacts copy = facts.command().copy();
    return uses.isPlaced() && (copy == null || !copy.refused())
        ? new CopyRouting(facts, catalog, uses).route()
        : firstNode();
  }

  private Plan copyTo() {
    CopyFacts copy = facts.command().copy();
    if (copy != null && copy.refused()) {
      return Plan.always(firstNode());
    } else if (copy != null && !copy.client() && uses.isPlaced()) {
      throw Refusals.serverFile();
    } else if (copy == null || copy.out() == null) {
      return oneNodeOnly("COPY TO from several nodes");
    }
    return oneNodeOrByItself(new Route.CopyOut());
  }

  private Route procedure() {
    if (isWatchedBlock(facts)) {
      return BLOCK;
    }
    if (!catalog.tables().isEmpty()) {
      throw Refusals.utility(
          facts.tag() + ", whose body the router does not see,",
          "Make it a distributed procedure with create_distributed_procedure(), or send its"
              + " statements by themselves.");
    }
    return firstNode();
  }

  /** Of a DO block that no node can run alone; null when it is none that all may run. */
  static Plan block(StatementFacts facts) {
    return isWatchedBlock(facts) ? Plan.always(BLOCK) : null;
  }

  /** A DO block whose commands nodes watch, all of which every node may run. */
  private static boolean isWatchedBlock(StatementFacts facts) {
    NodeFunctions called = facts.calls().nodeFunctions();
    return facts.command().utility() == UtilityKind.DO
        && facts.calls().body() != null
        && called.ofOneNode().isEmpty()
        && called.ofNoNode().isEmpty()
        && called.draws().isEmpty()
        && !called.ofEveryNode();
  }
}
