package org.abelian.advisor.cluster;

import java.util.Properties;
import org.abelian.router.database.JdbcPool;

/** Databases that a phase asks by one connection. */
public final class OneConnection {
  private OneConnection() {}

  /**
   * A pool of one connection, for whoever closes it.
   *
   * @param url which says all, as that of PostgreSQL's driver does
   */
  public static JdbcPool to(String url) {
    return new JdbcPool("abelian advisor", url, new Properties(), 1);
  }
}
