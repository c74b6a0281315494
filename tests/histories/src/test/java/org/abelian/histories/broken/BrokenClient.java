package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;
import org.abelian.histories.run.Client;

/** What the broken clients have in common: they recognise counter operations. */
abstract class BrokenClient extends Client {
  static final List<Column> ALL = List.of(Column.values());

  BrokenClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  /** An UPDATE that only adds constants to counters and returns nothing. */
  static boolean isBlindAddition(Statement statement) {
    return statement instanceof Statement.Update update
        && update.returning() == null
        && update.set().stream()
            .allMatch(a -> a.target().isSum() && a.kind() == Assignment.Kind.ADD);
  }

  /** A SELECT of all columns without a locking clause. */
  static boolean isWholeRead(Statement statement) {
    return statement instanceof Statement.Select select
        && !select.forUpdate()
        && select.columns().equals(ALL);
  }

  List<Tuple> read(Condition where) throws SQLException {
    return super.run(new Statement.Select(where, ALL, false)).rows();
  }

  Answer runFaithfully(Statement statement) throws SQLException {
    return super.run(statement);
  }

  static Statement.Update update(Condition where, List<Assignment> set) {
    return new Statement.Update(where, set, null, null, Statement.Form.LITERAL);
  }
}
