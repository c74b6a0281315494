package org.abelian.histories.lists;

import java.util.List;
import java.util.Map;

/**
 * A transaction that a client has run.
 *
 * @param shown the lists that its own statements returned after they had appended, by key
 * @param observations what it read otherwise
 * @param sent when its first statement was sent
 * @param answered when its end was answered
 * @param error why it was not committed; empty when it was
 * @param token by which the router can be asked for the outcome; empty when there is none
 */
public record Recorded(
    Intention intention,
    Map<Integer, List<Long>> shown,
    List<Observation> observations,
    Ending ending,
    long sent,
    long answered,
    String error,
    String token) {
  /** The same with another ending. */
  public Recorded with(Ending other) {
    return new Recorded(intention, shown, observations, other, sent, answered, error, token);
  }

  /** True when it was to append to lists. */
  public boolean appends() {
    return !intention.kind().onlyReads() && !marks();
  }

  /** True when it was to count and mark. */
  public boolean marks() {
    return intention.kind().marks();
  }

  @Override
  public String toString() {
    return "%s %d %s%s %s [%d to %d]%s%s"
        .formatted(
            intention.kind(),
            intention.name(),
            intention.keys(),
            intention.twice() ? " twice" : "",
            ending,
            sent / 1_000,
            answered / 1_000,
            shown.isEmpty() ? "" : " shows " + shown,
            error.isEmpty() ? "" : " " + error);
  }
}
