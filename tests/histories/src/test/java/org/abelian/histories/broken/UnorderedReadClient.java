package org.abelian.histories.broken;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Condition;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/**
 * Goes before others who have added to a counter when it reads that, and does not have them commit
 * later: additions lock nothing until the transaction ends, and a read shows what is committed and
 * its own.
 */
public final class UnorderedReadClient extends BrokenClient {
  private final List<Statement.Update> additions = new ArrayList<>();

  public UnorderedReadClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
  }

  @Override
  public void begin(Level level) throws SQLException {
    additions.clear();
    super.begin(level);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    if (isBlindAddition(statement)) {
      Statement.Update update = (Statement.Update) statement;
      if (update.where().equals(Condition.ids(update.where().ids()))
          && read(update.where()).size() == 1) {
        additions.add(update);
        return Answer.count(1);
      }
    }
    if (isWholeRead(statement)) {
      Map<Integer, Map<Column, BigDecimal>> own = own();
      List<Tuple> rows = super.run(statement).rows();
      return Answer.rows(rows.stream().map(row -> with(row, own)).toList());
    }
    flush();
    return super.run(statement);
  }

  private Map<Integer, Map<Column, BigDecimal>> own() {
    Map<Integer, Map<Column, BigDecimal>> sums = new HashMap<>();
    for (Statement.Update update : additions) {
      for (Assignment addition : update.set()) {
        sums.computeIfAbsent(update.where().ids().get(0), key -> new HashMap<>())
            .merge(addition.target(), (BigDecimal) addition.operand(), BigDecimal::add);
      }
    }
    return sums;
  }

  private static Tuple with(Tuple row, Map<Integer, Map<Column, BigDecimal>> own) {
    List<Object> values = new ArrayList<>(row.values());
    own.getOrDefault(row.id(), Map.of())
        .forEach(
            (column, sum) ->
                values.set(
                    column.ordinal(),
                    Assignment.sum((BigDecimal) values.get(column.ordinal()), sum)));
    return new Tuple(row.id(), values);
  }

  private void flush() throws SQLException {
    for (Statement.Update addition : additions) {
      runFaithfully(addition);
    }
    additions.clear();
  }

  @Override
  public void commit() throws SQLException {
    flush();
    super.commit();
  }

  @Override
  public void prepare(String gid) throws SQLException {
    flush();
    super.prepare(gid);
  }
}
