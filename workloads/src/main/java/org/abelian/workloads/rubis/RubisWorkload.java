package org.abelian.workloads.rubis;

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

/** RUBiS with one mix, in one kind of columns. */
public final class RubisWorkload extends SchemaWorkload<RubisTables> {
  private final RubisOptions options;
  private Auctions auctions;
  private AtomicLong nextUser;

  public RubisWorkload(RubisOptions options, Columns columns) {
    super(new RubisTables(columns));
    this.options = options;
  }

  @Override
  public String name() {
    return "rubis";
  }

  @Override
  public String description() {
    return "%s, %,d items, %d regions, %d categories, %d bids for each item at the start"
        .formatted(
            options.mix().label(),
            options.items(),
            RubisOptions.REGIONS,
            RubisOptions.CATEGORIES,
            RubisOptions.BIDS_PER_ITEM);
  }

  /** Also forgets the auctions of an earlier load. */
  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    auctions = new Auctions(options.items(), options.cycle(), seed);
    nextUser = new AtomicLong(options.users() + 1L);
    new RubisLoad(connection, options, auctions, seed).load();
  }

  @Override
  public List<Procedure> procedures() {
    return RubisProcedures.all();
  }

  @Override
  public Script script(int client, long seed) {
    return new RubisScript(options, auctions, nextUser, seed + client);
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return tables.rules(options, committed);
  }
}
