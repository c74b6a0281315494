package org.abelian.histories.run;

/**
 * One executed step. Times are ticks of one clock that advances at every sending and every answer
 * of any session, so that comparing them tells what happened before what.
 *
 * @param sqlState of the error that the step answered with, or null
 * @param answer null exactly if there was an error
 */
public record Outcome(long sent, long answered, String sqlState, Answer answer) {
  public boolean failed() {
    return sqlState != null;
  }
}
