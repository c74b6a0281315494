package org.abelian.router.transaction;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * The router's own dialogue with the nodes, over connections that belong to no session. Every call
 * is one transaction on one node and bounded in time. Safe for several threads.
 */
public interface ControlNetwork {
  /** The ids of the nodes in the current catalogue, ascending. */
  List<Integer> nodes();

  /** How to name a node to a person: its id and address. */
  String describe(int node);

  /**
   * Settles a transaction at its holder: writes the abort row unless a decision stands, and returns
   * the decision that stands then (true is commit).
   */
  boolean settle(Gid gid) throws NodeUnreachableException;

  /** Commits or rolls back a prepared transaction. */
  Finish finish(int node, Gid gid, boolean commit) throws NodeUnreachableException;

  /** How far the lane of the node has come; 0 when it was never used. */
  default long laneClock(int node) throws NodeUnreachableException {
    return 0;
  }

  /** Makes what is proposed to the node's lane from now on come after the clock. */
  default void advance(int node, LaneClock clock) throws NodeUnreachableException {}

  /**
   * Our prepared transactions on a node.
   *
   * @param olderThan by the node's clock
   * @param limit at most so many, oldest first
   */
  List<Gid> prepared(int node, Duration olderThan, int limit) throws NodeUnreachableException;

  /** Those of the given transactions that are prepared on the node. */
  List<Gid> stillPrepared(int node, Collection<Gid> gids) throws NodeUnreachableException;

  /**
   * Decisions to commit that a holder keeps.
   *
   * @param olderThan by the node's clock
   * @param limit at most so many, oldest first
   */
  List<Gid> commitDecisions(int holder, Duration olderThan, int limit)
      throws NodeUnreachableException;

  /** Deletes decisions to commit; the caller knows that no node has them prepared. */
  void forget(int holder, Collection<Gid> gids) throws NodeUnreachableException;

  /**
   * Deletes decisions to abort that no running transaction of the holder can contradict any more.
   *
   * @param olderThan by the node's clock
   */
  void forgetAborted(int holder, Duration olderThan) throws NodeUnreachableException;

  /**
   * What a node knows of the transaction with that token: a gid, or what the node that has the
   * transaction reported as abelian.transaction_id. Only that node, or the gid's holder, can know.
   */
  TransactionStatus outcome(int node, String token) throws NodeUnreachableException;
}
