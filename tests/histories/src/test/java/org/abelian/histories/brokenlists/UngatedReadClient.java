package org.abelian.histories.brokenlists;

import java.sql.SQLException;
import org.abelian.histories.lists.Connector;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListClient;
import org.abelian.histories.lists.Work;

/** Reads one node after the other where one statement should read all. */
public final class UngatedReadClient extends ListClient {
  public UngatedReadClient(Connector connector) {
    super(connector);
  }

  @Override
  protected void run(Work work) throws SQLException {
    if (work.intention().kind() == Kind.SPREAD_READ) {
      work.readOneByOne(work.intention().keys());
    } else {
      super.run(work);
    }
  }
}
