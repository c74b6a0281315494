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
  private final List<Database> nodes;
  private final String suffix;
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
    this.nodes = List.copyOf(nodes);
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
    if (!nodes.isEmpty()) {
      variants.add(
          new Variant(
              readersByHandAlone(),
              READERS,
              round -> readersByHand(readersByHandAlone(), round).measure(options.time())));
    }
    for (Transfers way : ways) {
      variants.add(
          new Variant(
              writersAlone(way),
              crews.writers(),
              round -> crews.writers(way, writersAlone(way), round).measure(options.time())));
      variants.add(
          new Variant(
              writersBeside(way),
              crews.writers(),
              round ->
                  measureBoth(
                      way,
                      writersBeside(way),
                      readersBeside(way),
                      readers(readersBeside(way), round),
                      round)));
      if (!nodes.isEmpty()) {
        variants.add(
            new Variant(
                writersBesideByHand(way),
                crews.writers(),
                round ->
                    measureBoth(
                        way,
                        writersBesideByHand(way),
                        byHandBeside(way),
                        readersByHand(byHandBeside(way), round),
                        round)));
      }
    }
    return variants;
  }

  private Crew readers(String row, long seed) {
    return crews.readers(Read.SUM, crews.written(), READERS, false, row, seed);
  }

  private Crew readersByHand(String row, long seed) {
    return crews.readersByHand(Read.SUM, crews.written(), nodes, READERS, row, seed);
  }

  private Sample measureBoth(
      Transfers way, String writersRow, String readersRow, Crew readers, int round)
      throws Exception {
    Crew writers = crews.writers(way, writersRow, round);
    List<Sample> both = Crew.measure(List.of(writers, readers), options.time(), () -> {});
    readersBeside.computeIfAbsent(readersRow, any -> new ArrayList<>()).add(both.get(1));
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

  private String readersAlone() {
    return "readers alone" + suffix;
  }

  private String readersByHandAlone() {
    return "readers by hand alone" + suffix;
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

  private static String writersBesideByHand(Transfers way) {
    return "writers beside readers by hand: " + way;
  }

  private static String byHandBeside(Transfers way) {
    return "readers by hand beside writers: " + way;
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
      if (!nodes.isEmpty()) {
        ratios.put(
            "by_hand_beside_writers_over_alone_" + way.key(),
            measured.ratio(byHandBeside(way), readersByHandAlone()));
        ratios.put(
            "writers_beside_by_hand_over_alone_" + way.key(),
            measured.ratio(writersBesideByHand(way), writersAlone(way)));
      }
    }
  }
}
