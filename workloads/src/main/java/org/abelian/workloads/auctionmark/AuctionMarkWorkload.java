package org.abelian.workloads.auctionmark;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Workload;

/** AuctionMark in one kind of columns. */
public final class AuctionMarkWorkload implements Workload {
  private final AuctionMarkOptions options;
  private final AuctionMarkTables tables;
  private Market market;

  public AuctionMarkWorkload(AuctionMarkOptions options, Columns columns) {
    this.options = options;
    tables = new AuctionMarkTables(columns);
  }

  @Override
  public String name() {
    return "auctionmark";
  }

  @Override
  public Columns columns() {
    return tables.columns();
  }

  @Override
  public String description() {
    return "%1$,d users, %1$,d open items with %2$d bids each on average"
        .formatted(options.items(), AuctionMarkOptions.BIDS_PER_ITEM);
  }

  @Override
  public List<String> create() {
    return tables.create();
  }

  @Override
  public List<String> place() {
    return tables.place();
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    market = new Market(options, seed);
    new AuctionMarkLoad(connection, options, market, columns(), seed).load();
  }

  @Override
  public List<String> finish() {
    return tables.finish();
  }

  @Override
  public Script script(int client, long seed) {
    return new AuctionMarkScript(market, new AuctionMarkWrites(columns()), seed + client);
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return new AuctionMarkRules(columns(), options).all(committed);
  }
}
