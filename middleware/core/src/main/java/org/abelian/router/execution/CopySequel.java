package org.abelian.router.execution;

import java.io.IOException;

/** What follows a COPY on the nodes that have loaded its rows, before the client is told. */
@FunctionalInterface
public interface CopySequel {
  /**
   * Does it, and waits for all answers.
   *
   * @throws RuntimeException the error of a node
   */
  void run() throws IOException;
}
