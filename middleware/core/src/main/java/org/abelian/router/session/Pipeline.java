package org.abelian.router.session;

import java.io.IOException;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.RouterWork;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.ReplyQueue;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.ProtocolException;

/**
 * Cuts what a client has sent into groups and plans each: a group ends with Sync, or is a simple
 * query. Its bytes are kept until it is answered, so that it can be run again.
 */
final class Pipeline {
  /** A group larger than this is planned before its end has come. */
  private static final int LARGEST_GROUP = 8 << 20;

  private static final int LARGEST_MESSAGE = 1 << 30;
  private static final int LARGEST_IDLE_BUFFER = 1 << 20;

  private final Session session;
  private final ByteQueue input;
  private final ReplyQueue replies;

  /** How much of the input is planned; it stays there until its group is answered. */
  private int planned;

  /** How much of the input was searched for the end of a group. */
  private int searched;

  private boolean groupEnds;
  private boolean inGroup;
  private boolean simpleGroup;
  private boolean skipping;
  private boolean settleFirst;
  private boolean synced;

  /**
   * After COPY in the extended protocol a client sends a second Sync, since servers ignore the one
   * before the data.
   */
  private boolean surplusSync;

  Pipeline(Session session, ByteQueue input, ReplyQueue replies) {
    this.session = session;
    this.input = input;
    this.replies = replies;
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
      replies.beginGroup();
      session.control().beginGroup();
      session.retry().beginGroup();
      session.extended().spread().beginGroup();
    }
    skipping |= replies.failed();
    for (; ; ) {
      int at = input.start() + planned;
      int length = input.frameAt(at);
      if (length == 0) {
        session.backends().flush();
        return !replies.isEmpty();
      }
      byte type = input.array()[at];
      if (mustSkip(type)) {
        planned += length;
        continue;
      }
      if (settleFirst && type != FrontendType.SYNC && !replies.isEmpty()) {
        requestAnswers();
        return true;
      }
      settleFirst = false;
      switch (handleSafely(type, at, length)) {
        case NEXT -> planned += length;
        case TURN -> {
          planned += length;
          session.backends().flush();
          return true;
        }
        case WAIT -> {
          requestAnswers();
          return true;
        }
      }
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
        && !(type == FrontendType.QUERY && session.simple().isRunning());
  }

  /** True when a whole group, or too much of one, has come. */
  private boolean groupIsThere() throws ProtocolException {
    while (!groupEnds) {
      int at = input.start() + searched;
      if (input.end() - at >= 5) {
        int length = BigEndian.int4(input.array(), at + 1);
        if (length < 4 || length > LARGEST_MESSAGE) {
          throw new ProtocolException("invalid message length");
        }
      }
      int length = input.frameAt(at);
      if (length == 0) {
        return input.size() > LARGEST_GROUP && planned < searched;
      }
      byte type = input.array()[at];
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

  private Progress handleSafely(byte type, int at, int length) throws IOException {
    try {
      return handle(type, at, length);
    } catch (ClientError failure) {
      return fail(type, failure.fields());
    } catch (AbelianException error) {
      return fail(type, ClientError.fields(error));
    } catch (NodeLostException lost) {
      return fail(type, SessionErrors.connectionLost(lost));
    }
  }

  /** The client gets the error in its turn; the rest of its group is skipped. */
  private Progress fail(byte type, ErrorFields error) {
    session.control().failGroup();
    replies.add(
        RouterWork.then(
            () -> {
              session.errors().requestFailed(error);
              replies.fail();
            }));
    skipping = true;
    return type == FrontendType.QUERY || type == FrontendType.FUNCTION_CALL
        ? session.simple().finish()
        : Progress.NEXT;
  }

  private Progress handle(byte type, int at, int length) throws IOException {
    byte[] array = input.array();
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
        yield Progress.TURN;
      }
      default -> throw new ProtocolException("invalid frontend message type " + (type & 255));
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
  Progress sync() {
    synced = true;
    if (!skipping) {
      session.control().voteEarly();
    }
    for (Backend backend : session.backends().touched()) {
      if (backend.connection != null) {
        backend.connection.writer().empty(FrontendType.SYNC);
        replies.add(NodeReply.sync(backend.connection));
      }
    }
    session.backends().untouch();
    return endGroupAfterPlan();
  }

  /** When all steps have run, the group ends. */
  Progress endGroupAfterPlan() {
    replies.add(RouterWork.always(this::endGroup));
    return Progress.TURN;
  }

  private void endGroup() {
    if (session.retry().isWanted()) {
      planned = 0;
      searched = 0;
      session.retry().again();
      resetGroup();
      return;
    }
    session.retry().done();
    session.procedures().groupEnded(replies.failed());
    try {
      session.control().endGroup(replies.failed());
    } catch (ClientError failure) {
      session.output().error(failure.fields());
    } catch (AbelianException error) {
      session.output().error(ClientError.fields(error));
    }
    if (!session.transaction().isOpen()) {
      session.backends().release();
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

  private void resetGroup() {
    session.batchSlot().endGroup();
    groupEnds = false;
    inGroup = false;
    simpleGroup = false;
    skipping = false;
    settleFirst = false;
    synced = false;
    replies.beginGroup();
  }

  /** Nodes shall answer what they have got so far. */
  private void requestAnswers() {
    for (Backend backend : session.backends().touched()) {
      if (backend.connection != null) {
        backend.connection.writer().empty(FrontendType.FLUSH);
      }
    }
    session.backends().flush();
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
    return executes == 1 && groupEnds;
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
