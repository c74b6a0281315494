package org.abelian.router.engine;

import java.io.IOException;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.RowCollection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * A MERGE that is several changes, or a DO block. Each runs as it would alone when those before
 * have ended, and the client gets the sum of their counts, but for DO. All of it is one
 * transaction.
 */
final class StepsExecution extends Execution {
  private final EngineContext context;
  private final Binder binder;
  private final BoundStatement bound;
  private final Route.Steps route;
  private final Catalog catalog;

  private StepsExecution(
      EngineContext context, Binder binder, BoundStatement bound, Route.Steps route) {
    this.context = context;
    this.binder = binder;
    this.bound = bound;
    this.route = route;
    this.catalog = bound.routed().router().catalog();
  }

  /** Nothing is done before it is executed. */
  static Execution bind(
      EngineContext context, Binder binder, BoundStatement bound, Route.Steps route) {
    context.transactions().openImplicit();
    bound.answerBind(context.replies());
    BindMessage values = bound.bind().copy();
    return new StepsExecution(context, binder, bound.keeping(values), route);
  }

  @Override
  public void describe(Description wanted) {
    describeNothing(context.replies(), wanted);
  }

  /** Is called again when what was sent before has been answered. */
  @Override
  public Progress execute(int limit) throws IOException {
    if (!context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    context.retry().forbidAfterWrites();
    long count = 0;
    for (Route.Step step : route.steps()) {
      count += run(step);
      if (context.replies().failed()) {
        return Progress.BARRIER;
      }
    }
    StatementFacts facts = bound.routed().facts();
    boolean isBlock = facts.kind() == StatementKind.UTILITY;
    context.replies().add(FixedMessage.tag(isBlock ? facts.tag() : facts.tag() + " " + count));
    return Progress.NEXT;
  }

  private long run(Route.Step step) throws IOException {
    StatementFacts facts = step.facts();
    RoutedStatement routed = SourceRows.routed(step.route(), facts, catalog);
    SharedStatement statement =
        new SharedStatement(NodeStatement.of(step.sql(), facts.parameters()));
    BindMessage values = bound.bind().copy();
    BoundStatement change = new BoundStatement(statement, routed, values, false);
    RowCollection none = SourceRows.taken(context, 0);
    try {
      return CollectedRows.collect(context, binder, change, step.route(), none);
    } finally {
      none.close();
    }
  }
}
