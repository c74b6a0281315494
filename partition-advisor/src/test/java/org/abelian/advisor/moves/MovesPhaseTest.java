package org.abelian.advisor.moves;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.abelian.advisor.AdvisorException;
import org.abelian.advisor.Traces;
import org.abelian.advisor.census.Census;
import org.abelian.advisor.census.CensusFiles;
import org.abelian.advisor.files.Engine;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.files.OutputFolder;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.Lookups;
import org.abelian.advisor.placement.Rule;
import org.abelian.advisor.placement.TablePlacement;
import org.abelian.advisor.trace.TraceDescription;
import org.abelian.router.catalog.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MovesPhaseTest {
  private static final List<Node> NODES = List.of(new Node(1, "a", 5432), new Node(4, "b", 5432));

  @TempDir Path folder;

  /** Rows of table t on a node, from 0, with a key. */
  private record Row(int node, String key, long count) {}

  private MovePlan plan(TablePlacement placement, int nodes, boolean everywhere, List<Row> rows) {
    CensusFiles files = new CensusFiles(folder);
    List<String> everywheres = everywhere ? List.of("public.t") : List.of();
    List<String> columns =
        placement instanceof TablePlacement.Reference ? List.of() : List.of("id");
    JsonFile.write(
        files.censusFile(),
        new Census(NODES, Map.of("public.t", columns), everywheres, List.of("a note")));
    try (Engine engine = Engine.open()) {
      engine.run("CREATE TABLE r (table_name VARCHAR, node INTEGER, key VARCHAR, count BIGINT)");
      for (Row row : rows) {
        engine.run(
            "INSERT INTO r VALUES ('public.t', %s, '%s', %s)"
                .formatted(row.node(), row.key(), row.count()));
      }
      engine.writeParquet("SELECT * FROM r", files.rows());
    }
    TraceDescription trace =
        new TraceDescription(
            1,
            "a test",
            List.of(Traces.table("t", 1, "id")),
            Map.of(),
            null,
            null,
            List.of(),
            List.of());
    Lookups lookups = new Lookups();
    lookups.map("m").putAll(Map.of("7", 1));
    try (OutputFolder output = OutputFolder.begin(folder.resolve("moves"))) {
      return MovesPhase.run(
          trace,
          new Candidate("c", "as told", Candidate.Kind.RULES, Map.of("public.t", placement)),
          lookups,
          nodes,
          files,
          output);
    }
  }

  private static Row row(int node, String key, long count) {
    return new Row(node, key, count);
  }

  private static final TablePlacement UP_TO_TEN =
      new TablePlacement.Rules(new Rule.AtMost("id", 10.5, new Rule.Then(0), new Rule.Then(1)));

  @Test
  void movesRangesOfKeys() throws IOException {
    MovePlan plan =
        plan(
            UP_TO_TEN,
            2,
            false,
            List.of(
                row(0, "1", 5), row(0, "11", 6), row(0, "12", 1), row(1, "2", 3), row(1, "13", 9)));
    assertEquals(
        List.of(
            new Move(Move.Action.MOVE, "public.t", "id >= 11", 1, 4, 7),
            new Move(Move.Action.MOVE, "public.t", "id <= 10", 4, 1, 3)),
        plan.moves());
    assertEquals(new MovePlan.Cost(24, 10, 0, 0, 100), plan.total());
    String text = Files.readString(folder.resolve("moves/moves.txt"));
    assertTrue(text.contains("All: 10 of 24 rows are sent, about 100 bytes\n"), text);
    assertTrue(text.contains("Note: a note\n"), text);
    assertEquals(plan, JsonFile.read(folder.resolve("moves/moves.json"), MovePlan.class));
  }

  @Test
  void movesSingleKeysAndPartitions() {
    MovePlan plan =
        plan(
            new TablePlacement.Lookup("id", "m"),
            2,
            false,
            List.of(row(0, "7", 2), row(1, "2", 3)));
    assertEquals(
        List.of(
            new Move(Move.Action.MOVE, "public.t", "id = '7'", 1, 4, 2),
            // 2 is in partition 7 of 32, by the router's hash.
            new Move(Move.Action.MOVE, "public.t", "partition 7", 4, 1, 3)),
        plan.moves());
  }

  @Test
  void copiesAndDeletesCopies() {
    MovePlan copies =
        plan(new TablePlacement.Reference(), 2, false, List.of(row(0, "", 2), row(1, "", 3)));
    assertEquals(
        List.of(
            new Move(Move.Action.COPY, "public.t", "all rows", 1, 4, 2),
            new Move(Move.Action.COPY, "public.t", "all rows", 4, 1, 3)),
        copies.moves());
    MovePlan deletes = plan(UP_TO_TEN, 2, true, List.of(row(0, "1", 4), row(0, "11", 6)));
    assertEquals(
        List.of(
            new Move(Move.Action.DELETE, "public.t", "id >= 11", 1, 0, 6),
            new Move(Move.Action.DELETE, "public.t", "id <= 10", 4, 0, 4)),
        deletes.moves());
    assertEquals(new MovePlan.Cost(10, 0, 10, 0, 0), deletes.total());
    assertEquals(
        List.of(), plan(new TablePlacement.Reference(), 2, true, List.of(row(0, "", 2))).moves());
  }

  @Test
  void rowsWithNullInTheOnlyColumnGoToTheFirstNode() {
    MovePlan plan = plan(UP_TO_TEN, 2, false, List.of(row(1, "\u001e", 5), row(0, "\u001e", 2)));
    assertEquals(
        List.of(new Move(Move.Action.MOVE, "public.t", "id IS NULL", 4, 1, 5)), plan.moves());
    assertEquals(new MovePlan.Cost(7, 5, 0, 0, 50), plan.total());
  }

  @Test
  void countsRowsThatCannotBePlaced() {
    TablePlacement byBoth =
        new TablePlacement.Rules(
            new Rule.AtMost(
                "id",
                10.5,
                new Rule.AtMost("ref", 1.5, new Rule.Then(0), new Rule.Then(1)),
                new Rule.Then(1)));
    MovePlan plan = plan(byBoth, 2, false, List.of(row(1, "\u001e", 5)));
    assertEquals(List.of(), plan.moves());
    assertEquals(new MovePlan.Cost(5, 0, 0, 5, 0), plan.total());
  }

  @Test
  void wantsAdviceForAsManyNodesAsThereAre() {
    AdvisorException refused =
        assertThrows(
            AdvisorException.class, () -> plan(UP_TO_TEN, 3, false, List.of(row(1, "1", 5))));
    assertTrue(refused.getMessage().contains("--nodes 2"), refused.getMessage());
    assertFalse(Files.exists(folder.resolve("moves")));
  }
}
