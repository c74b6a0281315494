package org.abelian.workloads.scatter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.Crew;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.measure.WarmUp;

/** Each read by one client, several and many: on one PostgreSQL, on the cluster, beside writers. */
final class Reads {
  private static final String PLAIN = "plain";
  private static final String CLUSTER = "cluster";
  private static final String BY_HAND = "nodes by hand";

  /** Beside whom. */
  private static final Transfers WRITERS = Transfers.COORDINATED;

  private final Crews crews;
  private final ScatterOptions options;
  private final Map<String, ScatterTable> tables = new LinkedHashMap<>();
  private final List<Database> nodes;

  /**
   * @param nodes whom a client can ask past the router; none to leave that out
   */
  Reads(
      Crews crews,
      ScatterOptions options,
      ScatterTable plain,
      ScatterTable cluster,
      List<Database> nodes) {
    this.crews = crews;
    this.options = options;
    tables.put(PLAIN, plain);
    tables.put(CLUSTER, cluster);
    this.nodes = nodes;
  }

  Map<String, List<WarmUp.Step>> warmUps() {
    Map<String, List<WarmUp.Step>> ways = new LinkedHashMap<>();
    tables.forEach(
        (where, table) ->
            ways.put(
                where + " reads",
                Stream.of(Read.values())
                    .<WarmUp.Step>map(
                        read ->
                            time ->
                                crews
                                    .readers(read, table, options.clients(), false, "warm-up", -1)
                                    .measure(time))
                    .toList()));
    return ways;
  }

  List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    for (Read read : Read.values()) {
      if (!nodes.isEmpty()) {
        variants.add(byHand(read));
      }
      for (int count : List.of(1, options.clients(), options.many())) {
        for (boolean block : new boolean[] {false, true}) {
          tables.forEach(
              (where, table) -> {
                String name = name(where, read, count, block);
                variants.add(
                    new Variant(
                        name,
                        count,
                        round ->
                            crews
                                .readers(read, table, count, block, name, round)
                                .measure(options.time())));
              });
          variants.add(besideWriters(read, count, block));
        }
      }
    }
    return variants;
  }

  private Variant besideWriters(Read read, int count, boolean block) {
    String name = name(CLUSTER, read, count, block) + ", beside writers";
    return new Variant(
        name,
        count,
        round -> {
          Crew readers = crews.readers(read, crews.written(), count, block, name, round);
          Crew writers = crews.writers(WRITERS, name + ": the writers", round);
          return Crew.measure(List.of(readers, writers), options.time(), () -> {}).get(0);
        });
  }

  private Variant byHand(Read read) {
    String name = name(BY_HAND, read, options.clients(), false);
    return new Variant(
        name,
        options.clients(),
        round ->
            crews
                .readersByHand(read, tables.get(CLUSTER), nodes, options.clients(), name, round)
                .measure(options.time()));
  }

  private static String name(String where, Read read, int count, boolean block) {
    return "%s %s, %d%s".formatted(where, read.title(), count, block ? ", block" : "");
  }

  void addRatios(Map<String, Double> ratios, Measurements measured) {
    ratios.put(
        "scatter_over_plain",
        Stream.of(Read.values())
            .mapToDouble(read -> throughput(measured, read, options.clients(), false))
            .min()
            .orElseThrow());
    ratios.put(
        "latency_over_plain",
        Stream.of(Read.values())
            .mapToDouble(read -> 1 / throughput(measured, read, 1, false))
            .max()
            .orElseThrow());
    for (Read read : Read.values()) {
      if (!nodes.isEmpty()) {
        ratios.put(
            "by_hand_over_plain_" + read.title(),
            measured.ratio(
                name(BY_HAND, read, options.clients(), false),
                name(PLAIN, read, options.clients(), false)));
      }
      for (boolean block : new boolean[] {false, true}) {
        String suffix = "_" + read.title() + (block ? "_block" : "");
        ratios.put(
            "scatter_over_plain" + suffix, throughput(measured, read, options.clients(), block));
        ratios.put(
            "scatter_over_plain" + suffix + "_" + options.many(),
            throughput(measured, read, options.many(), block));
        ratios.put("latency_over_plain" + suffix, 1 / throughput(measured, read, 1, block));
      }
    }
  }

  private static double throughput(Measurements measured, Read read, int count, boolean block) {
    return measured.ratio(name(CLUSTER, read, count, block), name(PLAIN, read, count, block));
  }
}
