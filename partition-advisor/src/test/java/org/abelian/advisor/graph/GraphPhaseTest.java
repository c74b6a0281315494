package org.abelian.advisor.graph;

import static org.abelian.advisor.Traces.read;
import static org.abelian.advisor.Traces.tx;
import static org.abelian.advisor.Traces.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.Traces;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.TraceFiles;
import org.abelian.advisor.workload.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GraphPhaseTest {
  @TempDir Path folder;

  /** So little is held out that all of a small trace is in the graph. */
  private static GraphOptions everything(int clique, boolean replicate) {
    return new GraphOptions(new Part(1, 0.00001), 1, 1, 1000, 1, 100, clique, replicate, false);
  }

  private GraphDescription graph(GraphOptions options, List<Traces.Tx> transactions) {
    TraceFiles trace =
        Traces.write(folder.resolve("trace"), List.of(Traces.table("t", 1, "id")), transactions);
    try (OutputFolder output = OutputFolder.begin(folder.resolve("graph"))) {
      return GraphPhase.run(trace, options, output);
    }
  }

  /** How often each weight of an edge occurs. */
  private Map<Integer, Integer> weights() throws IOException {
    List<String> lines = Files.readAllLines(folder.resolve("graph/graph.metis"));
    Map<Integer, Integer> weights = new TreeMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] words = line.split(" ");
      for (int i = 2; i < words.length; i += 2) {
        weights.merge(Integer.valueOf(words[i]), 1, Integer::sum);
      }
    }
    // Each edge stands at both ends.
    weights.replaceAll((weight, count) -> count / 2);
    return weights;
  }

  @Test
  void weighsDependenciesDecisionsAndCommutingWrites() throws IOException {
    graph(
        everything(8, false),
        List.of(
            tx(write(0, 1), write(1, 2).after(List.of(0))),
            tx(write(0, 2), write(1, 3).deciding()),
            tx(write(0, 3), write(1, 4)),
            tx(write(0, 4), write(1, 5).commuting())));
    assertEquals(Map.of(10_010, 1, 500, 1, 10, 1, 1, 1), weights());
  }

  @Test
  void coalescesTuplesThatAreAlwaysUsedTogether() {
    GraphDescription made =
        graph(
            everything(8, false),
            List.of(
                tx(write(0, 1), write(1, 2), write(2, 3)),
                tx(write(0, 1), write(1, 2)),
                tx(write(0, 4))));
    assertEquals(4, made.tuples());
    assertEquals(3, made.nodes());
  }

  @Test
  void copiesWhatIsReadAndChargesItsWrites() throws IOException {
    // Row 1 is written twice and read three times: five copies around a centre.
    List<Traces.Tx> transactions = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      transactions.add(tx(read(0, 1), write(1, 10 + i)));
    }
    transactions.add(tx(write(0, 1)));
    transactions.add(tx(write(0, 1)));
    GraphDescription made = graph(everything(8, true), transactions);
    assertEquals(1 + 5 + 3, made.vertices());
    assertEquals(Map.of(2 * EdgeWeight.LIGHT + 1, 5, EdgeWeight.LIGHT, 3), weights());
  }

  /** A net for each transaction of several rows, and one for each copy with its centre. */
  @Test
  void writesAHypergraph() throws IOException {
    graph(
        everything(8, true),
        List.of(
            tx(read(0, 1), write(1, 10)),
            tx(read(0, 1), write(1, 11), write(2, 12)),
            tx(write(0, 1)),
            tx(write(0, 13).commuting(), write(1, 14))));
    List<String> lines = Files.readAllLines(folder.resolve("graph/graph.hgr"));
    String[] head = lines.get(0).split(" ");
    assertEquals("11", head[2]);
    int nets = Integer.parseInt(head[0]);
    assertEquals(1 + nets + Integer.parseInt(head[1]), lines.size());
    Map<String, Long> byWeight = new TreeMap<>();
    for (String net : lines.subList(1, 1 + nets)) {
      String[] words = net.split(" ");
      byWeight.merge(words[0] + " of " + (words.length - 1), 1L, Long::sum);
    }
    // Rows 11 and 12 are always together and share a vertex; what commutes binds nothing.
    assertEquals(Map.of("10 of 2", 2L, EdgeWeight.LIGHT + 1 + " of 2", 3L), byWeight);
  }

  @Test
  void drawsLargeTransactionsAsStars() {
    List<Traces.Tx> transactions =
        List.of(
            tx(write(0, 1), write(1, 2), write(2, 3), write(3, 4)),
            tx(write(0, 1)),
            tx(write(0, 2)),
            tx(write(0, 3)));
    assertEquals(6, graph(everything(4, false), transactions).edges());
    GraphDescription star = graph(everything(3, false), transactions);
    assertEquals(4, star.edges());
    assertEquals(5, star.vertices());
  }

  @Test
  void leavesOutWhatIsTooLargeAndSaysSo() {
    GraphOptions usual = everything(8, false);
    GraphOptions small = new GraphOptions(usual.part(), 1, 1, 1000, 1, 2, 8, false, false);
    GraphDescription made =
        graph(small, List.of(tx(write(0, 1), write(1, 2), write(2, 3)), tx(write(0, 4))));
    assertEquals(1, made.transactions());
    assertTrue(made.notes().get(0).contains("more than 2 tuples"), made.notes()::toString);
  }

  @Test
  void samplesLargeTablesOnly() {
    List<Traces.Tx> transactions = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      transactions.add(tx(write(0, i)));
    }
    GraphOptions usual = everything(8, false);
    GraphOptions some = new GraphOptions(usual.part(), 0.1, 1, 100, 1, 100, 8, false, false);
    long kept = graph(some, transactions).tuples();
    assertTrue(kept > 350 && kept < 650, "kept " + kept);
    GraphOptions whole = new GraphOptions(usual.part(), 0.1, 1, 5000, 1, 100, 8, false, false);
    assertEquals(graph(usual, transactions).tuples(), graph(whole, transactions).tuples());
  }

  @Test
  void refusesATraceWithoutTransactions() {
    assertThrows(AdvisorException.class, () -> graph(everything(8, true), List.of()));
  }
}
