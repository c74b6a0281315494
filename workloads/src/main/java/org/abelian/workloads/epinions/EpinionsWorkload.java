package org.abelian.workloads.epinions;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.Workload;

/** EPinions in one kind of columns. */
public final class EpinionsWorkload implements Workload {
  private final EpinionsOptions options;
  private final EpinionsTables tables;
  private Opinions opinions;

  public EpinionsWorkload(EpinionsOptions options, Columns columns) {
    this.options = options;
    tables = new EpinionsTables(columns);
  }

  @Override
  public String name() {
    return "epinions";
  }

  @Override
  public Columns columns() {
    return tables.columns();
  }

  @Override
  public String description() {
    return "%,d items with %d reviews each on average, %,d users"
        .formatted(options.items(), EpinionsOptions.REVIEWS_PER_ITEM, options.users());
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
    opinions = new Opinions(options, seed);
    new EpinionsLoad(connection, options, opinions, seed).load();
  }

  @Override
  public List<String> finish() {
    return tables.finish();
  }

  @Override
  public Script script(int client, long seed) {
    return new EpinionsScript(opinions, seed + client);
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return tables.rules(options, opinions);
  }
}
