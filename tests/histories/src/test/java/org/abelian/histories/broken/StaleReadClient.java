package org.abelian.histories.broken;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.abelian.histories.program.Level;
import org.abelian.histories.program.Statement;
import org.abelian.histories.run.Answer;

/** Serves a transaction's first read from what some session read before, like a cache. */
public final class StaleReadClient extends BrokenClient {
  private record Key(long offset, Statement.Select select) {}

  private static final Map<Key, Answer> CACHE = new ConcurrentHashMap<>();

  private final long offset;
  private boolean first;

  public StaleReadClient(Connection connection, String table, long offset) {
    super(connection, table, offset);
    this.offset = offset;
  }

  @Override
  public void begin(Level level) throws SQLException {
    first = true;
    super.begin(level);
  }

  @Override
  public Answer run(Statement statement) throws SQLException {
    boolean cached = first && statement instanceof Statement.Select s && !s.forUpdate();
    first = false;
    if (!cached) {
      return super.run(statement);
    }
    Key key = new Key(offset, (Statement.Select) statement);
    Answer answer = CACHE.get(key);
    if (answer == null) {
      answer = super.run(statement);
      CACHE.put(key, answer);
    }
    return answer;
  }
}
