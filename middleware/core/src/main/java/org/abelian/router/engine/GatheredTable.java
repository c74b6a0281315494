package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.GatheredFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.GatheredRows;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;

/**
 * A CREATE TABLE AS or SELECT INTO of rows of several nodes, or a materialized view that is made or
 * refreshed. The table is made without rows, on the first node before the others as with any change
 * of the schema; then the query runs as it would alone, and the first node inserts its rows, or
 * refreshes the view with them. All of it is one transaction.
 */
final class GatheredTable {
  private static final NodeStatement EXISTS =
      NodeStatement.of(
          "SELECT pg_catalog.to_regclass($1::pg_catalog.text) OPERATOR(pg_catalog.>)"
              + " 0::pg_catalog.oid");

  private final EngineContext context;
  private final BoundStatement bound;
  private final Route.GatheredTable route;
  private final GatheredFacts facts;
  private final Catalog catalog;

  private GatheredTable(EngineContext context, BoundStatement bound, Route.GatheredTable route) {
    this.context = context;
    this.bound = bound;
    this.route = route;
    this.facts = route.facts();
    this.catalog = bound.routed().router().catalog();
  }

  /** Nothing is done before it is executed. */
  static Execution bind(EngineContext context, BoundStatement bound, Route.GatheredTable route) {
    bound.answerBind(context.replies());
    BindMessage values = bound.bind().copy();
    BoundStatement kept = bound.keeping(values);
    GatheredTable table = new GatheredTable(context, kept, route);
    return new CommandExecution(context.replies(), table::run);
  }

  private Progress run() throws IOException {
    if (!context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    context.transactions().openImplicit();
    context.retry().forbidAfterWrites();
    if (facts.table().unlessExists() && exists()) {
      return asItIs();
    }
    if (facts.table().create() != null) {
      create();
    }
    if (context.replies().failed()) {
      return Progress.BARRIER;
    }
    GatheredRows rows = new GatheredRows(context.exchangeLimit(), context.memory());
    try {
      fill(rows);
      if (!context.replies().failed()) {
        String tag = bound.routed().facts().tag();
        boolean makes = facts.table().create() != null;
        context.replies().add(FixedMessage.tag(makes ? "SELECT " + rows.rows().size() : tag));
      }
    } finally {
      rows.close();
    }
    return Progress.BARRIER;
  }

  private boolean exists() throws IOException {
    Backend first = first();
    context.transactions().enter(first, false);
    answered();
    if (context.replies().failed()) {
      return false;
    }
    QueryResult result =
        NodeCall.prepared(first.connection, EXISTS, !first.touched, facts.table().name());
    if (!result.succeeded()) {
      first.skips = first.touched;
      throw new ClientError(result.errorFields());
    }
    return "t".equals(result.value());
  }

  private Backend first() {
    return context.backends().backend(catalog.first());
  }

  private boolean isTemporary() {
    return !(route.creation() instanceof Route.AllNodes);
  }

  /** The nodes find that the table is there, and the first one says so. */
  private Progress asItIs() throws IOException {
    if (route.creation() instanceof Route.AllNodes all) {
      return BroadcastExecution.bind(context, bound, all).execute(0);
    }
    return SingleNodeExecution.bind(context, bound, first(), false, null, false).execute(0);
  }

  private void create() throws IOException {
    List<Backend> nodes = new ArrayList<>();
    for (Node node : isTemporary() ? List.of(catalog.first()) : catalog.nodes()) {
      nodes.add(context.backends().backend(node));
    }
    createOn(nodes.subList(0, 1));
    if (!context.replies().failed()) {
      createOn(nodes.subList(1, nodes.size()));
    }
    if (isTemporary()) {
      SingleNodeExecution.remember(context, bound.routed(), first());
    } else {
      context.transactions().schemaChanged();
      context.scope().seesUncommittedSchema();
    }
  }

  private void createOn(List<Backend> nodes) throws IOException {
    RoutedStatement routed = bound.routed();
    NodeStatement statement = NodeStatement.of(facts.table().create(), routed.facts().parameters());
    for (Backend backend : nodes) {
      SeveralNodes.enter(context, backend, routed);
      if (!isTemporary()) {
        BroadcastExecution.announceChange(context, backend);
      }
      NodePortal portal = new NodePortal(context, backend, bound.portal());
      portal.bind(statement, false, bound.bind());
      run(portal);
    }
    answered();
  }

  private void run(NodePortal portal) {
    portal.run(0);
    context.replies().add(NodeReply.swallow(portal.connection()));
    portal.close();
  }

  private void answered() throws IOException {
    context.backends().requestAnswers();
    context.replies().runAll();
  }

  private void fill(GatheredRows rows) throws IOException {
    int node = first().nodeId;
    Route.GatheredInsert way =
        new Route.GatheredInsert(route.source(), facts, List.of(node), row -> node);
    GatheredInsert insert = new GatheredInsert(context, bound, way);
    insert.select(rows);
    boolean fills = facts.table().refresh() != null;
    if (!context.replies().failed() && (fills || !rows.rows().isEmpty())) {
      run(insert.portal(node, rows));
      answered();
    }
    if (!context.replies().failed() && fills) {
      refresh();
    }
  }

  /** The view lies on the first node, as tables without placement do. */
  private void refresh() throws IOException {
    Backend backend = first();
    BroadcastExecution.announceChange(context, backend);
    // CONCURRENTLY makes a temporary table.
    backend.unpreparable |= bound.routed().mustBeAlone();
    context.transactions().inject(backend, NodeStatement.of(facts.table().refresh()), false);
    answered();
  }
}
