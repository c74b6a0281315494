package org.abelian.router.transaction;

/**
 * One participant's part of a transaction that is done and committed by one message. Used by one
 * thread.
 */
public interface CommutingFragment {
  /** The node's id in the catalogue. */
  int nodeId();

  /**
   * Sends the work, the insertion of the intent, and what commits both, as one local transaction,
   * without waiting. A connection that is lost is reported by await, never here.
   */
  void send(IntentId id, Intent intent);

  /**
   * Waits for the answer: the tag COMMIT when the local transaction is durable; an error when it is
   * rolled back.
   */
  Answer await();
}
