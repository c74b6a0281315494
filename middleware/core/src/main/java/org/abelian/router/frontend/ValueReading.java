package org.abelian.router.frontend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * Keys in texts that the router cannot read, or takes for malformed: a node reads them, with the
 * session's settings, or has PostgreSQL's own error for them.
 */
final class ValueReading {
  /** PostgreSQL's limit of a query's columns is 1,664. */
  private static final int COLUMNS_MAX = 1_600;

  /** By the OID of a type: what gives a value's binary form. */
  private static final Map<Integer, String> SENDERS =
      Map.ofEntries(
          Map.entry(16, "boolsend"),
          Map.entry(17, "byteasend"),
          Map.entry(20, "int8send"),
          Map.entry(21, "int2send"),
          Map.entry(23, "int4send"),
          Map.entry(700, "float4send"),
          Map.entry(701, "float8send"),
          Map.entry(1082, "date_send"),
          Map.entry(1083, "time_send"),
          Map.entry(1114, "timestamp_send"),
          Map.entry(1184, "timestamptz_send"),
          Map.entry(1700, "numeric_send"),
          Map.entry(2950, "uuid_send"));

  /** What these mean may be another day when the statement runs. */
  private static final Pattern MOVING =
      Pattern.compile("now|today|tomorrow|yesterday", Pattern.CASE_INSENSITIVE);

  private final EngineContext context;
  private final StatementStarter starter;
  private final SessionStatements statements;

  ValueReading(EngineContext context, StatementStarter starter, SessionStatements statements) {
    this.context = context;
    this.starter = starter;
    this.statements = statements;
  }

  /** Where the statement goes; null when earlier answers must come first. */
  Route route(SharedStatement statement, RoutedStatement routed, BoundValues values)
      throws IOException {
    try {
      return starter.route(statement, routed, values);
    } catch (AbelianException unread) {
      List<Integer> asked = asked(routed, values);
      boolean mayBeRead =
          unread.state() == SqlState.FEATURE_NOT_SUPPORTED
              || unread.state() == SqlState.INVALID_TEXT_REPRESENTATION;
      if (!mayBeRead || asked.isEmpty() || asked.size() > COLUMNS_MAX) {
        throw unread;
      }
      BoundValues read = read(routed, values, asked);
      return read == null ? null : starter.route(statement, routed, read);
    }
  }

  /** The parameters that a node can read. */
  private static List<Integer> asked(RoutedStatement routed, BoundValues values) {
    List<Integer> types = routed.facts().parameters();
    return IntStream.rangeClosed(1, Math.min(types.size(), values.count()))
        .filter(
            parameter ->
                SENDERS.containsKey(types.get(parameter - 1))
                    && !values.isNull(parameter)
                    && !values.isBinary(parameter)
                    && !MOVING.matcher(text(values, parameter)).find())
        .boxed()
        .toList();
  }

  private BoundValues read(RoutedStatement routed, BoundValues values, List<Integer> asked)
      throws IOException {
    Backend backend = context.backends().home(routed.router().catalog());
    if (context.transactions().state().isOpen() && !backend.begun) {
      context.transactions().enter(backend, false); // Its settings hold for the values.
      return null;
    }
    if (!context.replies().isEmpty()) {
      return null;
    }
    context.backends().connect(backend);
    backend.worked |= backend.begun;
    String[] texts = asked.stream().map(one -> text(values, one)).toArray(String[]::new);
    QueryResult result =
        NodeCall.prepared(backend.connection, question(routed, asked), !backend.touched, texts);
    if (!result.succeeded()) {
      backend.skips = backend.touched;
      throw new ClientError(result.errorFields());
    }
    Map<Integer, byte[]> read = new HashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      String hex = new String(result.rows().get(0)[i], StandardCharsets.US_ASCII);
      read.put(asked.get(i), HexFormat.of().parseHex(hex));
    }
    return new ReadValues(values, read);
  }

  private NodeStatement question(RoutedStatement routed, List<Integer> asked) {
    List<Integer> types = new ArrayList<>();
    asked.forEach(parameter -> types.add(routed.facts().parameters().get(parameter - 1)));
    String columns =
        IntStream.range(0, types.size())
            .mapToObj(
                i ->
                    "pg_catalog.encode(pg_catalog.%s($%d), 'hex')"
                        .formatted(SENDERS.get(types.get(i)), i + 1))
            .collect(Collectors.joining(", "));
    return statements.intern(NodeStatement.of("SELECT " + columns, types).body()).statement();
  }

  private static String text(BoundValues values, int parameter) {
    return new String(
        values.buffer(parameter),
        values.offset(parameter),
        values.length(parameter),
        values.charset());
  }

  /** The values of a Bind, of which some were read by a node. */
  private record ReadValues(BoundValues own, Map<Integer, byte[]> read) implements BoundValues {
    @Override
    public int count() {
      return own.count();
    }

    @Override
    public boolean isBinary(int parameter) {
      return read.containsKey(parameter) || own.isBinary(parameter);
    }

    @Override
    public byte[] buffer(int parameter) {
      byte[] value = read.get(parameter);
      return value == null ? own.buffer(parameter) : value;
    }

    @Override
    public int offset(int parameter) {
      return read.containsKey(parameter) ? 0 : own.offset(parameter);
    }

    @Override
    public int length(int parameter) {
      byte[] value = read.get(parameter);
      return value == null ? own.length(parameter) : value.length;
    }
  }
}
