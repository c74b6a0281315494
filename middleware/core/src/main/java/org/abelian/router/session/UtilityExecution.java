package org.abelian.router.session;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.abelian.router.analysis.SettingFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.RouterWork;
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

  private static final NodeStatement RESET_ALL = NodeStatement.of("RESET ALL");
  private static final Pattern DEALLOCATE =
      Pattern.compile(
          "\\s*DEALLOCATE\\s+(?:PREPARE\\s+)?(?:(\\w+)|\"((?:[^\"]|\"\")+)\")[\\s;]*",
          Pattern.CASE_INSENSITIVE);

  private final Session session;

  UtilityExecution(Session session) {
    this.session = session;
  }

  /** True for commands that the session runs itself. */
  static boolean isForSession(UtilityKind kind) {
    return kind != null && FOR_SESSION.contains(kind);
  }

  Progress run(SharedStatement statement, RoutedStatement routed) throws IOException {
    StatementFacts facts = routed.facts();
    session.notRetryable();
    return switch (facts.utility()) {
      case SET, RESET -> set(statement, facts);
      case DISCARD -> discard(facts.tag());
      case DEALLOCATE -> deallocate(statement.sql());
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

  private Progress answer(String tag) {
    session.replies().add(FixedMessage.tag(tag));
    return Progress.NEXT;
  }

  // ---- settings
  // ----------------------------------------------------------------------------------------------------

  private Progress set(SharedStatement statement, StatementFacts facts) throws IOException {
    if (!session.replies().isEmpty()) {
      return Progress.WAIT;
    }
    String name = settingName(statement.sql(), facts);
    boolean lasting =
        facts.setting() == null || facts.setting().scope() == SettingFacts.Scope.SESSION;
    if (name == null) {
      return resetAll();
    }
    if (name.equals("client_encoding") && facts.setting().value() != null) {
      requireUtf8(facts.setting().value());
    }
    Progress outcome =
        session.transaction().isBlock()
            ? setInBlock(statement, facts, name, lasting)
            : setNow(statement, name, lasting);
    session.groups().settleBeforeNext();
    return outcome;
  }

  /** Statements are analysed, and keys hashed, as UTF-8. */
  static void requireUtf8(String encoding) {
    if (!Encodings.isUtf8(encoding)) {
      throw AbelianException.unsupported(
          "client_encoding " + encoding + " is not supported through the router",
          "Use UTF8 (for libpq: PGCLIENTENCODING=UTF8).");
    }
  }

  /** The name under which the setting is kept; null for RESET ALL. */
  private static String settingName(String sql, StatementFacts facts) {
    if (sql.toLowerCase(Locale.ROOT).matches("(?s)\\s*set\\s+session\\s+characteristics\\b.*")) {
      return SessionSettings.CHARACTERISTICS + " " + sql.strip().toLowerCase(Locale.ROOT);
    }
    SettingFacts setting = facts.setting();
    if (setting == null || setting.name() == null || setting.name().equalsIgnoreCase("all")) {
      return facts.utility() == UtilityKind.RESET ? null : facts.tag();
    }
    return setting.name().toLowerCase(Locale.ROOT);
  }

  private Progress setNow(SharedStatement statement, String name, boolean lasting) {
    Backend backend = session.runner().home();
    session.control().enter(backend, false);
    session.control().inject(backend, statement.statement(), true);
    if (lasting) {
      session
          .replies()
          .add(
              RouterWork.then(
                  () -> {
                    session.settings().apply(name, statement.sql());
                    backend.connection.settingsMark(session.settings().snapshot());
                  }));
    }
    return Progress.NEXT;
  }

  private Progress setInBlock(
      SharedStatement statement, StatementFacts facts, String name, boolean lasting)
      throws IOException {
    List<Backend> begun = session.backends().begun();
    boolean transactionMode =
        facts.setting() != null && facts.setting().scope() == SettingFacts.Scope.TRANSACTION;
    if (begun.isEmpty()) {
      if (!transactionMode) {
        validate(statement);
      }
      session.replies().add(FixedMessage.tag(facts.tag()));
    }
    for (Backend backend : begun) {
      session.control().inject(backend, statement.statement(), backend == begun.get(0));
    }
    String kept = lasting && !transactionMode ? name : "";
    session
        .replies()
        .add(
            RouterWork.then(
                () -> {
                  session.transaction().setting(kept, statement.statement());
                  if (transactionMode && facts.isolation() != null) {
                    session.transaction().isolation(facts.isolation().toLowerCase(Locale.ROOT));
                  }
                }));
    return Progress.NEXT;
  }

  /**
   * No node has joined the transaction yet, and none need join for this: a wrong value shall be
   * told now all the same.
   */
  private void validate(SharedStatement statement) throws IOException {
    Backend backend = session.runner().home();
    session.backends().connect(backend);
    if (backend.touched) {
      return;
    }
    QueryResult result =
        NodeCall.simple(backend.connection, "BEGIN;" + statement.sql() + "\n;ROLLBACK");
    if (!result.succeeded()) {
      NodeCall.simple(backend.connection, "ROLLBACK");
      throw new ClientError(result.errorFields());
    }
  }

  private Progress resetAll() {
    if (session.transaction().isBlock()) {
      throw AbelianException.unsupported(
          "RESET ALL inside a transaction block is not supported through the router",
          "End the transaction first, or RESET single settings.");
    }
    forgetSettings(true);
    return Progress.NEXT;
  }

  private void forgetSettings(boolean showTag) {
    Backend backend = session.runner().home();
    session.control().enter(backend, false);
    session.control().inject(backend, RESET_ALL, showTag);
    session
        .replies()
        .add(
            RouterWork.then(
                () -> {
                  session.settings().clear();
                  backend.connection.settingsMark(null);
                }));
    session.groups().settleBeforeNext();
  }

  // ---- what the session has made
  // -------------------------------------------------------------------------------------

  private Progress discard(String tag) {
    String what = tag.toUpperCase(Locale.ROOT);
    if (what.endsWith("ALL") && session.transaction().isBlock()) {
      throw ClientError.of("25001", "DISCARD ALL cannot run inside a transaction block");
    }
    if (!session.replies().isEmpty()) {
      return Progress.WAIT;
    }
    if (what.endsWith("ALL") || what.contains("TEMP")) {
      session.backends().dropPinned();
      session.runner().seesWhatAllSee();
    }
    if (what.endsWith("ALL")) {
      session.statements().clear();
      session.portals().clear();
      forgetSettings(false);
    }
    return answer(tag);
  }

  private Progress deallocate(String sql) {
    Matcher matcher = DEALLOCATE.matcher(sql);
    if (!matcher.matches()) {
      throw ClientError.of("42601", "syntax error in DEALLOCATE");
    }
    String word = matcher.group(1);
    if (word != null && word.equalsIgnoreCase("all")) {
      session.statements().clear();
      return answer("DEALLOCATE ALL");
    }
    String name =
        word != null ? word.toLowerCase(Locale.ROOT) : matcher.group(2).replace("\"\"", "\"");
    if (!session.statements().remove(name)) {
      throw ClientError.of("26000", "prepared statement \"" + name + "\" does not exist");
    }
    return answer("DEALLOCATE");
  }
}
