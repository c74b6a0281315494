package org.abelian.histories.run;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** Decides when which session sends its next statement. */
public interface Schedule {
  /**
   * Runs all sessions to their ends.
   *
   * @param threads one free thread per session
   * @param connections of the sessions, in their order, for asking who blocks whom
   */
  void run(
      List<SessionRun> sessions,
      List<Connection> connections,
      ExecutorService threads,
      Connection control,
      long seed);
}
