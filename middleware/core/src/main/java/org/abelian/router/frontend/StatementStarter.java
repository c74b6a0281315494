package org.abelian.router.frontend;

import java.io.IOException;
import java.util.List;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.CommandExecution;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.Executor;
import org.abelian.router.engine.ReadBatching;
import org.abelian.router.engine.SingleNodeExecution;
import org.abelian.router.engine.UpdateBatching;
import org.abelian.router.execution.ClientError;
import org.abelian.router.explain.Explain;
import org.abelian.router.procedure.ProcedureCalls;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.RouteCounts;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.GeneratedKeys;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.trace.TracedStatement;

/** From a statement with its values to what runs it. */
public final class StatementStarter {
  /**
   * How far it has come.
   *
   * @param progress {@link Progress#NEXT}, or {@link Progress#QUIET} when nothing was done yet
   * @param execution what runs it; null unless the progress is NEXT
   */
  public record Started(Progress progress, Execution execution) {
    private static final Started QUIET = new Started(Progress.QUIET, null);

    /** It is to go as its client wrote it. */
    static final Started ALONE = new Started(Progress.NEXT, null);

    /** True when nothing was done, and nothing needs to be done before it. */
    boolean goesAlone() {
      return progress == Progress.NEXT && execution == null;
    }

    static Started of(Execution execution) {
      return new Started(Progress.NEXT, execution);
    }
  }

  private final EngineContext context;
  private final Executor executor;
  private final SessionRouting routing;
  private final UpdateBatching batching;
  private final ReadBatching reads;
  private final ProcedureCalls procedures;
  private final Explain explain;
  private final CursorCommands cursors;
  private final CopyOutCommand copies;
  private final StatementTrace trace;
  private final RouteCounts counts;

  public StatementStarter(
      Executor executor,
      SessionRouting routing,
      UpdateBatching batching,
      ReadBatching reads,
      ProcedureCalls procedures,
      Explain explain,
      CursorCommands cursors,
      CopyOutCommand copies,
      StatementTrace trace,
      RouteCounts counts) {
    this.context = executor.context();
    this.executor = executor;
    this.routing = routing;
    this.batching = batching;
    this.reads = reads;
    this.procedures = procedures;
    this.explain = explain;
    this.cursors = cursors;
    this.copies = copies;
    this.trace = trace;
    this.counts = counts;
  }

  /** Cursors of SQL, which clients may name as portals. */
  CursorCommands cursors() {
    return cursors;
  }

  /** Where statements are told that may be recorded. */
  public StatementTrace trace() {
    return trace;
  }

  public Route route(SharedStatement statement, RoutedStatement routed, BoundValues values) {
    return routing.route(statement, routed, values);
  }

  /** The one node that runs it and whose answers pass as they are; null when it is another case. */
  public Backend passesThrough(RoutedStatement routed, Route route) {
    Backend backend = explain.answers(routed, route) ? null : routing.single(routed, route);
    if (backend != null) {
      counts.count(route);
    }
    return backend;
  }

  /**
   * True when it may go to its nodes now; else all that is before it must have been answered.
   *
   * @param only the node that runs it; null for several
   */
  public boolean mayFollow(RoutedStatement routed, Backend only) {
    boolean waits =
        !context.replies().isEmpty()
            && (runsAhead(routed, only) && context.retry().mustKeepOrder()
                || context.transactions().asksForTime(routed, only));
    if (!waits) {
      context.transactions().statementBegins();
      if (routed.lasts()) {
        context.retry().lasts();
      }
    }
    return !waits;
  }

  /** True when it locks rows, and other nodes than its own have not answered what is before it. */
  private boolean runsAhead(RoutedStatement routed, Backend only) {
    return (routed.writes() || routed.locks()) && context.backends().isUnfinishedBeside(only);
  }

  /** True when the node that runs it need not take part in the transaction for it. */
  public boolean passesBy(RoutedStatement routed, Route route) {
    return route instanceof Route.AnyNode && context.transactions().passesBy(routed);
  }

  /** True when the statement, as the whole of a transaction, may be run with others. */
  public boolean batches(RoutedStatement routed, Backend backend) {
    return batching.applies(routed, backend);
  }

  /** Runs an update with others if it meets any; no execution when it is to go alone. */
  public Started batched(BoundStatement bound, Backend backend, BoundValues values) {
    UpdateBatching.Turn turn = batching.run(bound.routed(), backend, values);
    switch (turn.kind()) {
      case ALONE:
        return Started.ALONE;
      case QUIET:
        return Started.QUIET;
      default:
        bound.answerBind(context.replies());
        return Started.of(
            CommandExecution.done(context.replies(), UpdateBatching.tag(turn.rows())));
    }
  }

  /**
   * Runs a read that is the whole of a transaction with those of other sessions if it meets any; no
   * execution when it is to go alone.
   *
   * @param only the node that runs it; null for several
   * @param describes whether the client wants its rows described
   */
  public Started shared(BoundStatement bound, Route route, Backend only, boolean describes) {
    if (!reads.applies(bound) || only == null && explain.answers(bound.routed(), route)) {
      return Started.ALONE;
    }
    List<Backend> backends = only == null ? reads.nodes(bound, route) : List.of(only);
    if (backends == null) {
      return Started.ALONE;
    }
    ReadBatching.Shared shared = reads.run(bound, backends, describes);
    if (shared.answer() == null) {
      return shared.needsQuiet() ? Started.QUIET : Started.ALONE;
    }
    bound.answerBind(context.replies());
    counts.countBatched();
    if (only == null) {
      counts.count(route);
    }
    return Started.of(shared.answer());
  }

  /** Binds a statement that several nodes run, or of which the router has more to say. */
  public Started onSeveral(BoundStatement bound, Route route) throws IOException {
    Started started = start(bound, route);
    if (started.execution() != null) {
      counts.count(route);
    }
    return started;
  }

  /**
   * Binds what runs instead of a statement, all of whose values are there; null when a node has
   * failed.
   */
  DeferredStatement.Begun begin(GeneratedKeys last, BindMessage bind) throws IOException {
    RoutedStatement routed = last.routed();
    Route route = route(last.statement(), routed, new BoundParameters(bind));
    Backend backend = passesThrough(routed, route);
    TracedStatement traced = trace.bound(last.statement(), routed, bind, route, backend);
    BoundStatement bound = new BoundStatement(last.statement(), routed, bind, false);
    Execution execution =
        backend == null
            ? onSeveral(bound, route).execution()
            : SingleNodeExecution.bind(context, bound, backend, false, null, false);
    return execution == null ? null : new DeferredStatement.Begun(execution, traced);
  }

  /** Locks of several nodes would be released at once, one node after the other. */
  private void requireBlock(RoutedStatement routed) {
    boolean first =
        !context.transactions().state().isOpen() && context.backends().touched().isEmpty();
    if (routed.utility() == UtilityKind.LOCK && first) {
      throw ClientError.of("25P01", "LOCK TABLE can only be used in transaction blocks");
    }
  }

  private Started start(BoundStatement bound, Route route) throws IOException {
    requireBlock(bound.routed());
    if (route instanceof Route.Cursor) {
      return Started.of(cursors.bind(bound));
    } else if (route instanceof Route.CopyOut) {
      return Started.of(copies.bind(bound));
    }
    if (explain.answers(bound.routed(), route)) {
      return Started.of(explain.bind(bound, route));
    } else if (route instanceof Route.Procedure procedure) {
      return Started.of(procedures.bind(bound, procedure));
    } else if (Executor.bindsQuiet(bound, route) && !context.replies().isEmpty()) {
      return Started.QUIET;
    }
    Execution execution = executor.bind(bound, route);
    return execution == null ? Started.QUIET : Started.of(execution);
  }
}
