package org.abelian.router.frontend;

import java.io.IOException;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.PortalDescription;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.session.Progress;
import org.abelian.router.trace.TracedStatement;

/**
 * A statement that locks or changes rows before it is known where it goes, since these are its
 * values. Binding it must do neither, so it is bound when it is executed.
 */
final class DeferredStatement extends Execution {
  /** Takes the rows, and binds what runs over them. */
  @FunctionalInterface
  interface Start {
    /**
     * Does it. Nothing else waits to be answered.
     *
     * @param bind the client's values; in the end those of what is returned
     * @return null when a node has failed, and the client was told
     */
    Begun of(BindMessage bind) throws IOException;
  }

  /**
   * What runs.
   *
   * @param traced what the trace keeps of it; null when it is not recorded
   */
  record Begun(Execution execution, TracedStatement traced) {}

  private final EngineContext context;
  private final StatementTrace trace;
  private final BoundStatement client;
  private final Start start;

  /** By which placement it was analysed. */
  private final long routedBy;

  /** Runs it, from when its rows are there. */
  private Execution started;

  private TracedStatement traced;

  private DeferredStatement(
      EngineContext context, StatementTrace trace, BoundStatement client, Start start) {
    this.context = context;
    this.trace = trace;
    this.client = client;
    this.start = start;
    routedBy = context.backends().settings().snapshot().placementVersion();
  }

  /** Keeps the client's values. */
  static DeferredStatement bind(
      EngineContext context, StatementTrace trace, BoundStatement client, Start start) {
    context.transactions().openImplicit();
    client.answerBind(context.replies());
    return new DeferredStatement(context, trace, client.keeping(client.bind().copy()), start);
  }

  @Override
  public void describe(Description wanted) throws IOException {
    if (started != null) {
      started.describe(wanted);
    } else if (client.routed().facts().returnsRows()) {
      Backend home = context.backends().home(client.routed().router().catalog());
      PortalDescription.tell(context, home, client.statement().statement(), client.bind(), wanted);
    } else {
      describeNothing(context.replies(), wanted);
    }
  }

  @Override
  public boolean runsQuiet(int limit) {
    return started == null || started.runsQuiet(limit);
  }

  /** Is called again when what was sent before has been answered. */
  @Override
  public Progress execute(int limit) throws IOException {
    if (started == null) {
      if (routedBy != context.backends().settings().snapshot().placementVersion()) {
        throw new AbelianException(
            SqlState.SERIALIZATION_FAILURE,
            "the placement of tables changed between Bind and Execute",
            "Try the transaction again.");
      }
      Begun begun = start.of(client.bind().copy());
      if (context.replies().failed()) {
        return Progress.BARRIER;
      } else if (begun == null) {
        throw AbelianException.internal("a statement with all of its values was not bound", null);
      }
      started = begun.execution();
      traced = begun.traced();
    }
    if (started.runsQuiet(limit) && !context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    Progress progress = started.execute(limit);
    if (progress != Progress.QUIET) {
      started.ran();
    }
    trace.planned(traced, progress);
    return progress;
  }

  @Override
  public void close() {
    if (started != null) {
      started.close();
    }
  }

  @Override
  public void forget() {
    if (started != null) {
      started.forget();
    }
  }

  @Override
  public void free() {
    if (started != null) {
      started.free();
    }
  }
}
