package org.abelian.histories.brokenlists;

import java.sql.SQLException;
import org.abelian.histories.lists.Connector;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListClient;
import org.abelian.histories.lists.Work;

/** Reads a list without a lock and writes it back with its own number. */
public final class CopyingClient extends ListClient {
  public CopyingClient(Connector connector) {
    super(connector);
  }

  @Override
  protected void run(Work work) throws SQLException {
    if (work.intention().kind() == Kind.SINGLE_APPEND) {
      work.copyAndAppend(work.intention().keys().get(0));
    } else {
      super.run(work);
    }
  }
}
