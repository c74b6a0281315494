package org.abelian.router.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.GatheredRows;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.RowCollection;
import org.abelian.router.execution.RowSink;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.Routing;
import org.abelian.router.statement.GeneratedKeys.KeyQuery;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/** The rows of a query that a statement starts from, wherever they lie, collected by the router. */
public final class SourceRows {
  private SourceRows() {}

  /** A query that was routed before. */
  static RoutedStatement routed(Route route, StatementFacts facts, Catalog catalog) {
    return new RoutedStatement(Routing.fixed(route, facts, catalog));
  }

  /**
   * The few rows of a query that reads tables. Nothing else may wait to be answered.
   *
   * @param statement that needs them
   * @return null when a node has failed, and the client was told
   */
  public static List<byte[][]> few(
      EngineContext context,
      SharedStatement statement,
      KeyQuery query,
      BindMessage bind,
      BoundValues values)
      throws IOException {
    GatheredRows rows = new GatheredRows(context.exchangeLimit(), context.memory());
    try {
      collect(context, statement, query, bind, values, rows);
      return context.replies().failed() ? null : new ArrayList<>(rows.rows());
    } finally {
      rows.close();
    }
  }

  /** Room for the rows that a query locks or changes. */
  public static RowCollection taken(EngineContext context, int columns) {
    return new RowCollection(columns, context.exchangeLimit(), context.memory());
  }

  /**
   * Runs a query that locks rows. Nothing else may wait to be answered.
   *
   * @param bound with text as the format of its columns
   */
  public static void take(EngineContext context, BoundStatement bound, Route route, RowSink rows)
      throws IOException {
    Catalog catalog = bound.routed().router().catalog();
    RoutedStatement source = routed(route, bound.routed().facts(), catalog);
    collect(context, bound, source, bound.statement().sql(), rows);
  }

  private static void collect(
      EngineContext context,
      SharedStatement statement,
      KeyQuery query,
      BindMessage bind,
      BoundValues values,
      RowSink rows)
      throws IOException {
    Route route = query.routed().router().route(values);
    if (route instanceof Route.Refused refused) {
      throw refused.error();
    }
    RoutedStatement source =
        routed(route, query.routed().facts(), query.routed().router().catalog());
    BoundStatement bound = new BoundStatement(statement, source, bind, false);
    collect(context, bound, source, query.facts().query(), rows);
  }

  /** Runs the query with the values of a statement, as it would run alone. */
  static void collect(
      EngineContext context, BoundStatement bound, RoutedStatement source, String sql, RowSink rows)
      throws IOException {
    Catalog catalog = source.router().catalog();
    Route route = source.router().route(null);
    BoundStatement selecting = new BoundStatement(bound.statement(), source, bound.bind(), false);
    List<Integer> types = source.facts().parameters();
    NodeStatement statement = NodeStatement.ofRows(sql, types);
    if (route instanceof Route.Scatter scatter) {
      GatherExecution.collect(context, selecting, statement, scatter, rows);
      return;
    }
    Backend backend =
        route instanceof Route.OneNode one
            ? context.backends().backend(catalog, one.node())
            : context.backends().home(catalog);
    context.transactions().enter(backend, source);
    byte[] name = context.backends().prepare(backend, statement, false, context.replies());
    BindMessage bind = bound.bind();
    FrameWriter writer = backend.connection.writer();
    writer.begin(FrontendType.BIND).int1(0).string(name);
    writer.bytes(bind.array(), bind.tailAt(), bind.resultFormatsAt() - bind.tailAt()).int2(0).end();
    writer.begin(FrontendType.EXECUTE).int1(0).int4(0).end();
    context.replies().add(NodeReply.swallow(backend.connection));
    SeveralNodes.together(
        context,
        List.of(backend),
        () -> context.replies().add(new CollectReply(backend.connection, rows)));
    context.backends().requestAnswers();
    context.replies().runAll();
  }
}
