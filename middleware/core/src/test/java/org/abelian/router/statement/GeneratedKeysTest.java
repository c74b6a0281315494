package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.abelian.router.analysis.FactsParser;
import org.abelian.router.analysis.MadeFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Colocation;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;
import org.abelian.router.routing.Routing;
import org.junit.jupiter.api.Test;

class GeneratedKeysTest {
  private static final String FACTS =
      """
      [{"kind": "insert", "parameters": [25], "relations": [{"id": 0, "schema": "public", "name": "page", "write": true}],
        "insert": {"relation": 0, "source": "values", "columns": ["note"], "rows": [[{"param": 1}]]},
        "random_keys": true, "made": {"text": "INSERT INTO page (note, id) VALUES ($1, $2), ($1, $3)", "count": 2, "facts":
          {"kind": "insert", "span": [0, 53], "parameters": [25, 2950, 2950],
           "relations": [{"id": 0, "schema": "public", "name": "page", "write": true}],
           "insert": {"relation": 0, "source": "values", "columns": ["note", "id"],
             "rows": [[{"param": 1}, {"param": 2}], [{"param": 1}, {"param": 3}]], "row_spans": [[35, 8], [45, 8]], "values_span": [35, 18]},
           "blind": {"redo": "again"}}}}]
      """;

  /** Two nodes; page(id) lies on both, half of the keys on each. */
  private static Catalog catalog(String table) {
    Colocation halves = new Colocation(1, new int[] {1, 2}, new HashFunction(2));
    return new Catalog(
        1,
        List.of(new Node(1, "a", 1), new Node(2, "b", 1)),
        Map.of(
            new TableName("public", table),
            new Placement.Distributed(List.of(new KeyColumn("id", KeyKind.UUID, null)), halves)));
  }

  private static MadeFacts facts() {
    return FactsParser.made(FACTS);
  }

  private static GeneratedKeys form() {
    return GeneratedKeys.of(facts(), catalog("page"), new StatementCache(1 << 20));
  }

  /** A Bind with one binary value, one that is NULL, one as text, and two result formats. */
  private static BindMessage client(int... formats) {
    ByteQueue queue = new ByteQueue(64);
    queue.append(new byte[7], 0, 7); // what stands before it in the client's bytes
    FrameWriter writer = new FrameWriter(queue);
    int at = queue.size();
    writer.begin(FrontendType.BIND).string("portal").string("S_1").int2(formats.length);
    for (int format : formats) {
      writer.int2(format);
    }
    writer.int2(3).int4(2).bytes(new byte[] {7, 8}).int4(-1).int4(0);
    writer.int2(2).int2(1).int2(0).end();
    BindMessage bind = new BindMessage();
    bind.look(queue.array(), queue.start() + at);
    return bind;
  }

  private static BindMessage withOneValue() {
    ByteQueue queue = new ByteQueue(64);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).string("").string("").int2(0).int2(1).int4(-1).int2(0).end();
    BindMessage bind = new BindMessage();
    bind.look(queue.array(), queue.start());
    return bind;
  }

  private static BindMessage extended(BindMessage client, Supplier<UUID> source) {
    BindMessage bind = new BindMessage();
    bind.look(form().bind(client, source, Arrays.asList(null, null), List.of()), 0);
    return bind;
  }

  private static String text(BindMessage bind, int parameter) {
    return new String(
        bind.array(), bind.offset(parameter), bind.length(parameter), StandardCharsets.UTF_8);
  }

  @Test
  void keysComeAfterTheClientsValues() {
    AtomicLong next = new AtomicLong();
    Supplier<UUID> source = () -> new UUID(0, next.incrementAndGet());
    for (int[] formats : new int[][] {{}, {0}, {1}, {1, 0, 0}}) {
      next.set(0);
      BindMessage client = client(formats);
      BindMessage bind = extended(client, source);
      assertEquals(5, bind.parameterCount());
      for (int i = 0; i < 3; i++) {
        assertEquals(client.isBinary(i), bind.isBinary(i));
        assertEquals(client.length(i), bind.length(i));
      }
      assertArrayEquals(
          new byte[] {7, 8}, Arrays.copyOfRange(bind.array(), bind.offset(0), bind.offset(0) + 2));
      assertFalse(bind.isBinary(3) || bind.isBinary(4));
      assertEquals("00000000-0000-0000-0000-000000000001", text(bind, 3));
      assertEquals("00000000-0000-0000-0000-000000000002", text(bind, 4));
      assertArrayEquals(new int[] {1, 0}, bind.resultFormats());
      assertEquals(
          "portal", new String(bind.array(), bind.portalAt(), 6, StandardCharsets.US_ASCII));
      assertEquals(3, bind.statementEnd() - bind.statementAt());
    }
  }

  @Test
  void aRowIsRoutedByItsKey() {
    Set<Integer> nodes = new HashSet<>();
    for (int i = 0; i < 64 && nodes.size() < 2; i++) {
      UUID both = UUID.randomUUID();
      BoundParameters values = new BoundParameters(extended(withOneValue(), () -> both));
      Route route = form().routed().router().route(values);
      assertTrue(route instanceof Route.OneNode, route.toString());
      nodes.add(((Route.OneNode) route).node());
    }
    assertEquals(Set.of(1, 2), nodes);
  }

  @Test
  void whatTheNodeHasNotToldIsLacking() {
    String asked = FACTS.substring(0, FACTS.indexOf(", \"made\""));
    AnalysedStatement lacking = analysed(asked + "}]");
    assertTrue(lacking.lacksGenerated());
    assertNull(lacking.generated());
    AnalysedStatement told = analysed(FACTS);
    assertFalse(told.lacksGenerated());
    assertNotNull(told.generated());
  }

  private static AnalysedStatement analysed(String json) {
    StatementFacts facts = FactsParser.parse(json).get(0);
    MadeFacts made = FactsParser.made(json);
    return new AnalysedStatement(
        "scope",
        1,
        new RoutedStatement(
            Routing.compile("INSERT INTO page (note) VALUES ($1)", facts, catalog("page"))),
        made != null,
        GeneratedKeys.of(made, catalog("page"), new StatementCache(1 << 20)));
  }

  @Test
  void theOriginalStaysAsItIs() {
    assertNull(FactsParser.parse(FACTS).get(0).change().blind());
    assertTrue(form().routed().isBlind());
    assertEquals("INSERT INTO page (note, id) VALUES ($1, $2), ($1, $3)", form().statement().sql());
    assertArrayEquals(new int[] {25, 2950, 2950}, form().statement().statement().types());
  }

  private static final String LOCKED =
      """
      [{"kind": "update", "span": [0, 6], "parameters": [23], "locked": {"text": "UPDATE over $2", "count": 1,
        "query": {"text": "SELECT FOR UPDATE", "facts": {"kind": "select", "span": [0, 6], "parameters": [23]}},
        "facts": {"kind": "update", "span": [0, 6], "parameters": [23, 1007]}}}]
      """;

  @Test
  void rowsThatAreLockedAreAllOfItsValues() {
    MadeFacts facts = FactsParser.made(LOCKED);
    assertTrue(facts.takesRows());
    GeneratedKeys locked = GeneratedKeys.of(facts, catalog("page"), new StatementCache(1 << 20));
    assertTrue(locked.takesRows());
    assertEquals(List.of(), locked.values());
    assertEquals("SELECT FOR UPDATE", locked.query().facts().query());
    assertArrayEquals(new int[] {23}, locked.query().statement().statement().types());
    assertEquals("UPDATE over $2", locked.statement().sql());
    assertFalse(form().takesRows());
  }

  @Test
  void onlyAPlanThatRunsLocksRows() {
    MadeFacts facts = FactsParser.made(LOCKED);
    StatementCache statements = new StatementCache(1 << 20);
    GeneratedKeys locked = GeneratedKeys.of(facts, catalog("page"), statements);
    assertNull(locked.explained(ExplainCommand.of("EXPLAIN UPDATE"), statements).query());
    assertNotNull(
        locked.explained(ExplainCommand.of("EXPLAIN ANALYZE UPDATE"), statements).query());
  }

  @Test
  void onlyPlacedTablesHaveOne() {
    assertNotNull(GeneratedKeys.of(facts(), catalog("page"), new StatementCache(1 << 20)));
    assertNull(GeneratedKeys.of(facts(), catalog("other"), new StatementCache(1 << 20)));
    assertNull(GeneratedKeys.of(null, catalog("page"), new StatementCache(1 << 20)));
  }
}
