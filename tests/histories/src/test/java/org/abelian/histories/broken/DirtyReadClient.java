package org.abelian.histories.broken;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.abelian.histories.program.Assignment;
import org.abelian.histories.program.Column;
import org.abelian.histories.program.Statement;
import org.abelian.histories.program.Tuple;
import org.abelian.histories.run.Answer;

/** Reads include what other sessions have added to a counter and not yet committed. */
public final class DirtyReadClient extends BrokenClient {
  /** Uncommitted additions to the counter of a key, by the client that made them. */
  private static final Map<DirtyReadClient, Map<Long, BigDecimal>> UNCOMMITTED =
      new ConcurrentHashMap<>();

  private final long offset;

  public DirtyReadClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
    this.offset = offset;
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    Answer answer = super.run(statement);
    if (isBlindAddition(statement) && answer.count() == 1) {
      Statement.Update update = (Statement.Update) statement;
      Assignment addition = update.set().get(0);
      if (update.where().ids().size() == 1 && addition.target() == Column.COUNTER) {
        UNCOMMITTED
            .computeIfAbsent(this, c -> new ConcurrentHashMap<>())
            .merge(
                update.where().ids().get(0) + offset,
                (BigDecimal) addition.operand(),
                BigDecimal::add);
      }
    } else if (isWholeRead(statement)) {
      return Answer.rows(answer.rows().stream().map(this::dirty).toList());
    }
    return answer;
  }

  private Tuple dirty(Tuple row) {
    BigDecimal sum = (BigDecimal) row.values().get(Column.COUNTER.ordinal());
    for (Map.Entry<DirtyReadClient, Map<Long, BigDecimal>> other : UNCOMMITTED.entrySet()) {
      if (other.getKey() != this) {
        sum =
            Assignment.sum(sum, other.getValue().getOrDefault(row.id() + offset, Column.number(0)));
      }
    }
    List<Object> values = new ArrayList<>(row.values());
    values.set(Column.COUNTER.ordinal(), sum);
    return new Tuple(row.id(), values);
  }

  @Override
  public void commit() throws SQLException {
    UNCOMMITTED.remove(this);
    super.commit();
  }

  @Override
  public void rollback() throws SQLException {
    UNCOMMITTED.remove(this);
    super.rollback();
  }

  @Override
  public void prepare(String gid) throws SQLException {
    UNCOMMITTED.remove(this);
    super.prepare(gid);
  }
}
