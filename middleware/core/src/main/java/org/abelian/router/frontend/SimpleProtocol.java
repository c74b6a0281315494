package org.abelian.router.frontend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.abelian.router.analysis.SettingFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.NodeByNodeExecution;
import org.abelian.router.engine.SingleNodeExecution;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.FlowWindow;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.session.BlindOperation;
import org.abelian.router.session.Progress;
import org.abelian.router.session.SessionErrors;
import org.abelian.router.session.TransactionState;
import org.abelian.router.session.Transactions;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.BoundTemplate;
import org.abelian.router.statement.GeneratedKeys;
import org.abelian.router.statement.QueryPieces;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.trace.TracedStatement;

/**
 * Query and FunctionCall. A single statement for one node goes there as it is. What is more than
 * that is run statement by statement with the extended protocol, whose group of messages is one
 * transaction just as a query of several statements is, and answered in the form of the simple one.
 */
public final class SimpleProtocol {
  /** What PostgreSQL lets run, or have an effect, in a transaction block only. */
  private static final Set<UtilityKind> IN_BLOCK =
      EnumSet.of(UtilityKind.DECLARE, UtilityKind.LOCK, UtilityKind.SET, UtilityKind.CONSTRAINTS);

  private static final byte[] EMPTY_BIND = BindMessage.withoutValues().array();

  private final EngineContext context;
  private final StatementStarter starter;
  private final SessionStatements statements;
  private final SessionCommands commands;
  private final ExecuteCommand executes;
  private final CatalogStore catalogs;
  private final BindMessage bind = new BindMessage();

  private final SessionErrors errors;

  /** The query that is being run. */
  private QueryPieces pieces;

  /** Its statements; null while there is none. */
  private List<String> texts;

  /** How many characters stand before the one that errors are about. */
  private int told;

  /** Which of them is next. */
  private int next;

  /** Whether something else runs instead of the text. */
  private boolean replaced;

  /** Whether that comes often enough to be prepared on nodes under a name. */
  private boolean named;

  /** Whether it takes data of the client, which come before anything else. */
  private boolean copies;

  /** The next one when it is bound already, but could not run yet; else null. */
  private Execution bound;

  /** What the trace keeps of the statement that is planned; null when it is not recorded. */
  private TracedStatement traced;

  public SimpleProtocol(
      EngineContext context,
      StatementStarter starter,
      SessionStatements statements,
      SessionCommands commands,
      ExecuteCommand executes,
      CatalogStore catalogs,
      SessionErrors errors) {
    this.errors = errors;
    this.context = context;
    this.starter = starter;
    this.statements = statements;
    this.commands = commands;
    this.executes = executes;
    this.catalogs = catalogs;
  }

  /** True while a query is being run. */
  public boolean isRunning() {
    return texts != null;
  }

  /** True when it runs what is being bound, and not only declares a cursor of it. */
  public boolean runsNext(BindMessage bound) {
    return texts != null && bound == bind;
  }

  /** True when the query that is being run has one statement. */
  public boolean isOneStatement() {
    return texts != null && texts.size() == 1;
  }

  /**
   * Runs the statements of a query, as far as possible now.
   *
   * @return {@link Progress#NEXT} when all are planned and the group is to end; {@link
   *     Progress#TURN} when a node's ReadyForQuery ends it
   */
  public Progress query(byte[] array, int at, int length) throws IOException {
    if (texts == null) {
      String text = new String(array, at + 5, length - 6, StandardCharsets.UTF_8);
      SessionStatements.requireUtf8(array, at + 5, at + length - 1, text);
      context.retry().parsed();
      statements.named().removeUnnamed();
      pieces = statements.pieces(text, standardStrings());
      if (pieces == null) {
        return Progress.QUIET;
      }
      texts = pieces.texts();
      next = 0;
      bound = null;
      if (texts.isEmpty()) {
        context.replies().add(FixedMessage.EMPTY_QUERY);
      }
    }
    while (next < texts.size() && !context.replies().failed()) {
      errorsStandIn(next);
      Progress progress = bound == null ? run(texts.get(next), array, at, length) : execute();
      switch (progress) {
        case QUIET -> {
          return progress;
        }
        case TURN -> {
          texts = null;
          return progress;
        }
        case BARRIER, SETTLE -> {
          next++;
          if (next < texts.size()) {
            return Progress.QUIET; // The next one is looked at when this one is answered.
          } else if (progress == Progress.BARRIER) {
            return progress;
          }
        }
        default -> {
          next++;
          if (next < texts.size() && (copies || mustWait(texts.get(next)))) {
            return Progress.QUIET;
          }
        }
      }
    }
    if (next < texts.size()) {
      errors.skipped();
    }
    end();
    return Progress.NEXT;
  }

  /** What is said of the next statement is about a part of the client's text. */
  private void errorsStandIn(int piece) {
    int before = pieces.before(piece);
    if (before != told) {
      told = before;
      context.replies().add(RouterWork.then(() -> errors.standBehind(before)));
    }
  }

  private boolean mustWait(String text) {
    return FlowWindow.isFull(context.replies(), context.backends().unsent())
        || FlowWindow.comesFirst(context.replies(), text.length());
  }

  /** Nothing more of the query is run. */
  public void end() {
    if (told != 0) {
      told = 0;
      context.replies().add(RouterWork.always(() -> errors.standBehind(0)));
    }
    texts = null;
    bound = null;
  }

  private boolean standardStrings() {
    String name = "standard_conforming_strings";
    TransactionState transaction = context.transactions().state();
    boolean begun = context.backends().firstBegun() != null;
    String made = begun ? "" : transaction.changesOf(List.of(name));
    return !context.backends().says(name, "off") && !made.toLowerCase(Locale.ROOT).contains("off");
  }

  private Progress run(String sql, byte[] array, int at, int length) throws IOException {
    SharedStatement statement = statements.intern(NodeStatement.of(sql).body());
    statements.requireSound(statement);
    if (statement.command() != null) {
      return commands.run(statement);
    }
    bind.look(EMPTY_BIND, 0);
    replaced = false;
    named = false;
    copies = false;
    BoundTemplate template = statements.template(statement);
    if (template != null) {
      replaced = true;
      named = true;
      bind.look(template.bind(bind), 0);
      return run(template.statement(), template.analysed(), array, at, length);
    }
    boolean alone = texts.size() == 1;
    AnalysedStatement analysed = statements.analysed(statement, alone);
    if (analysed == null) {
      return Progress.QUIET;
    }
    RoutedStatement routed = analysed.routed();
    if (!alone) {
      joinBlock(routed);
    }
    if (SessionCommands.runs(routed.utility())) {
      return commands.run(statement, routed);
    }
    copies = routed.utility() == UtilityKind.COPY_FROM;
    if (routed.facts().command().prepared().executes() == null) {
      return run(statement, analysed, array, at, length);
    }
    ExecuteCommand.Bound executed = executes.bind(statement, routed, bind);
    if (executed == null) {
      return Progress.QUIET;
    }
    replaced = true;
    bind.look(executed.bind(), 0);
    return run(executed.statement(), executed.analysed(), array, at, length);
  }

  /**
   * The statements of one query are in one transaction block. It is opened for those that may only
   * be in one: the others need none that nodes know of.
   */
  private void joinBlock(RoutedStatement routed) {
    if (routed.mustBeAlone()) {
      throw NodeByNodeExecution.insideBlock(routed);
    }
    SettingFacts setting = routed.facts().command().setting();
    boolean lasts = setting == null || setting.scope() == SettingFacts.Scope.SESSION;
    UtilityKind utility = routed.utility();
    if (utility != null && IN_BLOCK.contains(utility) && !(utility == UtilityKind.SET && lasts)) {
      context.transactions().openImplicit();
    }
  }

  private Progress run(
      SharedStatement statement, AnalysedStatement analysed, byte[] array, int at, int length)
      throws IOException {
    boolean alone = texts.size() == 1;
    AnalysedStatement whole =
        analysed.hasGeneratedKeys() ? statements.analysed(statement, alone) : analysed;
    if (whole == null) {
      return Progress.QUIET;
    }
    BoundParameters values = new BoundParameters(bind);
    GeneratedKeys generated = statements.keys().instead(whole, values, alone);
    if (generated == null) {
      return run(statement, whole.routed(), array, at, length);
    }
    GeneratedKeys last = statements.keys().last(generated, bind, values, alone);
    if (last == null) {
      return Progress.QUIET;
    }
    replaced = true;
    return run(last.statement(), last.routed(), array, at, length);
  }

  private Progress run(
      SharedStatement statement, RoutedStatement routed, byte[] array, int at, int length)
      throws IOException {
    if (!starter.cursors().finds(routed)) {
      return Progress.QUIET;
    }
    BoundValues values = new BoundParameters(bind);
    Route route = starter.route(statement, routed, values);
    BoundStatement whole = new BoundStatement(statement, routed, bind, false);
    Backend backend = starter.passesThrough(routed, route);
    if (!starter.mayFollow(routed, backend)) {
      return Progress.QUIET;
    }
    traced = starter.trace().bound(statement, routed, bind, route, backend);
    boolean alone = texts.size() == 1;
    StatementStarter.Started started =
        alone && named
            ? starter.shared(whole, route, backend, true)
            : StatementStarter.Started.ALONE;
    if (started.goesAlone() && backend == null) {
      started = starter.onSeveral(whole, route);
    } else if (started.goesAlone()) {
      if (alone && starter.batches(routed, backend)) {
        started = starter.batched(whole, backend, values);
      }
      if (started.goesAlone()) {
        boolean passing = alone && starter.passesBy(routed, route);
        return onNode(whole, backend, passing, array, at, length);
      }
    }
    if (started.progress() == Progress.NEXT) {
      bound = started.execution();
      bound.describe(Execution.Description.COLUMNS);
      return execute();
    }
    return started.progress();
  }

  private Progress execute() throws IOException {
    if (bound.runsQuiet(0) && !context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    Execution execution = bound;
    bound = null;
    Progress progress = execution.execute(0);
    if (progress == Progress.QUIET) {
      bound = execution;
    } else {
      execution.forget();
    }
    starter.trace().planned(traced, progress);
    return progress;
  }

  private Progress onNode(
      BoundStatement whole, Backend backend, boolean passing, byte[] array, int at, int length)
      throws IOException {
    boolean asItIs =
        texts.size() == 1
            && !replaced
            && context.backends().touchesOnly(backend)
            && (context.transactions().state().isOpen()
                ? backend.begun
                : isFirst(whole.routed(), backend));
    if (asItIs) {
      return pass(whole.routed(), backend, array, at, length);
    }
    bound = SingleNodeExecution.bind(context, whole, backend, named, null, passing);
    bound.describe(Execution.Description.COLUMNS);
    return execute();
  }

  /**
   * Nothing goes there before it in the group. From 18 on, a transaction that other messages have
   * begun does not end with a simple query.
   */
  private boolean isFirst(RoutedStatement routed, Backend backend) {
    return !backend.touched && !context.transactions().forgetsNumbers(backend, routed);
  }

  /** The message goes to the node as it is, and its ReadyForQuery ends the group. */
  private Progress pass(RoutedStatement routed, Backend backend, byte[] array, int at, int length) {
    context.transactions().enterOnly(backend, routed, true);
    SingleNodeExecution.remember(context, routed, backend);
    BlindOperation operation = null;
    if (routed.isBlind()) {
      operation = BlindOperation.of(backend.nodeId, routed, bind);
      context.transactions().state().work().operates(operation);
    }
    return pass(backend, operation, array, at, length);
  }

  private Progress pass(
      Backend backend, BlindOperation operation, byte[] array, int at, int length) {
    backend.connection.prepared().dropUnnamed();
    backend.connection.writer().bytes(array, at, length);
    context
        .replies()
        .add(
            operation == null
                ? NodeReply.query(backend.connection)
                : NodeReply.query(backend.connection, operation.sum()));
    starter.trace().planned(traced, Progress.TURN);
    context.backends().untouch(backend);
    return Progress.TURN;
  }

  /** Sends the call to a node. */
  public Progress functionCall(byte[] array, int at, int length) {
    if (context.transactions().state().isFailed()) {
      throw Transactions.aborted();
    }
    // What a function works on, a large object for instance, lies on the first node.
    Backend backend = context.backends().backend(catalogs.current().first());
    context.transactions().state().work().refuse("it calls a function by the fast path");
    if (backend.touched && !context.transactions().state().isOpen()) {
      // As above, but a call has no other form: what comes before it is a transaction of its own.
      context.retry().forbid();
      backend.connection.writer().empty(FrontendType.SYNC);
      context.replies().add(NodeReply.end(backend.connection));
    }
    context.transactions().enterForSession(backend, true);
    traced = null;
    return pass(backend, null, array, at, length);
  }
}
