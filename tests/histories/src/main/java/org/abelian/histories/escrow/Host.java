package org.abelian.histories.escrow;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** One who puts guests on lists where there is room, and takes own guests off again. */
final class Host extends RecordedMember {
  private static final String CHECK_VIOLATION = "23514";
  private static final String LONG_NAME = "-".repeat(100);

  private record Guest(int list, String name) {}

  private final GuestLists lists;
  private final long host;
  private final Random random;
  private final List<Guest> staying = new ArrayList<>();
  private final long[] own = new long[GuestLists.LISTS + 1];
  private List<Guest> here = new ArrayList<>();
  private int transaction;
  private int guests;

  Host(GuestLists lists, long host, long seed) {
    super(lists.crew(), lists.record());
    this.lists = lists;
    this.host = host;
    this.random = new Random(seed);
  }

  @Override
  protected void open(Statement statement) throws SQLException {
    statement.execute("SET application_name = 'host'");
    statement.execute("SET abelian.split = " + (random.nextBoolean() ? "always" : "auto"));
  }

  @Override
  protected void transact(Statement statement) throws SQLException {
    transaction++;
    here = new ArrayList<>(staying);
    Arrays.fill(own, 0);
    statement.execute("BEGIN");
    for (int i = random.nextInt(3); i >= 0; i--) {
      step(statement);
    }
    if (end(statement, random, new SalesRecord.Number(host, transaction))) {
      staying.clear();
      staying.addAll(here);
    }
  }

  @Override
  protected boolean isExpected(SQLException error) {
    return false;
  }

  private void step(Statement statement) throws SQLException {
    switch (random.nextInt(6)) {
      case 0 -> leave(statement);
      case 1 -> {
        if (lists.hasRoomForAll()) {
          arrive(statement);
        } else {
          leave(statement);
        }
      }
      case 2 -> {
        List<Guest> before = new ArrayList<>(here);
        long[] amounts = own.clone();
        statement.execute("SAVEPOINT s");
        arrive(statement);
        leave(statement);
        statement.execute("ROLLBACK TO SAVEPOINT s");
        here = before;
        System.arraycopy(amounts, 0, own, 0, own.length);
      }
      case 3 -> {
        if (!isGranted(statement, new Guest(list(), GuestLists.RESIDENT))) {
          throw new SQLException("who is on the list was refused", "XX000");
        }
      }
      default -> arrive(statement);
    }
  }

  private void arrive(Statement statement) throws SQLException {
    // Long names fill small slices soon.
    String name = "g" + host + "_" + ++guests + LONG_NAME.repeat(guests % 2);
    Guest guest = new Guest(list(), name);
    long sent = System.nanoTime();
    if (isGranted(statement, guest)) {
      lists.record().noteGranted();
      here.add(guest);
      note(statement, guest, -1);
    } else {
      lists.record().noteRefused(guest.list(), 1, own[guest.list()], sent);
    }
  }

  private boolean isGranted(Statement statement, Guest guest) throws SQLException {
    statement.execute("SAVEPOINT arrival");
    try {
      return statement.executeUpdate(lists.arrival(guest.list(), guest.name())) == 1;
    } catch (SQLException e) {
      if (!CHECK_VIOLATION.equals(e.getSQLState())) {
        throw e;
      }
      statement.execute("ROLLBACK TO SAVEPOINT arrival");
      return false;
    }
  }

  private void leave(Statement statement) throws SQLException {
    if (here.isEmpty()) {
      return;
    }
    Guest guest = here.remove(random.nextInt(here.size()));
    statement.execute(
        "UPDATE lists SET guests = abelian.remove(guests, '%s') WHERE id = %d"
            .formatted(guest.name(), guest.list()));
    note(statement, guest, 1);
  }

  private void note(Statement statement, Guest guest, long amount) throws SQLException {
    own[guest.list()] += amount;
    statement.execute(
        "INSERT INTO journal VALUES (%d, %d, %d, %d, '%s')"
            .formatted(host, transaction, guest.list(), amount, guest.name()));
  }

  private int list() {
    return 1 + random.nextInt(GuestLists.LISTS);
  }
}
