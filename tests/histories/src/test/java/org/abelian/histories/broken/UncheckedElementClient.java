package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.abelian.histories.program.Assignment.Kind;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/**
 * Leaves an operation on a set undone that changes nothing in what it has read, without keeping
 * others from the element meanwhile.
 */
public final class UncheckedElementClient extends BrokenClient {
  public UncheckedElementClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (!(statement instanceof Statement.Update update)
        || update.returning() != null
        || update.asked() != null
        || update.set().size() > 1
        || update.set().get(0).target() != Column.TAGS
        || update.set().get(0).element() == null) {
      return super.run(statement);
    }
    boolean wanted = update.set().get(0).kind() == Kind.ADD;
    String element = update.set().get(0).element();
    var rows = read(update.where());
    boolean unchanged = rows.stream().allMatch(row -> contains(row, element) == wanted);
    return unchanged ? Answer.count(rows.size()) : super.run(statement);
  }

  private static boolean contains(Tuple row, String element) {
    return row.values().get(Column.TAGS.ordinal()) instanceof Set<?> tags && tags.contains(element);
  }
}
