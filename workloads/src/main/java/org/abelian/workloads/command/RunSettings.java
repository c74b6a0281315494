package org.abelian.workloads.command;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.abelian.workloads.tpcc.input.HomeWarehouse;
import org.abelian.workloads.tpcc.input.InputOptions;
import org.abelian.workloads.tpcc.run.RunOptions;
import org.abelian.workloads.tpcc.schema.Scale;
import picocli.CommandLine.Option;

/** Options of a measured TPC-C run. */
final class RunSettings {
  @Option(names = "--terminals", defaultValue = "8", description = "default: ${DEFAULT-VALUE}")
  private int terminals;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "default: ${DEFAULT-VALUE}")
  private int warmUp;

  @Option(
      names = "--seconds",
      defaultValue = "30",
      description = "measured time; default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(
      names = "--home-warehouse",
      defaultValue = "FIXED",
      description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}, as specified")
  private HomeWarehouse homeWarehouse;

  @Option(
      names = "--remote-lines",
      paramLabel = "PERCENT",
      defaultValue = "1",
      description = "order lines of another warehouse; default: ${DEFAULT-VALUE}")
  private double remoteLines;

  @Option(
      names = "--remote-payments",
      paramLabel = "PERCENT",
      defaultValue = "15",
      description = "payments of another warehouse's customers; default: ${DEFAULT-VALUE}")
  private double remotePayments;

  @Option(
      names = "--deck",
      description = "draw types from a deck of cards, not by independent chance")
  private boolean deck;

  @Option(
      names = "--procedures",
      description =
          "NewOrder and Payment as distributed procedures; the whole benchmark interleaves them"
              + " with the statements one by one")
  private boolean procedures;

  @Option(names = "--waits", description = "keep the specified keying and think times")
  private boolean waits;

  @Option(
      names = "--attempts",
      defaultValue = "20",
      description =
          "tries of a transaction that fails with 40001 or 40P01; default: ${DEFAULT-VALUE}")
  private int attempts;

  @Option(names = "--seed", defaultValue = "1", description = "default: ${DEFAULT-VALUE}")
  private long seed;

  int terminals() {
    return terminals;
  }

  boolean procedures() {
    return procedures;
  }

  long seed() {
    return seed;
  }

  /** Options of a run; another round draws other inputs. */
  RunOptions options(Scale scale, int round) {
    return options(scale, round, procedures);
  }

  /** As above; as procedures or not. */
  RunOptions options(Scale scale, int round, boolean procedures) {
    return new RunOptions(
        scale,
        terminals,
        Duration.ofSeconds(warmUp),
        Duration.ofSeconds(seconds),
        new InputOptions(homeWarehouse, remoteLines, remotePayments, 1),
        deck,
        waits,
        attempts,
        seed + round,
        procedures);
  }

  /** What a result tells about how it was made. */
  Map<String, Object> parameters(Scale scale) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("warehouses", scale.warehouses());
    parameters.put("items", scale.items());
    parameters.put("customers_per_district", scale.customersPerDistrict());
    parameters.put("terminals", terminals);
    parameters.put("warm_up_s", warmUp);
    parameters.put("measured_s", seconds);
    parameters.put("home_warehouse", homeWarehouse.name().toLowerCase(Locale.ROOT));
    parameters.put("remote_lines_percent", remoteLines);
    parameters.put("remote_payments_percent", remotePayments);
    parameters.put("mix", deck ? "deck" : "weighted");
    parameters.put("waits", waits);
    parameters.put("procedures", procedures);
    parameters.put("seed", seed);
    return parameters;
  }
}
