package org.abelian.router.backend;

import java.time.Duration;
import java.util.function.Consumer;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.transaction.Answer;
import org.abelian.router.transaction.Participant;

/** A connection to a node as the coordinated commit sees it. */
public final class BackendParticipant implements Participant {
  private final int nodeId;
  private final NodeConnection connection;
  private final Consumer<byte[]> notices;

  /**
   * A part of a session's own transaction.
   *
   * @param notices gets what the node says while it prepares or commits, as deferred triggers do
   */
  public BackendParticipant(Backend backend, Consumer<byte[]> notices) {
    this.nodeId = backend.nodeId;
    this.connection = backend.connection;
    this.notices = notices;
  }

  /** A part of nobody's who listens. */
  public BackendParticipant(int nodeId, NodeConnection connection) {
    this.nodeId = nodeId;
    this.connection = connection;
    notices = notice -> {};
  }

  @Override
  public int nodeId() {
    return nodeId;
  }

  @Override
  public void send(String sql) {
    try {
      NodeCall.sendSimple(connection, sql);
    } catch (NodeLostException e) {
      // await reports it.
    }
  }

  @Override
  public Answer await(Duration limit) {
    if (connection.isLost()) {
      return new Answer.Lost("the connection to node " + connection.address() + " was lost");
    }
    try {
      connection.timeout((int) Math.max(1, limit.toMillis()));
      QueryResult result = NodeCall.await(connection, true);
      connection.timeout(0);
      result.notices().forEach(notices);
      if (result.succeeded()) {
        return new Answer.Done(result.tag(), result.value());
      }
      ErrorFields error = result.errorFields();
      return new Answer.Failed(
          error.sqlState(), error.message(), error.get(ErrorFields.CONSTRAINT), result.error());
    } catch (NodeLostException e) {
      return new Answer.Lost(e.getMessage());
    }
  }

  @Override
  public boolean inTransaction() {
    return connection.transactionStatus() != 'I';
  }

  @Override
  public String seal(String function, String... arguments) {
    return connection.seal(function, arguments);
  }

  @Override
  public long laneClock() {
    return connection.laneClock();
  }

  /** Gives the connection up: the node ends what was open there. */
  public void close() {
    connection.close();
  }
}
