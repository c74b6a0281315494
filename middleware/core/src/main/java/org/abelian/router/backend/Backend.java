package org.abelian.router.backend;

import java.util.List;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodePool;

/** What a session has to do with one node. */
public final class Backend {
  public final int nodeId;
  public final NodePool pool;

  /** The connection that the session has now; null when it has none. */
  public NodeConnection connection;

  /** The connection that it had last, and takes again if nobody else has. */
  public NodeConnection last;

  /** True when the session's transaction is open there. */
  public boolean begun;

  /** True when the session's transaction may have changed something there. */
  public boolean wrote;

  /** True when the session's transaction has done more there than take its snapshot. */
  public boolean worked;

  /** True when messages of the client's current group went there that it has not ended yet. */
  public boolean touched;

  /**
   * True when the transaction may have done there what PREPARE TRANSACTION refuses, such as NOTIFY:
   * then it ends there with a COMMIT.
   */
  public boolean unpreparable;

  /** True when it has notified, so that COMMIT has an effect although nothing was written. */
  public boolean notifies;

  /** True when the session may have notified there, and has not waited for that to come. */
  public boolean unheard;

  /** True when what the group has done there is committed or rolled back. */
  boolean ended;

  /** True when the transaction has locked rows there. */
  public boolean locks;

  /**
   * The number of the statement by which the transaction has first written there, or may have
   * locked what others wait for; 0 when none has.
   */
  public int lockedBy;

  /** The number of the last such statement. */
  public int lockedLastBy;

  /** True when its COMMIT there runs the query of a cursor WITH HOLD, which may fail. */
  public boolean runsAtCommit;

  /** True when the transaction may have locked something there without a transaction id. */
  public boolean holdsLocks;

  /** True when its transaction was opened behind statements that belong to it. */
  public boolean begunBehindWork;

  /** True when it has got the group's Sync ahead of the client's. */
  public boolean synced;

  /** True when the node has answered with an error and skips what comes until Sync. */
  public boolean skips;

  /** True when the session may have left something there that no other session may see or lose. */
  public boolean pinned;

  /** The temporary objects with which statements were prepared there; null for none. */
  Object temporaryObjects;

  /** The settings there, as far as the session has taken notice of them; null when it has not. */
  public ReportedSettings seen;

  /** How much of the transaction's history the node has been told. */
  public int told;

  public Backend(int nodeId, NodePool pool) {
    this.nodeId = nodeId;
    this.pool = pool;
  }

  /** The transaction has come to its end there, or is gone with its connection. */
  public void transactionEnds() {
    begun = false;
    worked = false;
    wrote = false;
    unpreparable = false;
    locks = false;
    lockedBy = 0;
    lockedLastBy = 0;
    holdsLocks = false;
    runsAtCommit = false;
    notifies = false;
  }

  /** The ids of their nodes, in the same order. */
  public static List<Integer> nodes(List<Backend> backends) {
    Integer[] ids = new Integer[backends.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = backends.get(i).nodeId;
    }
    return List.of(ids);
  }

  /** What the node says is set there; only while there is a connection. */
  public ReportedSettings reported() {
    String text = connection.settings();
    return seen != null && seen.toString().equals(text) ? seen : ReportedSettings.of(text);
  }

  /**
   * True when the connection is the session's alone: it holds what no other session may see or lose
   * (temporary tables, cursors WITH HOLD, advisory locks).
   */
  public boolean isOwn() {
    return pinned
        || connection != null && (connection.holdsLocks() || connection.temporaryObjects() != null);
  }

  /** True when there is a connection and it works. */
  public boolean isUsable() {
    return connection != null && !connection.isLost();
  }

  @Override
  public String toString() {
    return "node " + nodeId + " at " + pool.address();
  }
}
