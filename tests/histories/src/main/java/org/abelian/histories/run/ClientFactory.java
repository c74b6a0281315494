package org.abelian.histories.run;

import java.sql.Connection;

/** Makes the client of a session; tests of the checker make clients that break promises. */
public interface ClientFactory {
  Client create(Connection connection, String table, long offset);
}
