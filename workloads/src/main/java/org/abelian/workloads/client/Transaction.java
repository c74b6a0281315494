package org.abelian.workloads.client;

import java.sql.SQLException;

/**
 * What a client does next, with its inputs: it may be run several times until it commits.
 *
 * @param type by which results count it
 */
public record Transaction(String type, Body body) {
  /** The statements, without COMMIT. */
  @FunctionalInterface
  public interface Body {
    void run(Session session) throws SQLException;
  }
}
