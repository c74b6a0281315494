package org.abelian.advisor.partitioning;

import static org.abelian.advisor.Traces.read;
import static org.abelian.advisor.Traces.tx;
import static org.abelian.advisor.Traces.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.Traces;
import org.abelian.advisor.command.Commands;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.graph.GraphFiles;
import org.abelian.advisor.graph.GraphOptions;
import org.abelian.advisor.graph.GraphPhase;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.workload.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Graphs whose best cut is known. */
class PartitioningPhaseTest {
  @TempDir Path folder;

  private PartitioningDescription partition(int parts, List<Traces.Tx> transactions) {
    TraceFiles trace =
        Traces.write(folder.resolve("trace"), List.of(Traces.table("t", 1, "id")), transactions);
    GraphOptions options =
        new GraphOptions(new Part(1, 0.00001), 1, 1, 1000, 1, 100, 8, true, false);
    try (OutputFolder output = OutputFolder.begin(folder.resolve("graph"))) {
      GraphPhase.run(trace, options, output);
    }
    try (OutputFolder output = OutputFolder.begin(folder.resolve("cut"))) {
      return PartitioningPhase.run(
          new GraphFiles(folder.resolve("graph")),
          new PartitioningOptions(parts, 6, 1, 100, 60),
          output,
          told -> {});
    }
  }

  private Map<Integer, Integer> places() {
    Map<Integer, Integer> places = new TreeMap<>();
    try (Engine engine = Engine.open()) {
      engine.each(
          "SELECT identity, partition FROM "
              + Engine.parquet(new PartitioningFiles(folder.resolve("cut")).tuples()),
          row -> places.put(Integer.valueOf(row.getString(1).substring(1)), row.getInt(2)));
    }
    return places;
  }

  /** Groups of ten rows, each pair of a group written together once. */
  private static List<Traces.Tx> groups(int count) {
    List<Traces.Tx> transactions = new ArrayList<>();
    for (int group = 0; group < count; group++) {
      for (int a = 0; a < 10; a++) {
        for (int b = a + 1; b < 10; b++) {
          transactions.add(tx(write(0, 10 * group + a), write(1, 10 * group + b)));
        }
      }
    }
    return transactions;
  }

  @Test
  void separatesGroupsThatNothingJoins() {
    PartitioningDescription cut = partition(4, groups(4));
    assertEquals(0, cut.tries().get(0).distributed());
    Map<Integer, Integer> places = places();
    for (int row = 0; row < 40; row++) {
      assertEquals(places.get(row / 10 * 10), places.get(row), "row " + row);
    }
    assertEquals(4, places.values().stream().distinct().count());
  }

  @Test
  void cutsTheBridgeAndNothingElse() {
    List<Traces.Tx> transactions = groups(2);
    transactions.add(tx(write(0, 0), write(1, 10)));
    PartitioningDescription cut = partition(2, transactions);
    assertEquals(1.0 / transactions.size(), cut.tries().get(0).distributed(), 1e-12);
  }

  @Test
  void replicatesWhatAllReadAndNobodyWrites() {
    List<Traces.Tx> transactions = new ArrayList<>();
    for (Traces.Tx one : groups(3)) {
      transactions.add(tx(one.accesses().get(0), one.accesses().get(1), read(2, 999)));
    }
    PartitioningDescription cut = partition(3, transactions);
    assertEquals(0, cut.tries().get(0).distributed());
    assertEquals(PartitioningFiles.REPLICATED, places().get(999));
  }

  @Test
  void doesNotReplicateWhatIsWritten() {
    List<Traces.Tx> transactions = new ArrayList<>();
    for (Traces.Tx one : groups(3)) {
      transactions.add(tx(one.accesses().get(0), one.accesses().get(1), write(2, 999)));
    }
    partition(3, transactions);
    assertNotEquals(PartitioningFiles.REPLICATED, places().get(999));
  }

  @Test
  void givesTheSameForTheSameSeed() {
    partition(3, groups(7));
    Map<Integer, Integer> once = places();
    partition(3, groups(7));
    assertEquals(once, places());
  }

  /** As a log of statements that each name one row. */
  @Test
  void spreadsWhatIsNeverUsedTogether() {
    List<Traces.Tx> transactions = new ArrayList<>();
    for (int row = 0; row < 300; row++) {
      transactions.add(tx(write(0, row % 100)));
    }
    PartitioningDescription cut = partition(4, transactions);
    assertEquals(0, cut.tries().get(0).distributed());
    Map<Integer, Long> rows =
        places().values().stream()
            .collect(Collectors.groupingBy(part -> part, TreeMap::new, Collectors.counting()));
    assertEquals(Map.of(0, 25L, 1, 25L, 2, 25L, 3, 25L), rows);
  }

  /** Runs where Mt-KaHyPar is; it is installed only for those who ask for it. */
  @Test
  void cutsHypergraphsLikewise() {
    String python = System.getenv("ABELIAN_MTKAHYPAR_PYTHON");
    assumeTrue(python != null, "Mt-KaHyPar is not here");
    List<Traces.Tx> transactions = groups(4);
    transactions.add(tx(write(0, 0), write(1, 10)));
    partition(2, transactions);
    try (OutputFolder output = OutputFolder.begin(folder.resolve("cut"))) {
      PartitioningDescription cut =
          PartitioningPhase.run(
              new GraphFiles(folder.resolve("graph")),
              new PartitioningOptions(2, 6, 1, 100, 60, python),
              output,
              told -> {});
      assertEquals(0, cut.tries().get(0).distributed());
    }
    Map<Integer, Integer> places = places();
    for (int row = 0; row < 40; row++) {
      assertEquals(places.get(row / 10 * 10), places.get(row), "row " + row);
    }
    assertEquals(places.get(0), places.get(10));
  }

  @Test
  void saysWhereMtKaHyParComesFrom() {
    assumeTrue(System.getenv("ABELIAN_MTKAHYPAR_PYTHON") == null, "Mt-KaHyPar is here");
    partition(2, groups(2));
    assertEquals(
        2,
        Commands.execute(
            "partition",
            folder.resolve("graph").toString(),
            "--hypergraph",
            "-o",
            folder.resolve("other").toString()));
    assertFalse(Files.exists(folder.resolve("other")));
  }

  @Test
  void refusesOnePartition() {
    assertThrows(AdvisorException.class, () -> new PartitioningOptions(1, 1, 1, 1, 1));
  }
}
