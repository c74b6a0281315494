package org.abelian.router.transaction.independent;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.abelian.router.transaction.NodeUnreachableException;

/**
 * The router's own dialogue with the nodes about their lanes, over connections that belong to no
 * session. Every call is bounded in time. Safe for several threads.
 */
public interface LaneNetwork {
  /** The ids of the nodes in the current catalogue, ascending. */
  List<Integer> nodes();

  /** How to name a node to a person: its id and address. */
  String describe(int node);

  /** What the node says about its lane. */
  LaneState state(int node) throws NodeUnreachableException;

  /** How far its lane is on disk. */
  LaneProgress progress(int node) throws NodeUnreachableException;

  /** Keeps the router of a transaction from executing it there; the record if it has been. */
  Optional<Fragment> freeze(int node, String id) throws NodeUnreachableException;

  /** Nobody has executed it, and nobody will. */
  void cancel(int node, String id) throws NodeUnreachableException;

  /**
   * Executes, in its turn, what another participant has executed, and waits for the disk. Nothing
   * is done when it is not pending. Calls that stand in the fragment's failure are not run.
   *
   * @return the failure to record, when one more call failed in a way that will not pass
   */
  Optional<String> complete(int node, Fragment fragment) throws NodeUnreachableException;

  /**
   * What has been pending for long.
   *
   * @param olderThan by the node's clock
   */
  List<PendingTransaction> pending(int node, Duration olderThan) throws NodeUnreachableException;

  /**
   * Ends the sessions that a fragment of the node has been waiting for.
   *
   * @return how many
   */
  long unblock(int node, Duration waitingFor) throws NodeUnreachableException;

  /** Begins to let the node catch up: the run for which. */
  long beginRun(int node) throws NodeUnreachableException;

  /**
   * What the peer has executed and the node lacks, in order; fences off the node's earlier runs.
   */
  List<Fragment> executed(int peer, int node, long run, LaneProgress progress)
      throws NodeUnreachableException;

  /**
   * Executes before the lane opens what the node lacks, as {@link #complete} does.
   *
   * @return the failure to record, when one more call failed in a way that will not pass
   */
  Optional<String> catchUp(int node, long run, Fragment fragment) throws NodeUnreachableException;

  /** Makes what is proposed to the node's lane from now on greater than the timestamp. */
  void advance(int node, long timestamp) throws NodeUnreachableException;

  /** Opens the lane; false when the run is over. */
  boolean open(int node, long run) throws NodeUnreachableException;

  /** Deletes records; the caller knows that every participant has it on disk. */
  void forget(int node, Collection<String> ids) throws NodeUnreachableException;

  /** Deletes old records that the lanes of all participants have passed. */
  void sweep(int node, Duration olderThan, List<Integer> nodes, List<LaneProgress> lanes)
      throws NodeUnreachableException;
}
