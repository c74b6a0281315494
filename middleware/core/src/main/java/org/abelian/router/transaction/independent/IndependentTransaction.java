package org.abelian.router.transaction.independent;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One transaction on its way: what its participants are told. Used by one thread. */
public final class IndependentTransaction {
  /** The function that asks a participant for a timestamp; the values are {@link #proposal}. */
  public static final String PROPOSE = "independent_propose";

  /**
   * The function that gives the fragment its place, inside the transaction that goes on to run the
   * call, and tells the node who takes part; the values are {@link #execution}.
   */
  public static final String EXECUTE = "independent_run";

  /** The same for a fragment of several calls, which follow one after the other. */
  public static final String EXECUTE_CALLS = "independent_run_calls";

  private final String id;
  private final Map<Integer, LaneState> lanes;
  private final List<Integer> participants;
  private long timestamp;

  IndependentTransaction(String id, Map<Integer, LaneState> lanes) {
    this.id = id;
    this.lanes = lanes;
    this.participants = List.copyOf(lanes.keySet());
  }

  /** Its name; needs no quoting inside a string literal. */
  public String id() {
    return id;
  }

  /** The greatest of what its participants have proposed. */
  public long timestamp() {
    return timestamp;
  }

  /** The ids of its nodes. */
  public List<Integer> participants() {
    return participants;
  }

  /** The values of {@link #PROPOSE}. */
  public String[] proposal(int node) {
    return new String[] {
      id,
      Integer.toString(node),
      array(participants),
      array(participants.stream().map(participant -> lanes.get(participant).run()).toList()),
      Long.toString(lanes.get(node).last())
    };
  }

  /**
   * Takes a participant's answer to {@link #PROPOSE}.
   *
   * @return why it refused; null when it proposed
   */
  public Refusal take(long answer) {
    if (answer <= 0) {
      return Refusal.of(answer);
    }
    timestamp = Math.max(timestamp, answer);
    return null;
  }

  /**
   * The values of {@link #EXECUTE} and {@link #EXECUTE_CALLS}. To be sent when all have proposed.
   *
   * @param intent what a router runs that knows nothing of the session
   */
  public String[] execution(int node, String intent) {
    return new String[] {
      id, Long.toString(timestamp), Integer.toString(node), array(participants), intent
    };
  }

  /** A literal of any text, whatever standard_conforming_strings says. */
  public static String quote(String text) {
    String doubled = text.replace("'", "''");
    return text.indexOf('\\') < 0
        ? "'" + doubled + "'"
        : " E'" + doubled.replace("\\", "\\\\") + "'";
  }

  private static String array(List<?> values) {
    return values.stream().map(Object::toString).collect(Collectors.joining(",", "{", "}"));
  }
}
