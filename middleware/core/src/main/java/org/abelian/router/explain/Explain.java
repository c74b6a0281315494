package org.abelian.router.explain;

import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.Executor;
import org.abelian.router.execution.PlanFormat;
import org.abelian.router.procedure.ProcedureCalls;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.ExplainCommand;
import org.abelian.router.statement.RoutedStatement;

/** Decides which EXPLAINs the router answers, and answers them. */
public final class Explain {
  /** The setting that asks for the router's part also where a statement stays on one node. */
  private static final String SETTING = "abelian.explain_router";

  private final EngineContext context;
  private final Executor executor;
  private final ProcedureCalls procedures;

  /** The EXPLAINs of a session. */
  public Explain(Executor executor, ProcedureCalls procedures) {
    this.context = executor.context();
    this.executor = executor;
    this.procedures = procedures;
  }

  /** True when the router answers; false when the statement is none of these, or a node does. */
  public boolean answers(RoutedStatement routed, Route route) {
    ExplainCommand command = routed.explains();
    if (command == null) {
      return false;
    }
    boolean one = route instanceof Route.OneNode || route instanceof Route.AnyNode;
    return command.call()
        || !one
        || !command.before().isEmpty()
        || command.format() == PlanFormat.TEXT
            && context.backends().says(SETTING, "on", "true", "1");
  }

  /** Binds what {@link #answers}. */
  public Execution bind(BoundStatement bound, Route route) {
    ExplainText text = new ExplainText(context, procedures, bound, route);
    return ExplainExecution.bind(executor, bound, route, text);
  }
}
