package org.abelian.histories.load;

import java.sql.SQLException;
import java.sql.Statement;

/** A look at what members have done, by a session that they do not disturb. */
@FunctionalInterface
public interface Look {
  /** Whether something is wrong. */
  boolean at(Statement statement) throws SQLException;
}
