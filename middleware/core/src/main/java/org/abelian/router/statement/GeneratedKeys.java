package org.abelian.router.statement;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.analysis.ComputedFacts;
import org.abelian.router.analysis.MadeFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.TableName;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.routing.Routing;

/**
 * An INSERT whose keys are known before its rows are placed, as nodes run it: the keys are
 * parameters after the client's own. Random ones are the router's, others a node computes first.
 *
 * @param keys how many there are
 * @param query computes those that are not random; null when all are
 */
public record GeneratedKeys(
    SharedStatement statement, RoutedStatement routed, int keys, KeyQuery query) {
  /**
   * What computes keys.
   *
   * @param statement has the client's parameters
   * @param facts what is to be known of it
   */
  public record KeyQuery(NodeStatement statement, ComputedFacts facts) {}

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
        facts.count(),
        query(facts));
  }

  private static KeyQuery query(MadeFacts facts) {
    if (facts.computed() == null) {
      return null;
    }
    List<Integer> types = facts.facts().parameters();
    List<Integer> own = types.subList(0, types.size() - facts.count());
    return new KeyQuery(NodeStatement.of(facts.computed().query(), own), facts.computed());
  }

  /** EXPLAIN of it. */
  public GeneratedKeys explained(ExplainCommand command, StatementCache statements) {
    String text = command.ofText(statement.sql());
    List<Integer> types = routed.facts().parameters();
    return new GeneratedKeys(
        statements.intern(NodeStatement.of(text, types).body()),
        new RoutedStatement(command, routed.router()),
        keys,
        query);
  }

  private static boolean isPlaced(StatementFacts facts, Catalog catalog) {
    return facts.relations().stream()
        .filter(RelationFacts::write)
        .map(table -> new TableName(table.schema(), table.name()))
        .allMatch(table -> catalog.placement(table).isPresent());
  }

  /**
   * The client's Bind with keys after its values.
   *
   * @param computed the answer to the query, in text form; empty when there is none
   */
  public byte[] bind(BindMessage client, Supplier<UUID> source, List<byte[][]> computed) {
    List<ByteQueue> made =
        IntStream.range(0, keys)
            .mapToObj(key -> query == null ? null : query.facts().places().get(key))
            .map(place -> place == null ? text(source.get()) : text(place, computed))
            .collect(Collectors.toList()); // which may hold NULLs
    return client.extended(made);
  }

  private static ByteQueue text(UUID key) {
    return text(key.toString().getBytes(StandardCharsets.US_ASCII));
  }

  private static ByteQueue text(ComputedFacts.Place place, List<byte[][]> computed) {
    byte[] text = computed.get(place.row())[place.column()];
    return text == null ? null : text(text);
  }

  private static ByteQueue text(byte[] text) {
    ByteQueue queue = new ByteQueue(text.length);
    queue.append(text);
    return queue;
  }
}
