package org.abelian.histories.lists;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections to the cluster, through one router or another. */
@FunctionalInterface
public interface Connector {
  /** Opens one. */
  Connection connect() throws SQLException;
}
