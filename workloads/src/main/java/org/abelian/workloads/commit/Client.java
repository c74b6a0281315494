package org.abelian.workloads.commit;

import java.io.IOException;
import java.sql.SQLException;
import org.abelian.workloads.pair.Pair;

/** Runs transactions, one after the other. */
interface Client extends AutoCloseable {
  /** Runs one; returns when it is durable. */
  void run(Pair pair) throws IOException, SQLException;

  @Override
  void close() throws IOException, SQLException;
}
