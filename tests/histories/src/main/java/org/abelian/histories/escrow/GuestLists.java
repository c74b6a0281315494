package org.abelian.histories.escrow;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.LocalNode;
import org.abelian.histories.load.Member;

/**
 * Hosts that put guests on lists of few places, which are sets of bounded size, and record it in
 * table {@code journal} within the same transaction: a guest takes a place, or gives one back.
 */
public final class GuestLists extends RecordedLoad {
  /** On each list from the beginning; it takes none of the places. */
  static final String RESIDENT = "resident";

  static final int LISTS = 3;
  private static final int FEW = 8;
  private static final int MANY = 1_000_000;

  /** How a list is kept from being too long. */
  public enum Way {
    /** By a CHECK over the size, with the number of places in another column. */
    BOUNDED(FEW, "CHECK (abelian.size(guests) <= places)", ""),
    /** The same with room for everybody: the lists grow. */
    BOUNDED_FAR_OFF(MANY, "CHECK (abelian.size(guests) <= places)", ""),
    /** Not at all: the lists grow. */
    UNBOUNDED(MANY, "", ""),
    /** By conditions, as over a plain column; the list is held. */
    CONDITION(
        FEW,
        "CHECK (abelian.size(guests) <> -1)",
        " AND (abelian.contains(guests, '%2$s') OR abelian.size(guests) < places)"),
    /** A fault: by what is committed, without keeping others from it. */
    COMMITTED_ALONE(
        FEW,
        "",
        " AND (SELECT abelian.contains(l.guests, '%2$s') OR abelian.size(l.guests) < l.places FROM"
            + " lists l WHERE l.id = %1$d)");

    private final int places;
    private final String check;
    private final String condition;

    Way(int places, String check, String condition) {
      this.places = places;
      this.check = check;
      this.condition = condition;
    }
  }

  private final Way way;

  private GuestLists(LocalNode node, Way way) {
    super(node, "host");
    this.way = way;
  }

  /** Creates the tables anew, with the resident on each list. */
  public static GuestLists create(LocalNode node, Way way) throws SQLException {
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS lists, journal");
      statement.execute(
          "CREATE TABLE lists (id int PRIMARY KEY, places int, guests abelian.set %s)"
              .formatted(way.check));
      statement.execute(
          "CREATE TABLE journal (buyer bigint, number int, id int, amount bigint, guest text)");
      statement.execute(
          "INSERT INTO lists SELECT i, %d, ARRAY['%s'] FROM generate_series(1, %d) i"
              .formatted(way.places + 1, RESIDENT, LISTS));
    }
    return new GuestLists(node, way);
  }

  @Override
  Member recruit(long number, long seed) {
    return new Host(this, number, seed);
  }

  /** Whether everybody has a place: then guests seldom leave. */
  boolean hasRoomForAll() {
    return way.places > FEW;
  }

  /** The statement that puts a guest on a list, if there is room. */
  String arrival(int list, String guest) {
    return ("UPDATE lists SET guests = abelian.add(guests, '%2$s') WHERE id = %1$d" + way.condition)
        .formatted(list, guest);
  }

  /** Whether one snapshot shows a list that is too long. */
  @Override
  boolean isWrong(Statement statement) throws SQLException {
    return !Rows.read(statement, "SELECT id FROM lists WHERE abelian.size(guests) > places")
        .isEmpty();
  }

  /** Switches the folding worker on or off. */
  public void setFolding(boolean on) throws SQLException {
    try (Connection connection = node().connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SYSTEM SET abelian.fold_interval = " + (on ? "'5ms'" : "0"));
      statement.execute("SELECT pg_reload_conf()");
    }
  }

  /** Whether no first slot of a backend holds much, and a further one does. */
  public boolean hasTiers() throws SQLException {
    try (Connection connection = node().connectAsSuperuser();
        Statement statement = connection.createStatement()) {
      String isFirst = "slot <= current_setting('max_connections')::int";
      String size = "coalesce(max(length(state)) FILTER (WHERE %s), 0)";
      String sizes =
          "SELECT %s < 2048 AND %s > 2048 FROM abelian.slice WHERE slot <> 0"
              .formatted(size.formatted(isFirst), size.formatted("NOT " + isFirst));
      return Rows.read(statement, sizes).equals(List.of("t "));
    }
  }

  /** What is wrong at rest: lists too long, guests lost or invented, or refused without need. */
  public List<String> faults() throws SQLException {
    try (Connection connection = node().connect();
        Statement statement = connection.createStatement()) {
      List<String> found =
          Rows.read(
              statement, "SELECT 'too long', id FROM lists WHERE abelian.size(guests) > places");
      String told =
          "SELECT id, '%s' AS guest FROM lists UNION ALL SELECT id, guest FROM journal GROUP BY 1,"
                  .formatted(RESIDENT)
              + " 2 HAVING sum(amount) < 0";
      String there = "SELECT id, unnest(guests::text[]) FROM lists";
      found.addAll(
          Rows.read(statement, "SELECT 'lost', * FROM (%s EXCEPT %s) d".formatted(told, there)));
      found.addAll(
          Rows.read(
              statement, "SELECT 'invented', * FROM (%s EXCEPT (%s)) d".formatted(there, told)));
      found.addAll(record().needless(statement, way.places));
      return found;
    }
  }
}
