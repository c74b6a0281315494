package org.abelian.router.session;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.abelian.router.analysis.SettingFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.Action;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Encodings;

/**
 * Commands that concern the session rather than data: settings, prepared statements, notifications.
 */
final class UtilityExecution {
  private static final Set<UtilityKind> FOR_SESSION =
      EnumSet.of(
          UtilityKind.SET,
          UtilityKind.RESET,
          UtilityKind.DISCARD,
          UtilityKind.PREPARE,
          UtilityKind.EXECUTE,
          UtilityKind.DEALLOCATE,
          UtilityKind.LISTEN,
          UtilityKind.UNLISTEN,
          UtilityKind.PREPARE_TRANSACTION,
          UtilityKind.COMMIT_PREPARED,
          UtilityKind.ROLLBACK_PREPARED);

  private static final NodeStatement RESET_AUTHORIZATION =
      NodeStatement.of("SET SESSION AUTHORIZATION DEFAULT");

  private static final NodeStatement RESET_ALL = NodeStatement.of("RESET ALL");
  private final Session session;

  UtilityExecution(Session session) {
    this.session = session;
  }

  /** True for commands that the session runs itself. */
  static boolean isForSession(UtilityKind kind) {
    return kind != null && FOR_SESSION.contains(kind);
  }

  Outcome run(SharedStatement statement, RoutedStatement routed) throws IOException {
    StatementFacts facts = routed.facts();
    session.notRetryable();
    return switch (facts.utility()) {
      case SET, RESET -> set(statement, facts);
      case DISCARD -> discard(facts.tag());
      case DEALLOCATE -> deallocate(facts.name());
      case UNLISTEN -> answer("UNLISTEN");
      case LISTEN ->
          throw AbelianException.unsupported(
              "LISTEN is not supported through the router", "Listen on a connection to a node.");
      case PREPARE, EXECUTE ->
          throw AbelianException.unsupported(
              facts.tag() + " as a statement is not supported through the router",
              "Use the prepared statements of the client library, which the router supports.");
      default ->
          throw AbelianException.unsupported(
              facts.tag() + " is not supported through the router",
              "The router commits transactions over several nodes by itself: use COMMIT.");
    };
  }

  private Outcome answer(String tag) {
    session.plan().add(FixedMessage.tag(tag));
    return Outcome.NEXT;
  }

  // ---- settings
  // ----------------------------------------------------------------------------------------------------

  private Outcome set(SharedStatement statement, StatementFacts facts) throws IOException {
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
    }
    SettingFacts setting = facts.setting();
    if (setting == null || setting.name() == null || setting.name().equals("all")) {
      return resetAll();
    }
    if (setting.name().equals("client_encoding") && setting.value() != null) {
      requireUtf8(setting.value());
    }
    NodeStatement effective = effective(statement, facts);
    Outcome outcome =
        session.transaction().isBlock() ? setInBlock(effective, facts) : setNow(effective, facts);
    session.groups().settleBeforeNext();
    return outcome;
  }

  /** What nodes run: a RESET goes back to what the client asked for when it connected. */
  private NodeStatement effective(SharedStatement statement, StatementFacts facts) {
    boolean resets = facts.utility() == UtilityKind.RESET || facts.setting().toDefault();
    boolean lasting = facts.setting().scope() == SettingFacts.Scope.SESSION;
    String asked =
        resets && lasting ? session.settings().asked().statement(facts.setting().name()) : null;
    return asked == null ? statement.statement() : NodeStatement.of(asked);
  }

  /** Statements are analysed, and keys hashed, as UTF-8. */
  static void requireUtf8(String encoding) {
    if (!Encodings.isUtf8(encoding)) {
      throw AbelianException.unsupported(
          "client_encoding " + encoding + " is not supported through the router",
          "Use UTF8 (for libpq: PGCLIENTENCODING=UTF8).");
    }
  }

  private Outcome setNow(NodeStatement statement, StatementFacts facts) {
    Link link = session.runner().home();
    session.control().enter(link, false);
    session.control().inject(link, statement, false);
    session.plan().add(FixedMessage.tag(facts.tag()));
    session.watch().ask(link);
    return Outcome.NEXT;
  }

  private Outcome setInBlock(NodeStatement statement, StatementFacts facts) throws IOException {
    List<Link> begun = session.links().begun();
    boolean transactionMode = facts.setting().scope() == SettingFacts.Scope.TRANSACTION;
    if (begun.isEmpty()) {
      if (!transactionMode) {
        validate(statement);
      }
    }
    for (Link link : begun) {
      session.control().catchUp(link);
      session.control().inject(link, statement, false);
    }
    session.plan().add(FixedMessage.tag(facts.tag()));
    session.watch().expect();
    session
        .plan()
        .add(
            Action.then(
                () -> {
                  session.transaction().setting(List.of(facts.setting().name()), statement);
                  begun.forEach(link -> link.told = session.transaction().history().size());
                  if (transactionMode && facts.isolation() != null) {
                    session.transaction().isolation(facts.isolation().toLowerCase(Locale.ROOT));
                  }
                }));
    return Outcome.NEXT;
  }

  /**
   * No node has joined the transaction yet, and none need join for this: a wrong value shall be
   * told now all the same.
   */
  private void validate(NodeStatement statement) throws IOException {
    Link link = session.runner().home();
    session.links().connect(link);
    if (link.touched) {
      return;
    }
    QueryResult result =
        NodeCall.simple(link.connection, "BEGIN;" + statement.sql() + "\n;ROLLBACK");
    if (!result.succeeded()) {
      NodeCall.simple(link.connection, "ROLLBACK");
      throw new Failure(result.errorFields());
    }
  }

  private Outcome resetAll() {
    if (session.transaction().isBlock()) {
      throw AbelianException.unsupported(
          "RESET ALL inside a transaction block is not supported through the router",
          "End the transaction first, or RESET single settings.");
    }
    forgetSettings(true);
    return Outcome.NEXT;
  }

  private void forgetSettings(boolean showTag) {
    Link link = session.runner().home();
    session.control().enter(link, false);
    if (!showTag) {
      // DISCARD ALL does that, RESET ALL does not.
      session.control().inject(link, RESET_AUTHORIZATION, false);
    }
    session.control().inject(link, RESET_ALL, showTag);
    for (String asked : session.settings().asked().statements()) {
      session.control().inject(link, NodeStatement.of(asked), false);
    }
    session.watch().ask(link);
    session.plan().add(Action.then(() -> link.connection.settingsMark(SettingsSnapshot.UNKNOWN)));
  }

  // ---- what the session has made
  // -------------------------------------------------------------------------------------

  private Outcome discard(String tag) {
    String what = tag.toUpperCase(Locale.ROOT);
    if (what.endsWith("ALL") && session.transaction().isBlock()) {
      throw Failure.of("25001", "DISCARD ALL cannot run inside a transaction block");
    }
    if (!session.plan().isEmpty()) {
      return Outcome.WAIT;
    }
    if (what.endsWith("ALL") || what.contains("TEMP")) {
      session.links().dropPinned();
      session.runner().seesWhatAllSee();
    }
    if (what.endsWith("ALL")) {
      session.statements().clear();
      session.portals().clear();
      forgetSettings(false);
    }
    return answer(tag);
  }

  /**
   * Forgets a prepared statement.
   *
   * @param name null for all of them
   */
  private Outcome deallocate(String name) {
    if (name == null) {
      session.statements().clear();
      return answer("DEALLOCATE ALL");
    }
    if (!session.statements().remove(name)) {
      throw Failure.of("26000", "prepared statement \"" + name + "\" does not exist");
    }
    return answer("DEALLOCATE");
  }
}
