package org.abelian.router.frontend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.abelian.router.analysis.PreparedFacts;
import org.abelian.router.analysis.SettingFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.SessionSettings;
import org.abelian.router.backend.SettingsSnapshot;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Encodings;
import org.abelian.router.session.IsolationSettings;
import org.abelian.router.session.Progress;
import org.abelian.router.session.SessionNotifications;
import org.abelian.router.session.TransactionCommands;
import org.abelian.router.session.TransactionState;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.ClientStatements.Signature;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.statement.TransactionCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands that concern the session rather than data: settings, prepared statements, notifications.
 */
public final class SessionCommands {
  private static final Set<UtilityKind> FOR_SESSION =
      EnumSet.of(
          UtilityKind.SET,
          UtilityKind.RESET,
          UtilityKind.DISCARD,
          UtilityKind.PREPARE,
          UtilityKind.DEALLOCATE,
          UtilityKind.LISTEN,
          UtilityKind.UNLISTEN,
          UtilityKind.PREPARE_TRANSACTION,
          UtilityKind.COMMIT_PREPARED,
          UtilityKind.ROLLBACK_PREPARED);

  /**
   * The router itself runs them when they are planned: not before what comes before is answered.
   */
  private static final Set<UtilityKind> AT_ONCE =
      EnumSet.of(
          UtilityKind.LISTEN, UtilityKind.UNLISTEN, UtilityKind.PREPARE, UtilityKind.DEALLOCATE);

  private static final NodeStatement RESET_ALL = NodeStatement.of("RESET ALL");
  private static final Logger LOG = LoggerFactory.getLogger(SessionCommands.class);
  private static final NodeStatement RESET_AUTHORIZATION =
      NodeStatement.of("SET SESSION AUTHORIZATION DEFAULT");

  private final EngineContext context;
  private final SessionSettings settings;
  private final SessionStatements statements;
  private final CatalogStore catalogs;
  private final Portals portals;
  private final NodeCursors cursors;
  private final StatementTrace trace;
  private final TransactionCommands transactions;
  private final SessionNotifications notifications;

  public SessionCommands(
      EngineContext context,
      SessionSettings settings,
      SessionStatements statements,
      CatalogStore catalogs,
      Portals portals,
      NodeCursors cursors,
      StatementTrace trace,
      TransactionCommands transactions,
      SessionNotifications notifications) {
    this.context = context;
    this.settings = settings;
    this.statements = statements;
    this.catalogs = catalogs;
    this.portals = portals;
    this.cursors = cursors;
    this.trace = trace;
    this.transactions = transactions;
    this.notifications = notifications;
  }

  /** True for commands that the session runs itself. */
  public static boolean runs(UtilityKind kind) {
    return kind != null && FOR_SESSION.contains(kind);
  }

  /** Runs a command about transactions, or nothing. */
  public Progress run(SharedStatement statement) {
    if (statement.isBlank()) {
      context.replies().add(FixedMessage.EMPTY_QUERY);
      return Progress.NEXT;
    }
    Progress progress = transactions.run(statement);
    if (statement.command().kind() == TransactionCommand.Kind.ROLLBACK_TO) {
      context.replies().add(RouterWork.then(this::rolledBack));
    } else if (statement.command().kind() == TransactionCommand.Kind.RELEASE) {
      released();
    }
    return progress;
  }

  private void released() {
    portals.released(context.transactions().state().history().size());
    cursors.released(context.transactions().state().history().size());
    notifications.released();
  }

  private void rolledBack() {
    portals.rolledBack(context.transactions().state().history().size());
    cursors.rolledBack(context.transactions().state().history().size());
    notifications.rolledBack();
  }

  /** A node that any statement can go to. */
  public Backend home() {
    return context.backends().home(catalogs.current());
  }

  /** Runs a command about the session. */
  public Progress run(SharedStatement statement, RoutedStatement routed) throws IOException {
    StatementFacts facts = routed.facts();
    context.retry().forbid();
    if (AT_ONCE.contains(facts.command().utility()) && !context.replies().isEmpty()) {
      return Progress.QUIET; // What comes before may fail.
    }
    return switch (facts.command().utility()) {
      case SET, RESET -> set(statement, facts);
      case DISCARD -> discard(statement, facts);
      case DEALLOCATE -> deallocate(facts.command().name());
      case LISTEN, UNLISTEN -> listen(facts);
      case PREPARE -> prepare(statement.sql(), facts);
      default ->
          throw AbelianException.unsupported(
              facts.tag() + " is not supported through the router",
              "The router commits transactions over several nodes by itself: use COMMIT.");
    };
  }

  private Progress listen(StatementFacts facts) {
    if (facts.command().utility() == UtilityKind.LISTEN) {
      notifications.listen(facts.command().name());
    } else {
      notifications.unlisten(facts.command().name());
    }
    return answer(facts.tag());
  }

  private Progress answer(String tag) {
    context.replies().add(FixedMessage.tag(tag));
    return Progress.NEXT;
  }

  // ---- settings
  // ----------------------------------------------------------------------------------------------------

  private Progress set(SharedStatement statement, StatementFacts facts) throws IOException {
    if (!context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    SettingFacts setting = facts.command().setting();
    if (setting == null || setting.name() == null || setting.name().equals("all")) {
      forgetSettings(true);
      return Progress.SETTLE;
    }
    if (setting.name().equals("client_encoding") && setting.value() != null) {
      Encodings.requireUtf8(setting.value());
    }
    if (setting.name().equals("transaction snapshot")) {
      requireOneNode();
    }
    if (!context.group().isOneStatement()) {
      context.transactions().openForSnapshot(); // What comes behind it may be for several nodes.
    }
    NodeStatement effective = effective(statement, facts);
    if (context.transactions().state().isOpen()) {
      joinImplicit(facts);
      setInBlock(effective, facts);
    } else {
      setNow(effective, facts);
    }
    return Progress.SETTLE;
  }

  /**
   * What lasts beyond a transaction that the router has opened must be known when it has ended:
   * some node has to say it.
   */
  private void joinImplicit(StatementFacts facts) {
    boolean lasting = facts.command().setting().scope() == SettingFacts.Scope.SESSION;
    if (lasting && !context.transactions().state().isBlock()) {
      context.transactions().enterForSession(home(), false);
    }
  }

  /** What nodes run: a RESET goes back to what the client asked for when it connected. */
  private NodeStatement effective(SharedStatement statement, StatementFacts facts) {
    boolean resets =
        facts.command().utility() == UtilityKind.RESET || facts.command().setting().toDefault();
    boolean lasting = facts.command().setting().scope() == SettingFacts.Scope.SESSION;
    String asked =
        resets && lasting ? settings.asked().statement(facts.command().setting().name()) : null;
    return asked == null ? statement.statement() : NodeStatement.of(asked);
  }

  /** What a session exports is the snapshot of one node. */
  private void requireOneNode() {
    if (catalogs.current().nodes().size() > 1) {
      throw AbelianException.unsupported(
          "SET TRANSACTION SNAPSHOT is not supported over several nodes",
          "Read everything in one REPEATABLE READ transaction, which has one snapshot of all nodes"
              + " (for pg_dump: without --jobs).");
    }
  }

  private void setNow(NodeStatement statement, StatementFacts facts) {
    Backend backend = home();
    context.transactions().enterForSession(backend, false);
    // Of what is only for a transaction the node says that there is none.
    boolean lasting = facts.command().setting().scope() == SettingFacts.Scope.SESSION;
    context.transactions().inject(backend, statement, !lasting);
    if (lasting) {
      context.replies().add(FixedMessage.tag(facts.tag()));
    }
    context.transactions().askSettings(backend);
  }

  private void setInBlock(NodeStatement statement, StatementFacts facts) throws IOException {
    context.transactions().state().requireRoom(statement);
    SettingFacts setting = facts.command().setting();
    boolean transactionMode = setting.scope() == SettingFacts.Scope.TRANSACTION;
    if (context.transactions().state().isInSavepoint()
        && context.backends().begun().isEmpty()
        && (transactionMode || setting.name().startsWith("transaction_"))) {
      // Behind a savepoint some modes cannot change any more: a node says which.
      context.transactions().enterForSession(home(), false);
    }
    List<Backend> begun = context.backends().begun();
    requireInTime(facts, begun);
    String level = context.transactions().level();
    if (begun.isEmpty() && !transactionMode) {
      validate(statement);
    }
    for (Backend backend : begun) {
      context.transactions().catchUp(backend);
      context.transactions().inject(backend, statement, false);
    }
    context.replies().add(FixedMessage.tag(facts.tag()));
    context.transactions().expectSettings();
    context
        .replies()
        .add(
            RouterWork.then(
                () -> {
                  SettingFacts set = facts.command().setting();
                  trace.set(set);
                  TransactionState state = context.transactions().state();
                  state.setting(set.name(), set.value(), statement);
                  begun.forEach(backend -> backend.told = state.history().size());
                  if (transactionMode && facts.command().isolation() != null) {
                    state.isolation(facts.command().isolation().toLowerCase(Locale.ROOT));
                    context.transactions().levelChanged(level);
                  }
                }));
  }

  /** What decides about the snapshot comes before it, as in PostgreSQL. */
  private void requireInTime(StatementFacts facts, List<Backend> begun) {
    context.transactions().requireInTime(facts.command().isolation());
    boolean distributed =
        facts.command().setting().name().equals(IsolationSettings.DISTRIBUTED_ISOLATION);
    if (distributed && !begun.isEmpty() && context.transactions().readsFromOneSnapshot()) {
      throw ClientError.of(
          "25001",
          IsolationSettings.DISTRIBUTED_ISOLATION
              + " must be set before any query of a transaction above READ COMMITTED");
    }
  }

  /**
   * No node has joined the transaction yet, and none need join for this: a wrong value shall be
   * told now all the same.
   */
  private void validate(NodeStatement statement) throws IOException {
    Backend backend = home();
    context.backends().connect(backend);
    if (backend.touched) {
      return;
    }
    StringBuilder text = new StringBuilder("BEGIN");
    for (TransactionState.Entry entry : context.transactions().state().history()) {
      if (entry.savepoint() == null) { // The role, for one, may decide what may be set.
        text.append('\n').append(';').append(entry.statement().sql());
      }
    }
    text.append('\n').append(';').append(statement.sql()).append("\n;ROLLBACK");
    QueryResult result = NodeCall.simple(backend.connection, text.toString());
    if (!result.succeeded()) {
      NodeCall.simple(backend.connection, "ROLLBACK");
      throw new ClientError(result.errorFields());
    }
  }

  private void forgetSettings(boolean showTag) {
    Backend backend = home();
    context.transactions().enterForSession(backend, false);
    if (!showTag) {
      // DISCARD ALL does that, RESET ALL does not.
      context.transactions().inject(backend, RESET_AUTHORIZATION, false);
    }
    context.transactions().inject(backend, RESET_ALL, showTag);
    for (String asked : settings.asked().statements()) {
      context.transactions().inject(backend, NodeStatement.of(asked), false);
    }
    context.transactions().askSettings(backend);
    context
        .replies()
        .add(RouterWork.then(() -> backend.connection.settingsMark(SettingsSnapshot.UNKNOWN)));
  }

  // ---- what the session has made
  // -------------------------------------------------------------------------------------

  /**
   * Closes the connections that hold state of the session's own. Locks and temporary objects are
   * gone when that is answered: a node notices later that a connection is closed.
   */
  private void discardAtNodes() throws IOException {
    for (Backend backend : List.copyOf(context.backends().held())) {
      if (!backend.isOwn() || backend.begun) {
        continue;
      }
      if (backend.isUsable() && !backend.touched) {
        try {
          NodeCall.simple(backend.connection, "DISCARD ALL");
        } catch (NodeLostException gone) {
          LOG.debug("{} discards it by itself: {}", backend, gone.getMessage());
        }
      }
      context.backends().drop(backend); // What the router knows of it is not true any more.
    }
  }

  private Progress discard(SharedStatement statement, StatementFacts facts) throws IOException {
    boolean all = facts.command().outsideTransaction();
    if (all && context.transactions().state().isBlock()) {
      throw ClientError.of("25001", facts.tag() + " cannot run inside a transaction block");
    }
    if (!context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    if (facts.tag().equals("DISCARD TEMP")) {
      return discardTemporary(statement.statement());
    }
    if (all || facts.tag().equals("DISCARD SEQUENCES")) {
      context.transactions().draws().forget();
    }
    if (all) {
      discardAtNodes();
      context.scope().seesWhatAllSee();
      statements.named().clear();
      portals.clear();
      cursors.clear();
      notifications.clear();
      forgetSettings(false);
    }
    answer(facts.tag());
    return Progress.SETTLE;
  }

  /** Temporary objects are on the first node; in a block, ROLLBACK brings them back. */
  private Progress discardTemporary(NodeStatement statement) {
    Backend backend = home();
    context.transactions().enterForSession(backend, false);
    backend.unpreparable |= context.scope().hasTemporaryObjects();
    context.transactions().inject(backend, statement, true);
    context.replies().add(RouterWork.then(context.scope()::seesTemporaryObjects));
    return Progress.SETTLE;
  }

  /** As a Parse with that name does it. */
  private Progress prepare(String sql, StatementFacts facts) throws IOException {
    if (facts.command().prepared().prepares() == null) {
      throw AbelianException.unsupported(
          "PREPARE is not supported while a node runs an older version of the extension",
          "Update the extension on all nodes.");
    }
    byte[] name = facts.command().name().getBytes(StandardCharsets.UTF_8);
    String text = facts.command().prepared().prepares().of(sql);
    PreparedFacts prepared = facts.command().prepared();
    SessionStatements.requireTypes(prepared.innerParameters());
    SharedStatement statement =
        statements.intern(NodeStatement.of(text, prepared.innerParameters()).body());
    AnalysedStatement analysed = statements.analysed(statement);
    if (analysed == null) {
      return Progress.QUIET;
    }
    Signature now = statements.signature(statement, analysed.routed().facts());
    Signature signature =
        new Signature(null, prepared.innerResult(), now.settled(), now.literals());
    statements.named().define(name, 0, name.length, statement, sql, signature);
    return answer("PREPARE");
  }

  /**
   * Forgets a prepared statement.
   *
   * @param name null for all of them
   */
  private Progress deallocate(String name) {
    if (name == null) {
      statements.named().clear();
      return answer("DEALLOCATE ALL");
    }
    if (!statements.named().remove(name)) {
      throw ClientError.of("26000", "prepared statement \"" + name + "\" does not exist");
    }
    return answer("DEALLOCATE");
  }
}
