package org.abelian.histories.brokenlists;

import java.sql.SQLException;
import java.util.List;
import org.abelian.histories.lists.Connector;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListClient;
import org.abelian.histories.lists.Work;

/** Runs an independent transaction as one of its own on each node. */
public final class HalvesClient extends ListClient {
  public HalvesClient(Connector connector) {
    super(connector);
  }

  @Override
  protected void run(Work work) throws SQLException {
    if (work.intention().kind() != Kind.INDEPENDENT) {
      super.run(work);
      return;
    }
    for (int key : work.intention().keys()) {
      work.append(List.of(key), work.intention().number());
    }
  }
}
