package org.abelian.router.session;

import java.util.List;
import java.util.function.Supplier;
import org.abelian.router.backend.Backend;
import org.abelian.router.backend.BackendSession;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.statement.SharedStatement;
import org.abelian.router.statement.TransactionCommand;

/** What BEGIN, COMMIT, ROLLBACK, SAVEPOINT and their like do, on all nodes of a transaction. */
public final class TransactionCommands {
  private static final FixedMessage BEGIN_TAG = FixedMessage.tag("BEGIN");
  private static final FixedMessage START_TAG = FixedMessage.tag("START TRANSACTION");
  private static final String ROLLBACK = "ROLLBACK";

  private final Transactions joined;
  private final TransactionState state;
  private final BackendSession backends;
  private final ReplyQueue replies;
  private final SettingsWatch watch;
  private final TransactionEnding ending;
  private final GroupRetry retry;
  private final Supplier<Backend> home;

  /**
   * Runs none yet.
   *
   * @param joined has nodes take part in the transaction
   * @param home gives the backend for what needs any
   */
  public TransactionCommands(
      Transactions joined,
      BackendSession backends,
      ReplyQueue replies,
      SettingsWatch watch,
      GroupRetry retry,
      Supplier<Backend> home) {
    this.joined = joined;
    this.state = joined.state();
    this.backends = backends;
    this.replies = replies;
    this.watch = watch;
    this.ending = joined.ending();
    this.retry = retry;
    this.home = home;
  }

  /** Runs one. */
  public Progress run(SharedStatement statement) {
    TransactionCommand command = statement.command();
    if (state.isFailed()
        && command.kind() != TransactionCommand.Kind.COMMIT
        && command.kind() != TransactionCommand.Kind.ROLLBACK
        && command.kind() != TransactionCommand.Kind.ROLLBACK_TO) {
      throw Transactions.aborted();
    }
    return switch (command.kind()) {
      case BEGIN -> begin(statement, command);
      case COMMIT, ROLLBACK -> end(statement, command);
      case SAVEPOINT, RELEASE, ROLLBACK_TO -> savepoint(statement, command);
    };
  }

  private Progress begin(SharedStatement statement, TransactionCommand command) {
    if (state.isBlock()) {
      warn("25001", "there is already a transaction in progress");
      if (command.modes()) {
        setModes(statement, command);
      }
    } else if (state.isOpen()) {
      adopt(statement, command);
    } else {
      state.beginBlock(statement.statement(), command.isolation());
      state.beginAnswered(false);
      joined.joinTouched();
    }
    replies.add(command.word().equals("start") ? START_TAG : BEGIN_TAG);
    replies.add(RouterWork.then(() -> state.beginAnswered(true)));
    return Progress.NEXT;
  }

  /** Nodes that have begun are told of the modes, and refuse those that come too late. */
  private void adopt(SharedStatement statement, TransactionCommand command) {
    state.beginAnswered(false);
    String before = joined.level();
    if (!command.modes()) {
      state.adopt();
      return;
    }
    List<Backend> begun = tellModes(statement);
    state.adopt(statement.statement(), command.isolation());
    begun.forEach(backend -> backend.told = state.history().size());
    replies.add(RouterWork.then(() -> joined.levelChanged(before)));
  }

  /** A BEGIN in a block begins nothing, but sets the modes that it names. */
  private void setModes(SharedStatement statement, TransactionCommand command) {
    joined.requireInTime(command.isolation());
    String before = joined.level();
    List<Backend> begun = tellModes(statement);
    state.modes(statement.statement(), command.isolation());
    begun.forEach(backend -> backend.told = state.history().size());
    replies.add(RouterWork.then(() -> joined.levelChanged(before)));
  }

  private List<Backend> tellModes(SharedStatement statement) {
    List<Backend> begun = backends.begun();
    for (Backend backend : begun) {
      joined.catchUp(backend);
      joined.inject(backend, statement.statement(), false);
    }
    return begun;
  }

  private void warn(String sqlState, String message) {
    ErrorFields notice = ErrorFields.of("WARNING", sqlState, message);
    replies.add(RouterWork.then(() -> replies.output().notice(notice)));
  }

  private Progress end(SharedStatement statement, TransactionCommand command) {
    boolean commit = command.kind() == TransactionCommand.Kind.COMMIT;
    if (!state.isBlock()) {
      return endWithoutBlock(statement, command, commit);
    }
    boolean reallyCommit = commit && !state.isFailed();
    if (reallyCommit && backends.firstBegun() == null && state.changesSettings()) {
      joined.enter(
          home.get(), false); // Nothing has needed a node yet: one has to say what is set now.
    }
    Backend only = backends.begunCount() == 1 ? backends.firstBegun() : null;
    boolean alone = only != null && only.isUsable() && !command.chain();
    // Who listens from the end of the transaction on is told before it commits.
    if (alone && reallyCommit == commit && !(commit && state.isListening())) {
      state.ending();
      retry.forbid();
      backends.touch(only);
      joined.inject(only, statement.statement(), true);
      watch.askBeforeEnd(only);
      replies.add(RouterWork.then(() -> ending.ended(reallyCommit)));
      return Progress.SETTLE;
    }
    if (!replies.isEmpty()) {
      return Progress.QUIET;
    }
    retry.forbid();
    NodeStatement begin = state.beginStatement();
    String isolation = state.isolation();
    List<TransactionState.Entry> modes = state.modes();
    if (!reallyCommit) {
      ending.rollbackAll();
    }
    boolean committed = reallyCommit && ending.commitAll();
    replies.output().commandComplete(committed ? "COMMIT" : ROLLBACK);
    if (command.chain()) {
      state.beginBlock(begin, isolation);
      state.restore(modes);
      state.beginAnswered(true);
    }
    return Progress.NEXT;
  }

  /**
   * COMMIT and ROLLBACK without BEGIN warn, and end what the statements before them in the same
   * group of messages have begun.
   */
  private Progress endWithoutBlock(
      SharedStatement statement, TransactionCommand command, boolean commit) {
    String tag = commit ? "COMMIT" : ROLLBACK;
    if (command.chain()) {
      throw ClientError.of("25P01", tag + " AND CHAIN can only be used in transaction blocks");
    }
    List<Backend> touched = backends.unfinished();
    if (touched.isEmpty() && !state.isOpen()) {
      if (!replies.isEmpty()) {
        return Progress.QUIET; // What is planned behind it must not be taken for ended.
      }
      warn("25P01", "there is no transaction in progress");
      replies.add(FixedMessage.tag(tag));
      ending.endedWithoutBlock(commit);
      return Progress.NEXT;
    }
    retry.forbid();
    if (!state.isOpen()) {
      for (Backend backend : touched) {
        joined.inject(backend, statement.statement(), backend == touched.get(0));
      }
      replies.add(RouterWork.then(() -> ending.endedWithoutBlock(commit)));
      return Progress.SETTLE;
    }
    if (!replies.isEmpty()) {
      return Progress.QUIET;
    }
    replies
        .output()
        .notice(ErrorFields.of("WARNING", "25P01", "there is no transaction in progress"));
    if (commit) {
      joined.commitImplicit();
    } else {
      ending.rollbackAll();
    }
    replies.output().commandComplete(tag);
    return Progress.NEXT;
  }

  private Progress savepoint(SharedStatement statement, TransactionCommand command) {
    if (!state.isBlock()) {
      String name =
          command.kind() == TransactionCommand.Kind.SAVEPOINT ? "SAVEPOINT" : "RELEASE SAVEPOINT";
      throw ClientError.of(
          "25P01",
          (command.kind() == TransactionCommand.Kind.ROLLBACK_TO ? "ROLLBACK TO SAVEPOINT" : name)
              + " can only be used in transaction blocks");
    }
    if (command.kind() != TransactionCommand.Kind.SAVEPOINT && !replies.isEmpty()) {
      return Progress.QUIET; // What comes before may fail, of which only one node knows.
    }
    if (command.kind() != TransactionCommand.Kind.SAVEPOINT
        && !state.hasSavepoint(command.savepoint())) {
      throw ClientError.of("3B001", "savepoint \"" + command.savepoint() + "\" does not exist");
    }
    if (command.kind() == TransactionCommand.Kind.SAVEPOINT) {
      state.requireRoom(statement.statement());
      if (state.lacksSnapshot()) {
        replies.apart(joined::takeSnapshot); // Inside, modes could not be told any more.
      }
    }
    if (command.kind() != TransactionCommand.Kind.SAVEPOINT) {
      retry.forbid(); // The history is not what it was when the group began.
    }
    List<Backend> begun = backends.begun();
    boolean first = true;
    for (Backend backend : begun) {
      if (!backend.isUsable()) {
        throw new AbelianException(
            SqlState.CONNECTION_FAILURE,
            "the connection to " + backend + " was lost",
            "ROLLBACK the transaction.");
      }
      joined.catchUp(backend);
      joined.inject(backend, statement.statement(), first);
      first = false;
    }
    if (begun.isEmpty()) {
      replies.add(FixedMessage.tag(savepointTag(command.kind())));
    }
    switch (command.kind()) {
      case SAVEPOINT -> {
        state.savepoint(command.savepoint(), statement.statement());
        joined.savepointBegins();
      }
      case RELEASE -> state.release(command.savepoint());
      default -> {
        replies.add(RouterWork.then(() -> state.rollbackTo(command.savepoint())));
        replies.add(RouterWork.then(this::allTold));
        replies.add(RouterWork.then(joined::wentBack));
        watch.expect();
        allTold();
        return Progress.SETTLE;
      }
    }
    allTold();
    return Progress.NEXT;
  }

  private static String savepointTag(TransactionCommand.Kind kind) {
    return switch (kind) {
      case SAVEPOINT -> "SAVEPOINT";
      case RELEASE -> "RELEASE";
      default -> ROLLBACK;
    };
  }

  /** Its nodes have been told all of the transaction's history, or have gone back with it. */
  private void allTold() {
    backends.begun().forEach(backend -> backend.told = state.history().size());
  }
}
