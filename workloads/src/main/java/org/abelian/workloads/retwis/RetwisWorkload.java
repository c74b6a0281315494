package org.abelian.workloads.retwis;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Procedure;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.SchemaWorkload;

/** Retwis with one mix, in one kind of columns. */
public final class RetwisWorkload extends SchemaWorkload<RetwisTables> {
  private final RetwisOptions options;
  private final RetwisTransactions transactions;
  private final AtomicLong nextPost = new AtomicLong();
  private final AtomicLong nextUser = new AtomicLong();

  public RetwisWorkload(RetwisOptions options, Columns columns) {
    super(new RetwisTables(columns));
    this.options = options;
    transactions = new RetwisTransactions(columns);
  }

  @Override
  public String name() {
    return "retwis";
  }

  @Override
  public String description() {
    return "%s, %,d users, a Kronecker graph drawn with %d followers for each"
        .formatted(options.mix().label(), options.users(), options.followers());
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    nextPost.set(options.users() + 1L);
    nextUser.set(options.users() + 1L);
    KroneckerGraph graph = KroneckerGraph.draw(options.scale(), options.followers(), seed);
    new RetwisLoad(connection, graph, columns()).load();
  }

  @Override
  public List<Procedure> procedures() {
    return new RetwisProcedures(columns()).all();
  }

  @Override
  public Script script(int client, long seed) {
    return new RetwisScript(options, transactions, nextPost, nextUser, seed + client);
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return tables.rules(options, committed);
  }
}
