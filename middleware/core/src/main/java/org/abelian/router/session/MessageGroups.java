package org.abelian.router.session;

import java.io.IOException;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.Action;
import org.abelian.router.execution.ClientInput;
import org.abelian.router.execution.FlowWindow;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ResponsePlan;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendMessages;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.MalformedMessageException;

/**
 * Cuts what a client has sent into groups and plans each: a group ends with Sync, or is a simple
 * query. Its bytes are kept until it is answered, so that it can be run again.
 */
final class MessageGroups {
  /** A group larger than this is planned before its end has come. */
  private static final int LARGEST_GROUP = 8 << 20;

  /** What is planned of such a group is not kept beyond this, so that it cannot be run again. */
  private static final int LARGEST_KEPT = 1 << 20;

  /** The same while memory is scarce. */
  private static final int LARGEST_GROUP_WHEN_TIGHT = 1 << 16;

  private static final int LARGEST_IDLE_BUFFER = 1 << 16;

  private final Session session;
  private final ByteQueue input;
  private final ResponsePlan plan;

  /** How much of the input is planned; it stays there until its group is answered. */
  private int planned;

  /** How much of the input was searched for the end of a group. */
  private int searched;

  private boolean groupEnds;
  private boolean inGroup;

  /** The beginning of the group is answered and not kept any more. */
  private boolean begun;

  private boolean simpleGroup;
  private boolean skipping;
  private boolean settleFirst;
  private boolean synced;

  /**
   * After COPY in the extended protocol a client sends a second Sync, since servers ignore the one
   * before the data.
   */
  private boolean surplusSync;

  MessageGroups(Session session, ByteQueue input, ResponsePlan plan) {
    this.session = session;
    this.input = input;
    this.plan = plan;
  }

  /** True while a group is planned or answered. */
  boolean isInGroup() {
    return inGroup;
  }

  /** Where the next message to be planned starts, relative to the start of the input. */
  int planned() {
    return planned;
  }

  /** Messages after this one are planned only when it is answered. */
  void settleBeforeNext() {
    settleFirst = true;
  }

  /** True while what was sent must be answered before another statement is looked at. */
  boolean mustSettle() {
    return settleFirst && !plan.isEmpty();
  }

  /**
   * Plans what the client has sent.
   *
   * @return false when nothing can be planned before it sends more
   */
  boolean dispatch() throws IOException {
    if (surplusSync && !inGroup && input.hasFrame()) {
      surplusSync = false;
      if (input.array()[input.start()] == FrontendType.SYNC) {
        input.consume(input.frameAt(input.start()));
        return true;
      }
    }
    if (!groupIsThere()) {
      return false;
    }
    if (!inGroup) {
      inGroup = true;
      plan.beginGroup();
      session.control().beginGroup();
      session.retry().beginGroup();
      session.extended().spread().beginGroup();
    }
    skipping |= plan.failed();
    forgetAnswered();
    for (; ; ) {
      int at = input.start() + planned;
      int length = input.frameAt(at);
      if (length == 0) {
        // More of the group is still to come; until then no node sends what it has not been asked.
        requestAnswers();
        return !plan.isEmpty();
      }
      byte type = ClientInput.type(input.array(), at);
      if (mustSkip(type)) {
        planned += length;
        continue;
      }
      boolean settles = mustSettle() && type != FrontendType.SYNC;
      if (settles || FlowWindow.comesFirst(plan, length)) {
        requestAnswers();
        return true;
      }
      settleFirst = false;
      switch (handleSafely(type, at, length)) {
        case NEXT -> {
          planned += length;
          if (FlowWindow.isFull(plan, session.links().unsent())) {
            requestAnswers();
            return true;
          }
        }
        case TURN -> {
          planned += length;
          session.links().flush();
          return true;
        }
        case WAIT -> {
          requestAnswers();
          return true;
        }
      }
    }
  }

  /** A long group's beginning need not be kept when it cannot be run again. */
  private void forgetAnswered() {
    if (planned > LARGEST_KEPT && plan.isEmpty()) {
      session.retry().forbid();
      input.consume(planned);
      searched -= planned;
      planned = 0;
      begun = true;
    }
  }

  private boolean mustSkip(byte type) {
    if (type == FrontendType.COPY_DATA
        || type == FrontendType.COPY_DONE
        || type == FrontendType.COPY_FAIL) {
      return true; // What the client sent before it learnt that its COPY had failed.
    }
    return skipping
        && type != FrontendType.SYNC
        && type != FrontendType.TERMINATE
        && type != ClientInput.VIOLATION
        && !(type == FrontendType.QUERY && session.simple().isRunning());
  }

  /** True when a whole group, or too much of one, has come. */
  private boolean groupIsThere() {
    while (!groupEnds) {
      int at = input.start() + searched;
      int length = input.frameAt(at);
      if (length == 0) {
        return planned < searched && searched - planned > largestGroup();
      }
      byte type = ClientInput.type(input.array(), at);
      searched += length;
      groupEnds =
          type != FrontendType.PARSE
              && type != FrontendType.BIND
              && type != FrontendType.DESCRIBE
              && type != FrontendType.EXECUTE
              && type != FrontendType.CLOSE;
    }
    return true;
  }

  private int largestGroup() {
    return session.router().memory().isTight() ? LARGEST_GROUP_WHEN_TIGHT : LARGEST_GROUP;
  }

  private Outcome handleSafely(byte type, int at, int length) throws IOException {
    try {
      FrontendMessages.check(input.array(), at, length);
      return handle(type, at, length);
    } catch (Failure failure) {
      return fail(type, failure.fields());
    } catch (AbelianException error) {
      return fail(type, Failure.fields(error));
    } catch (MalformedMessageException malformed) {
      return fail(type, SessionErrors.malformed(malformed));
    } catch (NodeLostException lost) {
      return fail(type, SessionErrors.connectionLost(lost));
    }
  }

  /** The client gets the error in its turn; the rest of its group is skipped. */
  private Outcome fail(byte type, ErrorFields error) {
    session.control().failGroup();
    plan.add(
        Action.then(
            () -> {
              session.errors().requestFailed(error);
              plan.fail();
            }));
    skipping = true;
    boolean ends =
        type == FrontendType.QUERY
            || type == FrontendType.FUNCTION_CALL
            || type == FrontendType.SYNC;
    return ends ? session.simple().finish() : Outcome.NEXT;
  }

  private Outcome handle(byte type, int at, int length) throws IOException {
    byte[] array = input.array();
    if (array[at] == ClientInput.REFUSED) {
      throw ClientInput.refusal();
    }
    return switch (type) {
      case FrontendType.PARSE -> session.extended().parse(array, at, length);
      case FrontendType.BIND -> session.extended().bind(array, at, length);
      case FrontendType.DESCRIBE -> session.extended().describe(array, at, length);
      case FrontendType.EXECUTE -> session.extended().execute(array, at, length);
      case FrontendType.CLOSE -> session.extended().close(array, at, length);
      case FrontendType.SYNC -> sync();
      case FrontendType.FLUSH -> {
        requestAnswers();
        yield flushed();
      }
      case FrontendType.QUERY -> {
        simpleGroup = true;
        yield session.simple().query(array, at, length);
      }
      case FrontendType.FUNCTION_CALL -> session.simple().functionCall(array, at, length);
      case FrontendType.TERMINATE -> {
        session.close();
        yield Outcome.TURN;
      }
      default -> {
        if (plan.isEmpty()) {
          throw session.violation();
        }
        yield Outcome.WAIT;
      }
    };
  }

  /** Everything before the Flush is to be answered; the group goes on. */
  private Outcome flushed() {
    groupEnds = false;
    return Outcome.TURN;
  }

  /**
   * Ends the group: each node gets a Sync, and when all have answered, the client gets
   * ReadyForQuery.
   */
  Outcome sync() {
    synced = true;
    if (!skipping) {
      session.control().voteEarly();
    }
    for (Link link : session.links().touched()) {
      if (link.connection != null) {
        link.connection.writer().empty(FrontendType.SYNC);
        plan.add(NodeReply.sync(link.connection));
      }
    }
    session.links().untouch();
    return endGroupAfterPlan();
  }

  /** When all steps have run, the group ends. */
  Outcome endGroupAfterPlan() {
    plan.add(Action.always(this::endGroup));
    return Outcome.TURN;
  }

  private void endGroup() {
    session.extended().spread().endGroup();
    if (session.retry().isWanted()) {
      planned = 0;
      searched = 0;
      session.retry().again();
      session.watch().groupEnded();
      resetGroup();
      return;
    }
    session.retry().done();
    session.procedures().groupEnded(plan.failed());
    try {
      session.control().endGroup(plan.failed() || !settingsAgree());
    } catch (Failure failure) {
      session.output().error(failure.fields());
    } catch (AbelianException error) {
      session.output().error(Failure.fields(error));
    }
    session.watch().groupEnded();
    if (!session.transaction().isOpen()) {
      session.links().release();
      session.portals().clear();
    }
    session.output().readyForQuery(session.transaction().status());
    input.consume(planned);
    if (input.isEmpty()) {
      input.clear(LARGEST_IDLE_BUFFER);
    }
    planned = 0;
    searched = 0;
    resetGroup();
  }

  /** False, and the client knows why, when the group has made nodes differ in their settings. */
  private boolean settingsAgree() {
    try {
      session.watch().groupAnswered(plan.failed());
      return true;
    } catch (AbelianException error) {
      session.output().error(Failure.fields(error));
      return false;
    }
  }

  private void resetGroup() {
    session.batchSlot().endGroup();
    groupEnds = false;
    inGroup = false;
    begun = false;
    simpleGroup = false;
    skipping = false;
    settleFirst = false;
    synced = false;
    plan.beginGroup();
  }

  /** Nodes shall answer what they have got so far. */
  private void requestAnswers() {
    for (Link link : session.links().touched()) {
      if (link.connection != null) {
        link.connection.writer().empty(FrontendType.FLUSH);
      }
    }
    session.links().flush();
  }

  /** True when the group runs one statement and no other. */
  boolean isOneStatement() {
    if (simpleGroup) {
      return session.simple().isOneStatement();
    }
    int executes = 0;
    int length;
    for (int at = 0; at < searched; at += length) {
      length = input.frameAt(input.start() + at);
      executes += input.array()[input.start() + at] == FrontendType.EXECUTE ? 1 : 0;
    }
    return executes == 1 && groupEnds && !begun;
  }

  /** True when the nodes have got the Sync that ends the group. */
  boolean hasSynced() {
    return synced;
  }

  /** The group's Sync has come and will be answered; the client will send another. */
  void expectSurplusSync() {
    surplusSync = !simpleGroup;
  }

  /** COPY data of the client, after what is planned, has been passed on: it need not be kept. */
  void copied(int count) {
    session.retry().forbid();
    input.consume(planned + count);
    planned = 0;
    searched = 0;
  }
}
