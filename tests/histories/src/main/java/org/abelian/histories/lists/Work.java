package org.abelian.histories.lists;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One transaction under way: its statements, and what they have shown. */
public final class Work {
  private final Intention intention;
  private final Connection connection;
  private final Map<Integer, List<Long>> shown = new HashMap<>();
  private final List<Observation> observations = new ArrayList<>();
  private final long sent = System.nanoTime();
  private boolean endSent;
  private boolean warned;

  Work(Intention intention, Connection connection) {
    this.intention = intention;
    this.connection = connection;
  }

  public Intention intention() {
    return intention;
  }

  /** Begins a block; until its end is sent, nothing of it can be committed. */
  public void begin() throws SQLException {
    connection.setAutoCommit(false);
  }

  /** Ends the block as intended. */
  public void end() throws SQLException {
    if (intention.rollsBack()) {
      connection.rollback();
    } else {
      endSent = true;
      connection.commit();
    }
    warned |= connection.getWarnings() != null;
  }

  /** Appends by one statement to these keys, and keeps what it shows. */
  public void append(List<Integer> keys, long number) throws SQLException {
    String sql =
        "UPDATE entry SET log = log || ?::bigint WHERE id " + among(keys) + " RETURNING id, log";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, number);
      set(statement, 2, keys);
      show(statement);
    }
  }

  /** Runs {@code CALL} or {@code SELECT * FROM} on a routine that appends. */
  public void call(String routine, List<Integer> keys, boolean shows) throws SQLException {
    String sql = shows ? "SELECT * FROM " + routine + "(?, ?)" : "CALL " + routine + "(?, ?)";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.createArrayOf("int4", keys.toArray()));
      statement.setLong(2, intention.number());
      if (shows) {
        show(statement);
      } else {
        statement.execute();
        warned |= statement.getWarnings() != null;
      }
    }
  }

  private void show(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        shown.put(rows.getInt(1), list(rows.getArray(2)));
      }
    }
    warned |= statement.getWarnings() != null;
  }

  /** Counts one at the key and leaves a mark beside it. */
  public void count(int key) throws SQLException {
    try (PreparedStatement add =
            connection.prepareStatement("UPDATE entry SET n = n + 1 WHERE id = ?");
        PreparedStatement mark = connection.prepareStatement("INSERT INTO mark VALUES (?, ?)")) {
      add.setInt(1, key);
      add.executeUpdate();
      mark.setInt(1, key);
      mark.setLong(2, intention.number());
      mark.executeUpdate();
    }
  }

  /** Counts and marks at both keys, through the procedure that does. */
  public void countByCall(int first, int second) throws SQLException {
    try (PreparedStatement call = connection.prepareStatement("CALL count_both(?, ?, ?)")) {
      call.setInt(1, first);
      call.setInt(2, second);
      call.setLong(3, intention.number());
      call.execute();
      warned |= call.getWarnings() != null;
    }
  }

  /** Reads the lists at keys of one node. */
  public void readOfOneNode(List<Integer> keys) throws SQLException {
    String sql = "SELECT id, log FROM entry WHERE id " + among(keys);
    long start = System.nanoTime();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, 1, keys);
      observe(statement, false, start);
    }
  }

  /** Reads lists through the function that does. */
  public void readByCall(List<Integer> keys) throws SQLException {
    long start = System.nanoTime();
    try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM show(?)")) {
      statement.setArray(1, connection.createArrayOf("int4", keys.toArray()));
      observe(statement, true, start);
    }
  }

  /** Reads lists, counters and marks at these keys by one statement. */
  public void readAll(List<Integer> keys) throws SQLException {
    String sql =
        "SELECT e.id, e.log, e.n::bigint, (SELECT array_agg(m.number) FROM mark m WHERE m.id ="
            + " e.id) FROM entry e WHERE e.id "
            + among(keys);
    long start = System.nanoTime();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, 1, keys);
      observe(statement, true, start);
    }
  }

  /** Reads lists by a statement for each key, as if it were one for all. */
  public void readOneByOne(List<Integer> keys) throws SQLException {
    Map<Integer, List<Long>> lists = new HashMap<>();
    long start = System.nanoTime();
    for (int key : keys) {
      lists.put(key, read(key));
    }
    observations.add(new Observation(lists, Map.of(), true, start, System.nanoTime()));
  }

  /** Appends to what a statement before has read. */
  public void copyAndAppend(int key) throws SQLException {
    List<Long> list = new ArrayList<>(read(key));
    list.add(intention.number());
    try (PreparedStatement write =
        connection.prepareStatement("UPDATE entry SET log = ? WHERE id = ?")) {
      write.setArray(1, connection.createArrayOf("int8", list.toArray()));
      write.setInt(2, key);
      write.executeUpdate();
    }
  }

  private List<Long> read(int key) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT log FROM entry WHERE id = ?")) {
      statement.setInt(1, key);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return list(row.getArray(1));
      }
    }
  }

  private void observe(PreparedStatement statement, boolean overNodes, long start)
      throws SQLException {
    Map<Integer, List<Long>> lists = new HashMap<>();
    Map<Integer, Observation.Counted> counters = new HashMap<>();
    try (ResultSet rows = statement.executeQuery()) {
      boolean counted = rows.getMetaData().getColumnCount() > 2;
      while (rows.next()) {
        lists.put(rows.getInt(1), list(rows.getArray(2)));
        if (counted) {
          counters.put(
              rows.getInt(1), new Observation.Counted(rows.getLong(3), list(rows.getArray(4))));
        }
      }
    }
    observations.add(new Observation(lists, counters, overNodes, start, System.nanoTime()));
  }

  private static String among(List<Integer> keys) {
    return keys.size() == 1
        ? "= ?"
        : "IN (" + String.join(",", Collections.nCopies(keys.size(), "?")) + ")";
  }

  private static void set(PreparedStatement statement, int first, List<Integer> keys)
      throws SQLException {
    for (int i = 0; i < keys.size(); i++) {
      statement.setInt(first + i, keys.get(i));
    }
  }

  private static List<Long> list(Array array) throws SQLException {
    return array == null ? List.of() : Arrays.asList((Long[]) array.getArray());
  }

  List<Observation> observations() {
    return observations;
  }

  /** The transaction after its last statement. */
  Recorded ended() {
    Ending ending =
        intention.rollsBack()
            ? Ending.ROLLED_BACK
            : warned ? Ending.COMMITTED_WITH_WARNING : Ending.COMMITTED;
    return new Recorded(intention, shown, observations, ending, sent, System.nanoTime(), "", "");
  }

  /** The transaction after an error. */
  Recorded failed(SQLException error) {
    String state = error.getSQLState();
    boolean lost = state == null || state.startsWith("08") || state.startsWith("57P");
    boolean open = endSent || !intention.kind().isBlock();
    Ending ending = lost && open && !tellsTheEnd(error) ? Ending.UNKNOWN : Ending.ROLLED_BACK;
    return new Recorded(
        intention,
        ending == Ending.UNKNOWN ? shown : Map.of(),
        observations,
        ending,
        sent,
        System.nanoTime(),
        state + " " + error.getMessage(),
        Outcomes.token(error));
  }

  /** True when the router lost a node and knows that nothing has happened. */
  private static boolean tellsTheEnd(SQLException error) {
    return Stream.of(
            "Nothing was done there",
            "it is rolled back",
            "Nothing of this transaction took effect")
        .anyMatch(String.valueOf(error.getMessage())::contains);
  }
}
