package org.abelian.workloads.auctionmark;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.SchemaWorkload;

/** AuctionMark in one kind of columns. */
public final class AuctionMarkWorkload extends SchemaWorkload<AuctionMarkTables> {
  private final AuctionMarkOptions options;
  private Market market;

  public AuctionMarkWorkload(AuctionMarkOptions options, Columns columns) {
    super(new AuctionMarkTables(columns));
    this.options = options;
  }

  @Override
  public String name() {
    return "auctionmark";
  }

  @Override
  public String description() {
    return "%1$,d users, %1$,d open items with %2$d bids each on average"
        .formatted(options.items(), AuctionMarkOptions.BIDS_PER_ITEM);
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    market = new Market(options, seed);
    new AuctionMarkLoad(connection, options, market, columns(), seed).load();
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
