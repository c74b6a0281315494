package org.abelian.advisor.proposals;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.Traces;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.trace.Access;
import org.abelian.advisor.trace.TraceFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys 1 to 6 of table t are on nodes 10, 20, 30, 10, 20, 30; the others on node 30. */
class ProposalsPhaseTest {
  private static final String CATALOG =
      """
      {"version": 3,
       "nodes": [{"id": 10, "host": "a", "port": 1}, {"id": 20, "host": "b", "port": 1},
                 {"id": 30, "host": "c", "port": 1}],
       "colocations": [{"id": 7, "partition_count": 3, "key_type": "integer", "default": false,
         "nodes": [10, 20, 30], "method": "lookup", "rule": {"clauses": [], "default": {"partition": 2}},
         "entries": {"1": 0, "2": 1, "3": 2, "4": 0, "5": 1, "6": 2}}],
       "tables": [{"schema": "public", "name": "t", "method": "distributed", "column": "id",
         "columns": [{"name": "id"}], "key_type": "integer", "colocation": 7}]}
      """;

  @TempDir Path folder;

  private Proposals propose(List<Traces.Tx> transactions) throws IOException {
    TraceFiles trace =
        Traces.write(
            folder.resolve("trace"),
            List.of(Traces.table("t", 1, "id", "other"), Traces.table("local", 1, "id")),
            transactions);
    Path catalog = Files.writeString(folder.resolve("catalog.json"), CATALOG);
    try (OutputFolder output = OutputFolder.begin(folder.resolve("proposals"))) {
      return ProposalsPhase.run(trace, catalog, 1.25, output);
    }
  }

  private static List<Traces.Tx> times(int count, Traces.Tx transaction) {
    return new ArrayList<>(Collections.nCopies(count, transaction));
  }

  private static Traces.Tx uses(int... keys) {
    List<Access> accesses = new ArrayList<>();
    for (int key : keys) {
      accesses.add(Traces.write(accesses.size(), key));
    }
    return new Traces.Tx("t", false, accesses);
  }

  @Test
  void joinsKeysThatAreUsedTogether() throws IOException {
    List<Traces.Tx> transactions = times(30, uses(1, 2));
    for (int key = 3; key <= 6; key++) {
      transactions.addAll(times(40, uses(key)));
    }
    transactions.addAll(times(10, uses(3, 6)));
    Proposals found = propose(transactions);
    assertEquals(30 / 200.0, found.present().distributed(), 1e-9);
    assertEquals(1, found.proposals().size(), found::toString);
    Proposal join = found.proposals().get(0);
    assertEquals(Proposal.Reason.JOIN, join.reason());
    assertEquals(0, join.after().distributed(), 1e-9);
    assertTrue(join.placeable());
    assertTrue(
        join.key().equals("id = '1'") && join.from() == 10 && join.to() == 20
            || join.key().equals("id = '2'") && join.from() == 20 && join.to() == 10,
        join::toString);
    String text = Files.readString(folder.resolve("proposals/proposals.txt"));
    assertTrue(text.contains(", to join public.t id = '"), text);
  }

  /** Key 1 with 2 thirty times, but key 2 with 5, which is beside it, far more often. */
  @Test
  void separatesNothingThatIsTogetherMoreOften() throws IOException {
    List<Traces.Tx> transactions = times(30, uses(1, 2));
    transactions.addAll(times(60, uses(2, 5)));
    transactions.addAll(times(170, uses(4)));
    transactions.addAll(times(170, uses(3)));
    Proposals found = propose(transactions);
    Proposal first = found.proposals().get(0);
    assertEquals("id = '1'", first.key());
    assertEquals(20, first.to());
    assertEquals("public.t id = '2'", first.with());
    assertEquals(0, first.after().distributed());
  }

  @Test
  void isolatesWhatIsHot() throws IOException {
    List<Traces.Tx> transactions = times(100, uses(1));
    transactions.addAll(times(60, uses(4)));
    transactions.addAll(times(40, uses(2)));
    transactions.addAll(times(20, uses(3)));
    Proposals found = propose(transactions);
    assertEquals(List.of("id = '4'"), found.proposals().stream().map(Proposal::key).toList());
    Proposal relief = found.proposals().get(0);
    assertEquals(Proposal.Reason.ISOLATE, relief.reason());
    assertEquals(30, relief.to());
    assertEquals(160 * 3 / 220.0, relief.before().load(), 1e-9);
    assertEquals(100 * 3 / 220.0, relief.after().load(), 1e-9);
  }

  @Test
  void leavesAloneWhatIsWellOrCannotBeHelped() throws IOException {
    List<Traces.Tx> well = times(50, uses(1, 4));
    well.addAll(times(50, uses(2, 5)));
    well.addAll(times(50, uses(3, 6)));
    // Too few to be no chance; and what no key's place changes.
    well.addAll(times(4, uses(1, 2)));
    well.add(new Traces.Tx("t", false, List.of(Access.read(0, "public.t", Map.of("other", "1")))));
    Proposals found = propose(well);
    assertEquals(List.of(), found.proposals());
    assertEquals(5 / 155.0, found.present().distributed(), 1e-9);
    assertTrue(
        Files.readString(folder.resolve("proposals/proposals.txt"))
            .contains("No key should lie elsewhere."));
  }

  /** Tables without placement are on the first node: keys used with them belong there. */
  @Test
  void joinsWhatIsOnTheFirstNodeOnly() throws IOException {
    Access local = Access.read(0, "public.local", Map.of("id", "1"));
    List<Traces.Tx> transactions =
        times(30, new Traces.Tx("t", false, List.of(local, Traces.write(1, 2))));
    transactions.addAll(times(60, uses(5)));
    transactions.addAll(times(60, uses(3)));
    Proposals found = propose(transactions);
    assertFalse(found.proposals().isEmpty());
    assertEquals("id = '2'", found.proposals().get(0).key());
    assertEquals(10, found.proposals().get(0).to());
    assertEquals(0, found.proposals().get(0).after().distributed());
  }
}
