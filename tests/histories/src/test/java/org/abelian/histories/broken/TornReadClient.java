package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/** Reads several rows one after the other, each from a snapshot of its own. */
public final class TornReadClient extends BrokenClient {
  private static final long PAUSE_NANOSECONDS = 500_000;

  public TornReadClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!(statement instanceof Statement.Select select)
        || !isWholeRead(select)
        || select.where().ids().size() == 1) {
      return super.run(statement);
    }
    List<Tuple> rows = new ArrayList<>();
    for (int id : select.where().ids()) {
      Condition one =
          new Condition(
              List.of(id),
              select.where().status(),
              select.where().counterBelow(),
              select.where().contained());
      rows.addAll(read(one));
      LockSupport.parkNanos(PAUSE_NANOSECONDS);
    }
    return Answer.rows(rows);
  }
}
