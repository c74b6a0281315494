package org.abelian.histories.brokenlists;

import java.sql.SQLException;
import org.abelian.histories.lists.Connector;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListClient;
import org.abelian.histories.lists.Work;

/** Takes some of its successes for lost connections, and repeats these transactions. */
public final class RetryingClient extends ListClient {
  private static final int ONE_IN = 8;

  private final Kind kind;

  /**
   * A client.
   *
   * @param kind of the transactions that it repeats
   */
  public RetryingClient(Connector connector, Kind kind) {
    super(connector);
    this.kind = kind;
  }

  @Override
  protected void run(Work work) throws SQLException {
    super.run(work);
    if (work.intention().kind() == kind && work.intention().name() % ONE_IN == 0) {
      super.run(work);
    }
  }
}
