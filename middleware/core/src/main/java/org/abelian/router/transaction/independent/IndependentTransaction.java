package org.abelian.router.transaction.independent;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** One transaction on its way: what its participants are told. Used by one thread. */
public final class IndependentTransaction {
  /** Names mean the same to whoever runs the intent again. */
  private static final String SEARCH_PATH =
      "'SELECT pg_catalog.set_config(''search_path'', '"
          + " || pg_catalog.quote_literal(pg_catalog.current_setting('search_path'))"
          + " || ', true); ' || ";

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

  /** The ids of its nodes. */
  public List<Integer> participants() {
    return participants;
  }

  /** The query that asks a participant for a timestamp. */
  public String proposeQuery(int node) {
    return "SELECT abelian.independent_propose('"
        + id
        + "', "
        + node
        + ", '"
        + array(participants)
        + "', '"
        + array(participants.stream().map(participant -> lanes.get(participant).run()).toList())
        + "', "
        + lanes.get(node).last()
        + ")";
  }

  /**
   * Takes a participant's answer to {@link #proposeQuery}.
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
   * The query that gives the fragment its place, inside the transaction that goes on to run the
   * intent, on each participant. To be sent when all have proposed.
   */
  public String executeQuery(String intent) {
    return "SELECT abelian.independent_execute('"
        + id
        + "', "
        + timestamp
        + ", '"
        + array(participants)
        + "', "
        + SEARCH_PATH
        + quote(intent)
        + ", current_user)";
  }

  /** The query that tells a node who it is and who takes part, in the fragment's transaction. */
  public static String tellQuery(int node, List<Integer> participants) {
    return "SELECT pg_catalog.set_config('abelian.participants', '"
        + participants.stream()
            .map(Object::toString)
            .collect(Collectors.joining(",", node + ":", "', true)"));
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
