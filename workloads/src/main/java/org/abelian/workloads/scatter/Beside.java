package org.abelian.workloads.scatter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.measure.Crew;
import org.abelian.workloads.measure.Interleaving;
import org.abelian.workloads.measure.Measurements;
import org.abelian.workloads.measure.Sample;
import org.abelian.workloads.measure.Variant;
import org.abelian.workloads.measure.WarmUp;

/** Two clients that read sums and writers of several ways, alone and beside each other. */
final class Beside {
  private static final int READERS = 2;

  private final Crews crews;
  private final ScatterOptions options;
  private final List<Transfers> ways;
  private final String suffix;
  private final Map<String, List<Sample>> readersBeside = new LinkedHashMap<>();

  /**
   * @param ways of the writers
   * @param suffix makes the name of the readers' row unique
   */
  Beside(Crews crews, ScatterOptions options, List<Transfers> ways, String suffix) {
    this.crews = crews;
    this.options = options;
    this.ways = List.copyOf(ways);
    this.suffix = suffix;
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
                        List.of(crews.writers(way, "warm-up", -1), readers("warm-up", -1)),
                        time,
                        () -> {})));
    return Map.of("readers and writers" + suffix, steps);
  }

  List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    variants.add(
        new Variant(
            readersAlone(),
            READERS,
            round -> readers(readersAlone(), round).measure(options.time())));
    for (Transfers way : ways) {
      variants.add(
          new Variant(
              writersAlone(way),
              crews.writers(),
              round -> crews.writers(way, writersAlone(way), round).measure(options.time())));
      variants.add(
          new Variant(writersBeside(way), crews.writers(), round -> measureBoth(way, round)));
    }
    return variants;
  }

  private Crew readers(String row, long seed) {
    return crews.readers(Read.SUM, crews.written(), READERS, false, row, seed);
  }

  private Sample measureBoth(Transfers way, int round) throws Exception {
    Crew writers = crews.writers(way, writersBeside(way), round);
    Crew readers = readers(readersBeside(way), round);
    List<Sample> both = Crew.measure(List.of(writers, readers), options.time(), () -> {});
    readersBeside.computeIfAbsent(readersBeside(way), any -> new ArrayList<>()).add(both.get(1));
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
            ways.stream().map(way -> new Variant(readersBeside(way), READERS, null)).toList(),
            readersBeside));
  }

  private String readersAlone() {
    return "readers alone" + suffix;
  }

  private static String writersAlone(Transfers way) {
    return "writers alone: " + way;
  }

  private static String writersBeside(Transfers way) {
    return "writers beside readers: " + way;
  }

  private static String readersBeside(Transfers way) {
    return "readers beside writers: " + way;
  }

  /** What each keeps beside the other. */
  void addRatios(Map<String, Double> ratios, Measurements measured) {
    for (Transfers way : ways) {
      ratios.put(
          ScatterBench.READERS_KEEP + "_" + way.key(),
          measured.ratio(readersBeside(way), readersAlone()));
      ratios.put(
          ScatterBench.WRITERS_KEEP + "_" + way.key(),
          measured.ratio(writersBeside(way), writersAlone(way)));
    }
  }
}
