package org.abelian.router.execution;

import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeLostException;

/** What a {@link Reply} sees of the queue that it stands in. */
public interface ReplyContext {
  /** How many bytes wait for the client before no more are read from nodes. */
  int OUTPUT_MAX = 32768;

  /** Where the answers go. */
  ClientOutput output();

  /** By which numbers the client knows users' objects. */
  ObjectNumbers numbers();

  /** True when so much waits for the client that it should take it first. */
  boolean isFull();

  /** True when an earlier reply of this group has failed. */
  boolean failed();

  /** The rest of the group is left out, and the client is told why. */
  void fail(RuntimeException cause);

  /** How long a node may take to send something, in milliseconds; 0 for ever. */
  int timeout();

  /** From now on the client's COPY data goes there. */
  void copyIn(CopyTarget target);

  /** A node has answered with an ErrorResponse, which stands at that place. */
  void nodeError(NodeConnection connection, byte[] array, int frame, int length);

  /** The connection to a node is lost. */
  void nodeLost(NodeConnection connection, NodeLostException cause);
}
