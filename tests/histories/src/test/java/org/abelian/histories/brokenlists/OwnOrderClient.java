package org.abelian.histories.brokenlists;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.abelian.histories.lists.Connector;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListClient;
import org.abelian.histories.lists.Work;

/** Lets each node execute independent transactions when it likes, as if there were no lane. */
public final class OwnOrderClient extends ListClient {
  public OwnOrderClient(Connector connector) {
    super(connector);
  }

  @Override
  protected void run(Work work) throws SQLException {
    if (work.intention().kind() != Kind.INDEPENDENT) {
      super.run(work);
      return;
    }
    List<Integer> keys = new ArrayList<>(work.intention().keys());
    if (work.intention().name() % 2 == 0) {
      Collections.reverse(keys);
    }
    for (int key : keys) {
      work.append(List.of(key), work.intention().number());
    }
  }
}
