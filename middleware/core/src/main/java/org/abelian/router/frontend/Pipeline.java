package org.abelian.router.frontend;

import java.io.IOException;
import java.util.List;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.ClientInput;
import org.abelian.router.execution.FlowWindow;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendMessages;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.MalformedMessageException;
import org.abelian.router.session.Progress;
import org.abelian.router.session.SessionErrors;
import org.abelian.router.statement.ClientStatements;

/**
 * Cuts what a client has sent into groups and plans each: a group ends with Sync, or is a simple
 * query. Its bytes are kept until it is answered, so that it can be run again.
 */
public final class Pipeline {
  /** A group larger than this is planned before its end has come. */
  private static final int LARGEST_GROUP = 8 << 20;

  /** What is planned of such a group is not kept beyond this, so that it cannot be run again. */
  private static final int LARGEST_KEPT = 1 << 20;

  /** The same while memory is scarce. */
  private static final int LARGEST_GROUP_WHEN_TIGHT = 1 << 16;

  private static final int LARGEST_IDLE_BUFFER = 1 << 16;

  /** What happens where groups begin and end. */
  public interface Listener {
    /** A group begins. */
    void groupBegins();

    /** All of it is answered; what is open beyond it stays. */
    void groupEnds(boolean failed);

    /** It will be run again: nothing of it is kept. */
    void groupRunsAgain();

    /** It is over, or will be run again. */
    void groupIsOver();

    /** The client takes its leave. */
    void terminate();
  }

  private final ClientInput client;
  private final ByteQueue input;
  private final EngineContext context;
  private final ReplyQueue replies;
  private final SessionErrors errors;
  private final ExtendedProtocol extended;
  private final SimpleProtocol simple;
  private final Listener listener;
  private final CopyAhead ahead;

  /** How much of the input is planned; it stays there until its group is answered. */
  private int planned;

  /** How much of the input was searched for the end of a group. */
  private int searched;

  /** How many statements the group runs, as far as it was searched. */
  private int executes;

  /** The type of the last message that was searched. */
  private byte last;

  /** Bytes before {@link #searched} that nobody has searched for a COPY FROM STDIN. */
  private int unsearched;

  /** The group may run a COPY FROM STDIN. */
  private boolean copies;

  /** The message behind what is planned was found sound; it may be looked at many times. */
  private boolean checked;

  private boolean groupEnds;
  private boolean inGroup;

  /** The beginning of the group is answered and not kept any more. */
  private boolean begun;

  private boolean simpleGroup;
  private boolean skipping;

  /**
   * The client seems to wait for answers to what it has sent, although it has not asked for them.
   */
  private boolean hurried;

  /** What comes next waits until all is answered; a Sync does not. */
  private boolean settling;

  /** As above, a Sync too. */
  private boolean blocked;

  private boolean synced;

  /**
   * After COPY in the extended protocol a client sends a second Sync, since servers ignore the one
   * before the data.
   */
  private boolean surplusSync;

  public Pipeline(
      ClientInput client,
      EngineContext context,
      SessionErrors errors,
      ExtendedProtocol extended,
      SimpleProtocol simple,
      ClientStatements statements,
      Portals portals,
      Listener listener) {
    this.client = client;
    this.input = client.queue();
    this.context = context;
    this.replies = context.replies();
    this.errors = errors;
    this.extended = extended;
    this.simple = simple;
    this.listener = listener;
    ahead = new CopyAhead(input, statements, portals);
  }

  /** True while a group is planned or answered. */
  public boolean isInGroup() {
    return inGroup;
  }

  /** True when the client has sent messages that wait for the end of their group. */
  public boolean isWaiting() {
    return !groupEnds && searched > planned;
  }

  /**
   * Has them planned and answered as if there was a Flush behind them. PostgreSQL tells errors at
   * once, and answers when there are many; a client may wait for them.
   */
  public void hurry() {
    hurried = true;
  }

  /**
   * Plans what the client has sent.
   *
   * @return false when nothing can be planned before it sends more
   */
  public boolean dispatch() throws IOException {
    if (surplusSync && !inGroup && input.hasFrame()) {
      surplusSync = false;
      if (input.array()[input.start()] == FrontendType.SYNC) {
        input.consume(input.frameAt(input.start()));
        return true;
      }
    }
    if (!groupIsThere()) {
      return runsAgainBeforeItsEnd();
    }
    if (!inGroup) {
      inGroup = true;
      replies.beginGroup();
      listener.groupBegins();
    }
    forgetAnswered();
    for (; ; ) {
      skipping |= replies.failed(); // Also of what a message before this one had answered first.
      int at = input.start() + planned;
      int length = input.frameAt(at);
      if (length == 0) {
        // More of the group is still to come; until then no node sends what it has not been asked.
        hurried = false;
        context.backends().requestAnswers();
        return !replies.isEmpty() || runsAgainBeforeItsEnd();
      }
      byte type = ClientInput.type(input.array(), at);
      if (isCopied(type) && !skipping && !replies.isEmpty()) {
        context.backends().requestAnswers();
        return true; // Those may be of a COPY that takes it.
      }
      if (mustSkip(type)) {
        advance(length);
        if (skipping) {
          errors.skipped();
        }
        continue;
      }
      if (mustWait(type) || dependsOnEarlier(type) || FlowWindow.comesFirst(replies, length)) {
        context.backends().requestAnswers();
        return true;
      }
      settling = false;
      blocked = false;
      switch (handleSafely(type, at, length)) {
        case NEXT -> {
          advance(length);
          if (FlowWindow.isFull(replies, context.backends().unsent())) {
            context.backends().requestAnswers();
            return true;
          }
        }
        case SETTLE -> {
          advance(length);
          settling = true;
        }
        case BARRIER -> {
          advance(length);
          blocked = true;
        }
        case TURN -> {
          advance(length);
          context.backends().flush();
          return true;
        }
        case QUIET -> {
          context.backends().requestAnswers();
          return true;
        }
      }
    }
  }

  /** A message is planned; the next one comes. */
  private void advance(int length) {
    planned += length;
    checked = false;
  }

  /**
   * The client waits for what it has asked for with a Flush, and that is to be run again: its Sync
   * may come only after the answer.
   */
  private boolean runsAgainBeforeItsEnd() throws IOException {
    if (!inGroup || !replies.isEmpty() || !context.retry().isWanted()) {
      return false;
    }
    syncTouched();
    context.backends().flush();
    return true;
  }

  private boolean mustWait(byte type) {
    return (blocked || settling && type != FrontendType.SYNC) && !replies.isEmpty();
  }

  /**
   * True when earlier messages of the group must be answered first: a node that answers one of them
   * with an error skips a query as it skips everything up to a Sync, and so does the session then.
   */
  private boolean dependsOnEarlier(byte type) {
    boolean syncs = type == FrontendType.QUERY || type == FrontendType.FUNCTION_CALL;
    return syncs && !replies.isEmpty();
  }

  /** A long group's beginning need not be kept when it cannot be run again. */
  private void forgetAnswered() {
    if (planned > LARGEST_KEPT && replies.isEmpty() && !context.retry().isWanted()) {
      context.retry().forbid();
      input.consume(planned);
      searched -= planned;
      planned = 0;
      begun = true;
    }
  }

  private boolean mustSkip(byte type) {
    if (isCopied(type)) {
      return true; // What the client sent before it learnt that its COPY had failed.
    }
    return skipping
        && type != FrontendType.SYNC
        && type != FrontendType.TERMINATE
        && type != ClientInput.VIOLATION
        && !(type == FrontendType.QUERY && simple.isRunning());
  }

  private static boolean isCopied(byte type) {
    return type == FrontendType.COPY_DATA
        || type == FrontendType.COPY_DONE
        || type == FrontendType.COPY_FAIL;
  }

  /** True when a whole group, or too much of one, has come. */
  private boolean groupIsThere() {
    while (!groupEnds) {
      int at = input.start() + searched;
      int length = input.frameAt(at);
      if (length == 0) {
        return planned < searched
            && (hurried || searched - planned > largestGroup() || waitsForCopy());
      }
      last = ClientInput.type(input.array(), at);
      searched += length;
      unsearched += length;
      executes += last == FrontendType.EXECUTE ? 1 : 0;
      groupEnds =
          last != FrontendType.PARSE
              && last != FrontendType.BIND
              && last != FrontendType.DESCRIBE
              && last != FrontendType.EXECUTE
              && last != FrontendType.CLOSE;
    }
    return true;
  }

  /**
   * True when the client may have run a COPY FROM STDIN: then it sends no more before that is
   * answered, with which no node waits for a Flush or Sync.
   */
  private boolean waitsForCopy() {
    if (last != FrontendType.EXECUTE) {
      return false;
    }
    int from = Math.max(planned, searched - unsearched);
    copies = copies || ahead.isIn(input.start() + from, input.start() + searched);
    unsearched = 0;
    return copies;
  }

  private int largestGroup() {
    return context.memory().isTight() ? LARGEST_GROUP_WHEN_TIGHT : LARGEST_GROUP;
  }

  private Progress handleSafely(byte type, int at, int length) throws IOException {
    try {
      if (!checked) {
        FrontendMessages.check(input.array(), at, length);
        checked = true;
      }
      return handle(type, at, length);
    } catch (ClientError failure) {
      return fail(type, failure.fields());
    } catch (AbelianException error) {
      return fail(type, ClientError.fields(error));
    } catch (MalformedMessageException malformed) {
      return fail(type, SessionErrors.malformed(malformed));
    } catch (NodeLostException lost) {
      return fail(type, SessionErrors.connectionLost(lost));
    }
  }

  /** The client gets the error in its turn; the rest of its group is skipped. */
  private Progress fail(byte type, ErrorFields error) {
    context.transactions().failGroup();
    replies.add(
        RouterWork.then(
            () -> {
              errors.requestFailed(error);
              replies.fail();
            }));
    skipping = true;
    boolean ends =
        type == FrontendType.QUERY
            || type == FrontendType.FUNCTION_CALL
            || type == FrontendType.SYNC;
    if (ends) {
      simple.end();
      return sync();
    }
    return Progress.NEXT;
  }

  private Progress handle(byte type, int at, int length) throws IOException {
    byte[] array = input.array();
    if (array[at] == ClientInput.REFUSED) {
      throw ClientInput.refusal();
    }
    if (context.transactions().awaitsSnapshot() && type != FrontendType.SYNC) {
      if (!replies.isEmpty()) {
        return Progress.QUIET;
      }
      context.transactions().takeSnapshot();
    }
    return switch (type) {
      case FrontendType.PARSE -> extended.parse(array, at, length);
      case FrontendType.BIND -> extended.bind(array, at, length);
      case FrontendType.DESCRIBE -> extended.describe(array, at, length);
      case FrontendType.EXECUTE -> extended.execute(array, at, length);
      case FrontendType.CLOSE -> extended.close(array, at, length);
      case FrontendType.SYNC -> sync();
      case FrontendType.FLUSH -> {
        context.backends().requestAnswers();
        yield flushed();
      }
      case FrontendType.QUERY -> {
        simpleGroup = true;
        yield ended(simple.query(array, at, length));
      }
      case FrontendType.FUNCTION_CALL -> ended(simple.functionCall(array, at, length));
      case FrontendType.TERMINATE -> {
        listener.terminate();
        yield Progress.TURN;
      }
      default -> {
        if (replies.isEmpty()) {
          throw client.violation();
        }
        yield Progress.QUIET;
      }
    };
  }

  /** A simple query is a group of its own. */
  private Progress ended(Progress query) {
    return switch (query) {
      case NEXT -> sync();
      case TURN -> syncTouched();
      default -> Progress.QUIET;
    };
  }

  /** Everything before the Flush is to be answered; the group goes on. */
  private Progress flushed() {
    groupEnds = false;
    return Progress.TURN;
  }

  /**
   * Ends the group: each node gets a Sync, and when all have answered, the client gets
   * ReadyForQuery.
   */
  private Progress sync() {
    synced = true;
    if (!skipping) {
      context.transactions().voteEarly();
    }
    return syncTouched();
  }

  /** The same, after the nodes that have got their end of the group in another way. */
  private Progress syncTouched() {
    List<Backend> touched = context.backends().touched();
    for (int i = 0; i < touched.size(); i++) { // Without an iterator: every statement is here.
      Backend backend = touched.get(i);
      if (backend.connection != null) {
        context.backends().sync(backend);
        replies.add(NodeReply.sync(backend.connection));
      }
    }
    context.backends().untouch();
    replies.add(RouterWork.always(this::endGroup));
    return Progress.TURN;
  }

  private void endGroup() {
    if (!context.retry().isWanted()) {
      endTransaction(); // Its commit, too, may meet a newer placement.
    }
    if (context.retry().isWanted()) {
      runAgain();
      return;
    }
    context.retry().over();
    replies.output().readyForQuery(context.transactions().state().status());
    input.consume(planned);
    if (input.isEmpty()) {
      input.clear(LARGEST_IDLE_BUFFER);
    }
    planned = 0;
    searched = 0;
    resetGroup();
  }

  private void runAgain() {
    planned = 0;
    searched = 0;
    listener.groupRunsAgain();
    context.retry().again();
    context.transactions().noticeSettings();
    resetGroup();
  }

  private void endTransaction() {
    try {
      listener.groupEnds(replies.failed());
    } catch (ClientError error) {
      errors.requestFailed(error.fields());
    } catch (AbelianException error) {
      replies.output().error(ClientError.fields(error));
    }
    if (!context.transactions().state().isOpen()) {
      context.backends().release();
    }
  }

  private void resetGroup() {
    listener.groupIsOver();
    extended.groupIsOver();
    errors.groupEnded();
    groupEnds = false;
    executes = 0;
    unsearched = 0;
    copies = false;
    checked = false;
    inGroup = false;
    begun = false;
    simpleGroup = false;
    skipping = false;
    hurried = false;
    settling = false;
    blocked = false;
    synced = false;
    replies.beginGroup();
  }

  /** True when the group runs one statement and no other. */
  public boolean isOneStatement() {
    if (simpleGroup) {
      return simple.isOneStatement();
    }
    return executes == 1 && groupEnds && last != FrontendType.FLUSH && !begun;
  }

  /** True when the nodes have got the Sync that ends the group. */
  public boolean hasSynced() {
    return synced;
  }

  /** The group's Sync has come and will be answered; the client will send another. */
  public void expectSurplusSync() {
    surplusSync = !simpleGroup;
  }

  /**
   * Where COPY data of the client starts, relative to the start of the input: behind the query that
   * the COPY is a part of, if more statements follow.
   */
  public int copyAt() {
    return planned + running();
  }

  /** The length of a query of which not all is planned; else 0. */
  private int running() {
    return simple.isRunning() ? input.frameAt(input.start() + planned) : 0;
  }

  /** That much of the COPY data has been passed on: it need not be kept. */
  public void copied(int count) {
    context.retry().forbid();
    int running = running();
    begun |= !simpleGroup; // What comes behind it in the group is not alone.
    checked &= running > 0;
    input.consume(planned);
    input.remove(running, count);
    planned = 0;
    searched = running;
    unsearched = 0;
  }
}
