package org.abelian.router.execution;

import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;

/** What a session does with errors that come while its plan runs. */
public interface ErrorPolicy {
  /**
   * A node answered with an error; the session gives the client this or another one.
   *
   * @param frame where the ErrorResponse starts in the array
   */
  void nodeError(NodeConnection connection, byte[] array, int frame, int length);

  /** A step of the router's own failed; the session tells the client. */
  void stepFailed(RuntimeException cause);

  /** A node's connection broke; the session tells the client. */
  void nodeLost(NodeConnection connection, NodeLostException cause);
}
