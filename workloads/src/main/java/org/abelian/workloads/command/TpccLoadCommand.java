package org.abelian.workloads.command;

import java.util.concurrent.Callable;
import org.abelian.workloads.database.Database;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates the tables anew and loads them. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    description = "Replaces the TPC-C tables and loads them.")
final class TpccLoadCommand implements Callable<Integer> {
  @Mixin private Connect connect = new Connect();
  @Mixin private Size size = new Size();
  @Mixin private Tables tables = new Tables();

  @Option(names = "--seed", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
  private long seed;

  @Override
  public Integer call() throws Exception {
    Database database = connect.database();
    tables.load(database, size.scale(), tables.columns(), tables.isPlaced(database), seed);
    return 0;
  }
}
