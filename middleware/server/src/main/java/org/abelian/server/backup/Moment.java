package org.abelian.server.backup;

import java.util.List;

/** How the snapshots of several nodes are taken so that they are of one moment. */
@FunctionalInterface
interface Moment {
  /**
   * Gives each session its snapshot.
   *
   * @throws BackupException when no such moment came in time
   */
  void take(List<NodeSession> sessions) throws BackupException;
}
