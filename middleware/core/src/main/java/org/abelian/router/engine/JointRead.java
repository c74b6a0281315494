package org.abelian.router.engine;

import java.io.IOException;

/** What is sent to several nodes to read by snapshots that fit together. */
interface JointRead {
  /**
   * Binds it on a node, and has the node's answer taken.
   *
   * @param place of the node in the list
   * @param portal the name that it must have; null for any
   */
  void bind(int place, byte[] portal) throws IOException;

  /** Runs it there, without a look at the answer; a witness has nothing to run. */
  void run(int place);

  /** Closes what was bound there, before it is bound anew. */
  void close(int place);

  /** False when the node is only a witness, which takes no part in the transaction. */
  default boolean reads(int place) {
    return true;
  }

  /** What is bound there. */
  NodePortal portal(int place);
}
