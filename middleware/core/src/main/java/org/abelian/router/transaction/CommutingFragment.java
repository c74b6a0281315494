package org.abelian.router.transaction;

import java.util.List;

/**
 * One participant's part of transactions that are done and committed by one message. Used by one
 * thread.
 */
public interface CommutingFragment {
  /** The node's id in the catalogue. */
  int nodeId();

  /**
   * Sends the work, the insertion of the intents, and what commits both, as one local transaction,
   * without waiting. A connection that is lost is reported by await, never here.
   *
   * @param ids of the intents, in the same order
   */
  void send(List<IntentId> ids, List<Intent> intents);

  /**
   * Waits for the answer: the tag COMMIT when the local transaction is durable; an error when it is
   * rolled back.
   */
  Answer await();
}
