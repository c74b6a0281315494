package org.abelian.workloads.scatter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.measure.Crew;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.measure.WarmUp;

/**
 * Two clients that read sums and writers of several ways, alone and beside each other. The same
 * readers by hand, whom nothing holds up and who hold up nobody, show what sharing the processors
 * takes from either.
 */
final class Beside {
  private static final int READERS = 2;

  private final Crews crews;
  private final ScatterOptions options;
  private final List<Transfers> ways;
  private final Readers readers;
  private final List<Readers> kinds;
  private final Map<String, List<Sample>> readersBeside = new LinkedHashMap<>();

  /**
   * @param ways of the writers
   * @param nodes whom readers can ask past the router; none to leave that out
   * @param suffix makes the name of the readers' row unique
   */
  Beside(
      Crews crews,
      ScatterOptions options,
      List<Transfers> ways,
      List<Database> nodes,
      String suffix) {
    this.crews = crews;
    this.options = options;
    this.ways = List.copyOf(ways);
    this.readers =
        new Readers(
            "readers",
            suffix,
            ScatterBench.READERS_KEEP,
            ScatterBench.WRITERS_KEEP,
            (row, seed) -> crews.readers(Read.SUM, crews.written(), READERS, false, row, seed));
    Readers byHand =
        new Readers(
            "readers by hand",
            suffix,
            "by_hand_beside_writers_over_alone",
            "writers_beside_by_hand_over_alone",
            (row, seed) ->
                crews.readersByHand(Read.SUM, crews.written(), nodes, READERS, row, seed));
    this.kinds = nodes.isEmpty() ? List.of(readers) : List.of(readers, byHand);
  }

  /** Makes a crew; the row is that of its failures. */
  @FunctionalInterface
  private interface CrewSource {
    Crew crew(String row, long seed);
  }

  /**
   * One kind of readers.
   *
   * @param suffix makes the name of the row unique of those who read alone
   * @param keep the ratio of what they keep beside writers
   * @param writersKeep the ratio of what writers keep beside them
   */
  private record Readers(
      String name, String suffix, String keep, String writersKeep, CrewSource source) {
    String alone() {
      return name + " alone" + suffix;
    }

    String beside(Transfers way) {
      return name + " beside writers: " + way;
    }

    String writersBeside(Transfers way) {
      return "writers beside " + name + ": " + way;
    }

    Crew crew(String row, long seed) {
      return source.crew(row, seed);
    }
  }

  /** A transfer of each way, which must take the class that the way is named after. */
  void requireClasses() throws Exception {
    for (Transfers way : ways) {
      try (JdbcPool pool = crews.written().database().pool(1);
          Writer writer = crews.writer(pool, way, "first transfer", way.ordinal())) {
        writer.ask();
        writer.once(0);
        writer.requireClass();
      }
    }
  }

  Map<String, List<WarmUp.Step>> warmUps() {
    List<WarmUp.Step> steps = new ArrayList<>();
    ways.forEach(
        way ->
            steps.add(
                time ->
                    Crew.measure(
                        List.of(crews.writers(way, "warm-up", -1), readers.crew("warm-up", -1)),
                        time,
                        () -> {})));
    return Map.of("readers and writers" + readers.suffix(), steps);
  }

  List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    for (Readers kind : kinds) {
      String alone = kind.alone();
      variants.add(
          new Variant(alone, READERS, round -> kind.crew(alone, round).measure(options.time())));
    }
    for (Transfers way : ways) {
      String alone = writersAlone(way);
      variants.add(
          new Variant(
              alone,
              crews.writers(),
              round -> crews.writers(way, alone, round).measure(options.time())));
      for (Readers kind : kinds) {
        variants.add(
            new Variant(
                kind.writersBeside(way), crews.writers(), round -> measureBoth(way, kind, round)));
      }
    }
    return variants;
  }

  private Sample measureBoth(Transfers way, Readers kind, int round) throws Exception {
    String row = kind.beside(way);
    Crew writers = crews.writers(way, kind.writersBeside(way), round);
    List<Sample> both =
        Crew.measure(List.of(writers, kind.crew(row, round)), options.time(), () -> {});
    readersBeside.computeIfAbsent(row, any -> new ArrayList<>()).add(both.get(1));
    return both.get(0);
  }

  /** Has its variants measured by themselves. */
  Measurements measure(Consumer<String> progress) throws Exception {
    return withReaders(new Interleaving(variants(), options.rounds()).run(progress));
  }

  /** Adds the rows of the readers, who are measured together with the writers. */
  Measurements withReaders(Measurements measured) {
    return measured.and(
        new Measurements(
            readersBeside.keySet().stream().map(row -> new Variant(row, READERS, null)).toList(),
            readersBeside));
  }

  private static String writersAlone(Transfers way) {
    return "writers alone: " + way;
  }

  /** What each keeps beside the other. */
  void addRatios(Map<String, Double> ratios, Measurements measured) {
    for (Transfers way : ways) {
      for (Readers kind : kinds) {
        ratios.put(kind.keep() + "_" + way.key(), measured.ratio(kind.beside(way), kind.alone()));
        ratios.put(
            kind.writersKeep() + "_" + way.key(),
            measured.ratio(kind.writersBeside(way), writersAlone(way)));
      }
    }
  }
}
