package org.abelian.histories.run;

import java.sql.SQLException;
import java.util.Set;

/** The errors with which a legal concurrent program may end; every other one is a finding. */
final class Errors {
  /** Serialization failure, deadlock, duplicate key. */
  private static final Set<String> EXPECTED = Set.of("40001", "40P01", "23505");

  private Errors() {}

  static String expected(SQLException error) {
    if (!EXPECTED.contains(error.getSQLState())) {
      throw new UnexpectedErrorException(error);
    }
    return error.getSQLState();
  }
}
