package org.abelian.workloads.tpcw;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.abelian.workloads.client.Script;
import org.abelian.workloads.workload.Columns;
import org.abelian.workloads.workload.Rule;
import org.abelian.workloads.workload.SchemaWorkload;

/** TPC-W with one mix, in one kind of columns. */
public final class TpcwWorkload extends SchemaWorkload<TpcwTables> {
  private final TpcwOptions options;
  private Shop shop;

  public TpcwWorkload(TpcwOptions options, Columns columns) {
    super(new TpcwTables(columns));
    this.options = options;
  }

  @Override
  public String name() {
    return "tpcw";
  }

  @Override
  public String description() {
    return "%s, %,d items, %,d customers"
        .formatted(options.mix().label(), options.items(), options.customers());
  }

  @Override
  public void fill(Connection connection, long seed) throws SQLException {
    shop = new Shop(options);
    new TpcwLoad(connection, shop, seed).load();
  }

  @Override
  public Script script(int client, long seed) {
    return new TpcwScript(shop, seed + client);
  }

  @Override
  public List<Rule> rules(Map<String, Long> committed) {
    return tables.rules(options, committed);
  }
}
