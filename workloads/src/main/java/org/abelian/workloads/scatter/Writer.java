package org.abelian.workloads.scatter;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.SplittableRandom;
import org.abelian.workloads.pair.CommitNotice;
import org.abelian.workloads.pair.Keys;
import org.abelian.workloads.pair.Pair;

/** Transfers amounts between rows of two nodes again and again. */
final class Writer extends SessionWorker {
  private static final int AMOUNT_MAX = 100;

  private final Transfers way;
  private final Keys keys;
  private final SplittableRandom random;
  private final PreparedStatement statement;

  Writer(
      Connection connection,
      Map<String, Long> failures,
      Transfers way,
      ScatterTable table,
      Keys keys,
      SplittableRandom random)
      throws SQLException {
    super(connection, !way.isCall(), failures);
    this.way = way;
    this.keys = keys;
    this.random = random;
    statement =
        connection.prepareStatement(
            way.isCall()
                ? way.procedure(table.name()).call()
                : way.update(table.name(), "+ ?", "?"));
  }

  @Override
  void work() throws SQLException {
    Pair pair = Pair.draw(keys, random);
    int amount = 1 + random.nextInt(AMOUNT_MAX);
    if (way.isCall()) {
      statement.setInt(1, pair.firstKey());
      statement.setInt(2, pair.secondKey());
      statement.setInt(3, amount);
      statement.execute();
    } else {
      add(pair.firstKey(), -amount);
      add(pair.secondKey(), amount);
    }
  }

  private void add(int key, int amount) throws SQLException {
    statement.setInt(1, amount);
    statement.setInt(2, key);
    if (statement.executeUpdate() != 1) {
      throw new IllegalStateException("no row has key " + key);
    }
  }

  /** Has the router tell which class each transfer takes. */
  void ask() throws SQLException {
    CommitNotice.ask(statement.getConnection());
  }

  /** The last transfer has taken the class of its way. */
  void requireClass() throws SQLException {
    CommitNotice.require(way.commitClass(), way, statement);
  }
}
