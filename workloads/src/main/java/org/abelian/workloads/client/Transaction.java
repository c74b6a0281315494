package org.abelian.workloads.client;

import java.sql.SQLException;

/**
 * What a client does next, with its inputs: it may be run several times until it commits.
 *
 * @param type by which results count it
 * @param committed told, once, that it has committed
 */
public record Transaction(String type, Body body, Runnable committed) {
  /** One whose outcome nobody waits for. */
  public Transaction(String type, Body body) {
    this(type, body, () -> {});
  }

  /** The statements, without COMMIT. */
  @FunctionalInterface
  public interface Body {
    void run(Session session) throws SQLException;
  }
}
