package org.abelian.router.statement;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.analysis.ComputedFacts;
import org.abelian.router.analysis.MadeFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.SessionNumber;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.TableName;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.routing.Routing;

/**
 * A statement with values that are known before it is routed, as nodes run it: they are parameters
 * after the client's own. Random keys are the router's, numbers that the session has drawn are
 * remembered, others a node computes first. Or it is a statement in other words, without such
 * values.
 *
 * @param values where they come from, in their order
 * @param query computes some, or locks or changes rows; null when there is none
 * @param takesRows true when the rows of the query are all the values, an array for each column;
 *     then, or when it has neither, it runs only where the statement itself would be refused
 * @param next what runs instead of it in its turn; null when it runs as it is
 */
public record GeneratedKeys(
    SharedStatement statement,
    RoutedStatement routed,
    List<Source> values,
    KeyQuery query,
    boolean takesRows,
    GeneratedKeys next) {
  /**
   * Where a value comes from; a random key has neither.
   *
   * @param place in the answer to the query
   * @param number that the session has drawn
   */
  public record Source(ComputedFacts.Place place, SessionNumber number) {}

  /**
   * What computes keys, or gives rows.
   *
   * @param statement has the client's parameters
   * @param facts what is to be known of it
   * @param routed the same, when it uses tables; else null
   * @param instead what runs instead of it; null when it runs as it is
   */
  public record KeyQuery(
      SharedStatement statement,
      ComputedFacts facts,
      RoutedStatement routed,
      GeneratedKeys instead) {}

  /** Copies the list. */
  public GeneratedKeys {
    values = List.copyOf(values);
  }

  /**
   * The form for these facts; null when there are none, or the table is not placed: only of placed
   * tables, routers learn at once that a default has changed.
   */
  public static GeneratedKeys of(MadeFacts facts, Catalog catalog, StatementCache statements) {
    if (facts == null || !facts.takesRows() && !isPlaced(facts, catalog)) {
      return null;
    }
    return new GeneratedKeys(
        statements.intern(NodeStatement.of(facts.text(), facts.facts().parameters()).body()),
        new RoutedStatement(Routing.compile(facts.text(), facts.facts(), facts.instead(), catalog)),
        facts.takesRows() ? List.of() : sources(facts),
        query(facts, catalog, statements),
        facts.takesRows(),
        of(facts.next(), catalog, statements));
  }

  private static List<Source> sources(MadeFacts facts) {
    List<Source> sources = new ArrayList<>();
    for (int key = 0; key < facts.count(); key++) {
      List<SessionNumber> numbers = facts.numbers();
      sources.add(
          new Source(
              facts.computed() == null ? null : facts.computed().places().get(key),
              key < numbers.size() ? numbers.get(key) : null));
    }
    return sources;
  }

  private static KeyQuery query(MadeFacts facts, Catalog catalog, StatementCache statements) {
    ComputedFacts computed = facts.computed();
    if (computed == null) {
      return null;
    }
    List<Integer> types = facts.facts().parameters();
    List<Integer> own = types.subList(0, types.size() - facts.count());
    MadeFacts.Source source = facts.source();
    if (source == null) {
      NodeStatement values = NodeStatement.ofRows(computed.query(), own);
      return new KeyQuery(statements.intern(values.body()), computed, null, null);
    }
    SharedStatement statement = statements.intern(NodeStatement.of(computed.query(), own).body());
    return new KeyQuery(
        statement,
        computed,
        new RoutedStatement(
            Routing.compile(computed.query(), source.facts(), source.instead(), catalog)),
        of(source.made(), catalog, statements));
  }

  /** EXPLAIN of it. */
  public GeneratedKeys explained(ExplainCommand whole, StatementCache statements) {
    String gives = takesRows && query != null ? query.statement().sql() : null;
    ExplainCommand command = whole.about(statement.sql(), gives);
    String text = command.ofText(statement.sql());
    List<Integer> types = routed.facts().parameters();
    return new GeneratedKeys(
        statements.intern(NodeStatement.of(text, types).body()),
        new RoutedStatement(command, routed.router()),
        values,
        takesRows && !command.analyze() ? null : query, // A plan locks and changes nothing.
        takesRows,
        next == null ? null : next.explained(command, statements));
  }

  /** Without numbers of its session, no node could run it. */
  public boolean needsSession() {
    return values.stream().anyMatch(value -> value.number() != null);
  }

  /** Whether it, or what runs instead of it, locks or changes rows before. */
  public boolean takesBefore() {
    return takesRows && query != null || next != null && next.takesBefore();
  }

  /** Whether what runs before changes rows. */
  public boolean changesBefore() {
    boolean changes =
        takesRows && query != null && query.routed() != null && query.routed().writes();
    return changes || next != null && next.changesBefore();
  }

  /** It is the same statement without temporary views, which only the first node has. */
  public boolean isExpanded() {
    return values.isEmpty() && query == null && !takesRows;
  }

  /** It has nothing but numbers of the session, or no table: these may be anywhere. */
  private static boolean isPlaced(MadeFacts made, Catalog catalog) {
    boolean ofSession = made.numbers().stream().anyMatch(Objects::nonNull);
    return ofSession
        || made.facts().relations().stream()
            .filter(RelationFacts::write)
            .map(table -> new TableName(table.schema(), table.name()))
            .allMatch(table -> catalog.placement(table).isPresent());
  }

  /**
   * The client's Bind with keys after its values.
   *
   * @param numbers tells the numbers of the session
   * @param computed the answer to the query, in text form; empty when there is none
   */
  public byte[] bind(
      BindMessage client, Supplier<UUID> source, List<byte[]> numbers, List<byte[][]> computed) {
    List<ByteQueue> made =
        IntStream.range(0, values.size())
            .mapToObj(key -> value(values.get(key), source, numbers.get(key), computed))
            .collect(Collectors.toList()); // which may hold NULLs
    return client.extended(made);
  }

  private static ByteQueue value(
      Source value, Supplier<UUID> source, byte[] number, List<byte[][]> computed) {
    if (value.number() != null) {
      return text(number);
    }
    ComputedFacts.Place place = value.place();
    return place == null ? text(source.get()) : text(computed.get(place.row())[place.column()]);
  }

  private static ByteQueue text(UUID key) {
    return text(key.toString().getBytes(StandardCharsets.US_ASCII));
  }

  private static ByteQueue text(byte[] text) {
    return text == null ? null : ByteQueue.of(text);
  }
}
