package org.abelian.router.frontend;

import java.io.IOException;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.PortalDescription;
import org.abelian.router.engine.SingleNodeExecution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.GeneratedKeys;
import org.abelian.router.trace.TracedStatement;

/**
 * A statement that locks or changes rows before it is known where it goes, since these are its
 * values. Binding it must do neither, so it is bound when it is executed.
 */
final class DeferredStatement extends Execution {
  private final EngineContext context;
  private final StatementStarter starter;
  private final KeyGeneration keys;
  private final GeneratedKeys generated;
  private final BoundStatement client;

  /** Runs it, from when its rows are there. */
  private Execution started;

  private TracedStatement traced;

  private DeferredStatement(
      EngineContext context,
      StatementStarter starter,
      KeyGeneration keys,
      GeneratedKeys generated,
      BoundStatement client) {
    this.context = context;
    this.starter = starter;
    this.keys = keys;
    this.generated = generated;
    this.client = client;
  }

  /**
   * Keeps the values.
   *
   * @param generated what runs instead of the client's statement
   */
  static DeferredStatement bind(
      EngineContext context,
      StatementStarter starter,
      KeyGeneration keys,
      GeneratedKeys generated,
      BoundStatement client) {
    context.transactions().openImplicit();
    client.answerBind(context.replies());
    return new DeferredStatement(context, starter, keys, generated, client.keeping(copy(client)));
  }

  /** The client's message will be gone, and that of what runs takes its place. */
  private static BindMessage copy(BoundStatement bound) {
    BindMessage values = new BindMessage();
    values.look(bound.bind().extended(List.of()), 0);
    return values;
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
      started = start();
      if (context.replies().failed()) {
        return Progress.BARRIER;
      } else if (started == null) {
        throw AbelianException.internal("a statement with all of its values was not bound", null);
      }
    }
    if (started.runsQuiet(limit) && !context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    Progress progress = started.execute(limit);
    if (progress != Progress.QUIET) {
      started.ran();
    }
    starter.trace().planned(traced, progress);
    return progress;
  }

  /** Takes the rows, and binds what runs over them; null when a node has failed. */
  private Execution start() throws IOException {
    BindMessage bind = copy(client);
    BoundValues values = new BoundParameters(bind);
    GeneratedKeys last = keys.last(generated, bind, values, false);
    if (last == null) {
      return null;
    }
    Route route = starter.route(last.statement(), last.routed(), values);
    Backend backend = starter.passesThrough(last.routed(), route);
    traced = starter.trace().bound(last.statement(), last.routed(), bind, route, backend);
    BoundStatement bound = new BoundStatement(last.statement(), last.routed(), bind, false);
    return backend == null
        ? starter.onSeveral(bound, route).execution()
        : SingleNodeExecution.bind(context, bound, backend, false, null, false);
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
