package org.abelian.router.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.LookupIndex;
import org.abelian.router.catalog.TableName;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.junit.jupiter.api.Test;

/** Statements about the row that a lookup index leads to; rows and entries lie on three nodes. */
class LookupExecutionTest extends ScriptedCluster {
  private static final int PARTITIONS = 3;
  private static final LookupIndex INDEX =
      new LookupIndex(
          7,
          new TableName("public", "orders"),
          new KeyColumn("code", KeyKind.TEXT, null),
          colocation(1),
          colocation(2));
  private static final KeyValue CODE = new KeyValue.Bytes("a".getBytes(StandardCharsets.UTF_8));
  private static final String FIND = "SELECT abelian.find_lookup_entry($1, $2, $3, $4)";
  private static final String TAKE = "SELECT * FROM abelian.take_lookup_changes($1, $2)";
  private static final String READ = "SELECT x FROM orders WHERE code = 'a'";
  private static final String READ_FACTS = "{\"kind\": \"select\", \"returns_rows\": true}";
  private static final String CHANGE = "UPDATE orders SET code = 'b' WHERE code = 'a'";
  private static final String CHANGE_FACTS = "{\"kind\": \"update\"}";
  private static final Route EVERYWHERE = new Route.ScatterWrite(List.of(1, 2, 3));

  private static Colocation colocation(int id) {
    return new Colocation(id, new int[] {1, 2, 3}, new HashFunction(PARTITIONS));
  }

  @Override
  protected List<LookupIndex> lookups() {
    return List.of(INDEX);
  }

  private Execution change() throws IOException {
    nodes.forEach(node -> node.answer(TAKE, "SELECT"));
    return bind(CHANGE, CHANGE_FACTS, new Route.Lookup(INDEX, CODE, new Route.Keeping(EVERYWHERE)));
  }

  /** Runs it as often as it asks to be run again. */
  private void run(Execution execution) throws IOException {
    run(execution, 0);
  }

  private void run(Execution execution, int limit) throws IOException {
    for (Progress progress = Progress.QUIET; progress == Progress.QUIET; ) {
      progress = execution.execute(limit);
      answer();
    }
  }

  private long asked(String sql) {
    return log.stream().filter(line -> line.contains(": " + sql)).count();
  }

  @Test
  void anEntryLeadsToTheNodeOfTheRowAndIsRemembered() throws IOException {
    nodes.forEach(node -> node.answer(FIND, "SELECT", "1"));
    nodes.get(1).answer(CHANGE, "UPDATE 1");
    run(change());
    run(change());
    assertEquals(1, asked(FIND));
    assertEquals(List.of("UPDATE 1", "UPDATE 1"), told());
    assertEquals(2, asked(CHANGE));
    assertTrue(ran().contains("2: " + CHANGE), ran().toString());
  }

  @Test
  void withoutAnEntryAllNodesAreAsked() throws IOException {
    nodes.forEach(node -> node.answer(FIND, "SELECT", "null"));
    nodes.forEach(node -> node.answer(CHANGE, "UPDATE 0"));
    Execution execution = change();
    assertInstanceOf(KeepingExecution.class, execution);
    run(execution);
    assertEquals(3, asked(CHANGE));
    assertEquals(List.of("UPDATE 0"), told());
  }

  @Test
  void aRowThatHasMovedIsFoundOnAnotherNodeAndTheGuessForgotten() throws IOException {
    nodes.forEach(node -> node.answer(FIND, "SELECT", "0"));
    nodes.forEach(node -> node.answer(CHANGE, "UPDATE 0"));
    nodes.get(2).answer(CHANGE, "UPDATE 1");
    run(change());
    assertEquals(List.of("UPDATE 1"), told());
    run(change());
    assertEquals(2, asked(FIND), "what led nowhere is asked for again");
  }

  @Test
  void aReadMayLeadNowhereToo() throws IOException {
    nodes.forEach(node -> node.answer(FIND, "SELECT", "0"));
    nodes.forEach(node -> node.answer(READ, "SELECT"));
    nodes.get(1).answer(READ, "SELECT", "x");
    transaction.beginBlock(NodeStatement.of("BEGIN"), null);
    Route otherwise = new Route.Scatter(List.of(1, 2, 3), MergeFacts.concat());
    run(bind(READ, READ_FACTS, new Route.Lookup(INDEX, CODE, otherwise)));
    assertEquals(List.of("x", "SELECT 1"), told());
  }

  @Test
  void aReadGivesItsRowsInPortions() throws IOException {
    nodes.forEach(node -> node.answer(FIND, "SELECT", "1"));
    nodes.get(1).answer(READ, "SELECT", "x", "y", "z");
    transaction.beginBlock(NodeStatement.of("BEGIN"), null);
    Route otherwise = new Route.Scatter(List.of(1, 2, 3), MergeFacts.concat());
    Execution read = bind(READ, READ_FACTS, new Route.Lookup(INDEX, CODE, otherwise));
    run(read, 2);
    assertEquals(List.of("x", "y", "suspended"), told());
    run(read, 2);
    run(read, 0);
    assertEquals(List.of("x", "y", "suspended", "z", "SELECT 1", "SELECT 0"), told());
  }

  @Test
  void whatLeadsNowhereGivesItsRowsInPortions() throws IOException {
    nodes.forEach(node -> node.answer(FIND, "SELECT", "0"));
    nodes.forEach(node -> node.answer(READ, "SELECT"));
    nodes.get(2).answer(READ, "SELECT", "x", "y");
    transaction.beginBlock(NodeStatement.of("BEGIN"), null);
    Route otherwise = new Route.Scatter(List.of(1, 2, 3), MergeFacts.concat());
    Execution read = bind(READ, READ_FACTS, new Route.Lookup(INDEX, CODE, otherwise));
    run(read, 1);
    run(read, 5);
    assertEquals(List.of("x", "suspended", "y", "SELECT 1"), told());
  }

  @Test
  void whatHasChangedIsToldToTheNodesOfTheEntriesBeforeTheClientHears() throws IOException {
    nodes.forEach(node -> node.answer(TAKE, "SELECT"));
    nodes.get(0).answer(TAKE, "SELECT", "7|a|b|2");
    nodes.get(0).answer(CHANGE, "UPDATE 1");
    nodes.get(1).answer(CHANGE, "UPDATE 0");
    nodes.get(2).answer(CHANGE, "UPDATE 0");
    run(bind(CHANGE, CHANGE_FACTS, new Route.Keeping(EVERYWHERE)));
    List<String> applied =
        log.stream().filter(line -> line.contains("abelian.apply_lookup_changes")).toList();
    String all = String.join("\n", applied);
    assertTrue(all.contains("\"removed\":[\"a\"]"), all);
    assertTrue(all.contains("\"added\":[\"b\"],\"partitions\":[2]"), all);
    assertEquals(List.of("UPDATE 1"), told());
  }

  @Test
  void anEntryThatIsTakenFailsTheChange() throws IOException {
    nodes.forEach(node -> node.answer(CHANGE, "UPDATE 1"));
    nodes.forEach(node -> node.answer(TAKE, "SELECT"));
    nodes.get(0).answer(TAKE, "SELECT", "7|null|b|2");
    nodes.forEach(node -> node.fail("SELECT abelian.apply_lookup_changes($1, $2, $3)", "23505"));
    run(bind(CHANGE, CHANGE_FACTS, new Route.Keeping(EVERYWHERE)));
    assertEquals(List.of("23505"), errors);
    assertFalse(told().contains("UPDATE 3"));
  }
}
