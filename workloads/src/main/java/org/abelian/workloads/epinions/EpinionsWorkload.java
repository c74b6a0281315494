package org.abelian.workloads.epinions;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.SchemaWorkload;

/** EPinions in one kind of columns. */
public final class EpinionsWorkload extends SchemaWorkload<EpinionsTables> {
  private final EpinionsOptions options;
  private Opinions opinions;

  public EpinionsWorkload(EpinionsOptions options, Columns columns) {
    super(new EpinionsTables(columns));
    this.options = options;
  }

  @Override
  public String name() {
    return "epinions";
  }

  @Override
  public String description() {
    return "%,d items with %d reviews each on average, %,d users"
        .formatted(options.items(), EpinionsOptions.REVIEWS_PER_ITEM, options.users());
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    opinions = new Opinions(options, seed);
    new EpinionsLoad(connection, options, opinions, seed).load();
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
