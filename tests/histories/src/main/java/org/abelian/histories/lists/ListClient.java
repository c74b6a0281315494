package org.abelian.histories.lists;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Runs transactions one after the other and records them. It repeats none, and connects again when
 * its connection is lost. What {@link #run(Work)} does for a kind may be replaced by something
 * broken.
 */
public class ListClient {
  private static final long RECONNECT_PAUSE_MILLIS = 50;

  private final Connector connector;
  private final List<Recorded> recorded = new ArrayList<>();
  private Connection connection;

  /** A client without a connection yet. */
  public ListClient(Connector connector) {
    this.connector = connector;
  }

  /** Runs so many of them, or as many as it can before it is to stop. */
  public final List<Recorded> run(Intentions intentions, int count, BooleanSupplier stop) {
    try {
      for (int i = 0; i < count && !stop.getAsBoolean(); i++) {
        Intention intention = intentions.next();
        if (isConnected(stop)) {
          recorded.add(attempt(intention));
        }
      }
    } finally {
      disconnect();
    }
    return recorded;
  }

  private boolean isConnected(BooleanSupplier stop) {
    while (connection == null && !stop.getAsBoolean()) {
      try {
        connection = connector.connect();
      } catch (SQLException unreachable) {
        disconnect();
        pause();
      }
    }
    return connection != null;
  }

  private static void pause() {
    try {
      Thread.sleep(RECONNECT_PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void disconnect() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // It is gone, which is all that was wanted.
    }
    connection = null;
  }

  private Recorded attempt(Intention intention) {
    Work work = new Work(intention, connection);
    try {
      connection.clearWarnings();
      run(work);
      return work.ended();
    } catch (SQLException e) {
      return work.failed(e);
    } finally {
      leaveBlock();
    }
  }

  private void leaveBlock() {
    try {
      if (!connection.getAutoCommit()) {
        connection.rollback();
        connection.setAutoCommit(true);
      }
      if (!connection.isValid(0)) {
        disconnect();
      }
    } catch (SQLException lost) {
      disconnect();
    }
  }

  /** Runs the transaction to its end. */
  protected void run(Work work) throws SQLException {
    Intention intention = work.intention();
    List<Integer> keys = intention.keys();
    switch (intention.kind()) {
      case SINGLE_APPEND, SPREAD_APPEND -> work.append(keys, intention.number());
      case SINGLE_BLOCK, COORDINATED -> appendInBlock(work);
      case COMMUTING -> countInBlock(work);
      case COMMUTING_CALL -> work.countByCall(keys.get(0), keys.get(1));
      case INDEPENDENT -> work.call("append_alone", keys, false);
      case VOTING_CALL -> work.call("append_voting", keys, false);
      case ANSWERING_CALL -> work.call("append_and_show", keys, true);
      case SINGLE_READ -> work.readOfOneNode(keys);
      case SPREAD_READ -> work.readAll(keys);
      case READING_CALL -> work.readByCall(keys);
    }
  }

  /** Appends to one key after the other, with a read before the last. */
  protected void appendInBlock(Work work) throws SQLException {
    Intention intention = work.intention();
    List<Integer> keys = intention.keys();
    work.begin();
    for (int i = 0; i < keys.size(); i++) {
      if (i == keys.size() - 1 && !intention.alsoRead().isEmpty()) {
        work.readOfOneNode(intention.alsoRead());
      }
      work.append(List.of(keys.get(i)), intention.number());
    }
    if (intention.twice()) {
      work.append(List.of(keys.get(0)), intention.secondNumber());
    }
    work.end();
  }

  /** Counts and marks one key after the other. */
  protected void countInBlock(Work work) throws SQLException {
    work.begin();
    for (int key : work.intention().keys()) {
      work.count(key);
    }
    work.end();
  }
}
