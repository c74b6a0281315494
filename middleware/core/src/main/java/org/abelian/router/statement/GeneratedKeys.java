package org.abelian.router.statement;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.abelian.router.analysis.MadeFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.TableName;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Routing;

/**
 * An INSERT whose random keys the router generates, as nodes run it: the keys are parameters after
 * the client's own.
 *
 * @param keys how many there are
 */
public record GeneratedKeys(SharedStatement statement, RoutedStatement routed, int keys) {
  /**
   * The form for these facts; null when there are none, or the table is not placed: only of placed
   * tables, routers learn at once that a default has changed.
   */
  public static GeneratedKeys of(MadeFacts facts, Catalog catalog, StatementCache statements) {
    if (facts == null || !isPlaced(facts.facts(), catalog)) {
      return null;
    }
    return new GeneratedKeys(
        statements.intern(NodeStatement.of(facts.text(), facts.facts().parameters()).body()),
        new RoutedStatement(Routing.compile(facts.text(), facts.facts(), catalog)),
        facts.count());
  }

  /** EXPLAIN of it. */
  public GeneratedKeys explained(ExplainCommand command, StatementCache statements) {
    String text = command.ofText(statement.sql());
    List<Integer> types = routed.facts().parameters();
    return new GeneratedKeys(
        statements.intern(NodeStatement.of(text, types).body()),
        new RoutedStatement(command, routed.router()),
        keys);
  }

  private static boolean isPlaced(StatementFacts facts, Catalog catalog) {
    return facts.relations().stream()
        .filter(RelationFacts::write)
        .map(table -> new TableName(table.schema(), table.name()))
        .allMatch(table -> catalog.placement(table).isPresent());
  }

  /** The client's Bind with new keys after its values. */
  public byte[] bind(BindMessage client, Supplier<UUID> source) {
    List<ByteQueue> made = Stream.generate(source).limit(keys).map(GeneratedKeys::text).toList();
    ByteQueue queue = new ByteQueue(client.end() - client.portalAt() + 64 * (keys + 1));
    FrameWriter writer = new FrameWriter(queue);
    int names = client.tailAt() - client.portalAt();
    writer.begin(FrontendType.BIND).bytes(client.array(), client.portalAt(), names);
    client.writeValues(writer, made);
    int formats = client.resultFormatsAt();
    writer.bytes(client.array(), formats, client.end() - formats).end();
    return queue.toByteArray();
  }

  private static ByteQueue text(UUID key) {
    byte[] text = key.toString().getBytes(StandardCharsets.US_ASCII);
    ByteQueue queue = new ByteQueue(text.length);
    queue.append(text);
    return queue;
  }
}
