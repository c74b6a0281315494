package org.abelian.router.frontend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.abelian.router.analysis.ExecuteFacts;
import org.abelian.router.analysis.ExecuteFacts.Argument;
import org.abelian.router.analysis.Span;
import org.abelian.router.backend.Backend;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.PortalDescription;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeConnection;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.TextValues;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * EXECUTE of a statement that PREPARE, or a message, has prepared. It becomes a Bind of that
 * statement with the values of its arguments. Constants are taken as they are; a node evaluates
 * other arguments, and brings them to the types of the parameters.
 */
public final class ExecuteCommand {
  /** OIDs of integer, bigint, real, double precision and numeric, which take any int4. */
  private static final Set<Integer> NUMBERS = Set.of(23, 20, 700, 701, 1700);

  /** OIDs of text and varchar. */
  private static final Set<Integer> TEXTS = Set.of(25, 1043);

  /**
   * What is to run in place of an EXECUTE.
   *
   * @param bind a Bind message for it, for the client's portal
   */
  public record Bound(SharedStatement statement, AnalysedStatement analysed, byte[] bind) {}

  private record Target(SharedStatement statement, AnalysedStatement analysed) {
    List<Integer> types() {
      return analysed.routed().facts().parameters();
    }
  }

  private final EngineContext context;
  private final StatementStarter starter;
  private final SessionStatements statements;

  public ExecuteCommand(
      EngineContext context, StatementStarter starter, SessionStatements statements) {
    this.context = context;
    this.starter = starter;
    this.statements = statements;
  }

  /**
   * What runs; null when earlier answers must come first.
   *
   * @param client the portal's name and the result formats
   */
  Bound bind(SharedStatement statement, RoutedStatement routed, BindMessage client)
      throws IOException {
    ExecuteFacts facts = routed.facts().command().prepared().executes();
    Target target = target(statement.sql(), facts);
    if (target == null) {
      return null;
    }
    List<Integer> types = target.types();
    // PostgreSQL does not look at arguments where there are no parameters.
    if (!types.isEmpty() && facts.arguments().size() != types.size()) {
      throw new ClientError(
          ErrorFields.of(
                  "ERROR",
                  "42601",
                  "wrong number of parameters for prepared statement \"" + facts.name() + "\"")
              .with(
                  ErrorFields.DETAIL,
                  "Expected %d parameters but got %d."
                      .formatted(types.size(), facts.arguments().size())));
    }
    byte[][] values = values(statement.sql(), facts, types);
    return values == null
        ? null
        : new Bound(target.statement(), target.analysed(), message(client, values));
  }

  /** Tells the columns of what is executed, which has no parameters of its own. */
  Progress describe(SharedStatement statement, RoutedStatement routed) throws IOException {
    Target target = target(statement.sql(), routed.facts().command().prepared().executes());
    if (target == null) {
      return Progress.QUIET;
    }
    Backend backend = context.backends().home(target.analysed().routed().router().catalog());
    context.replies().add(FixedMessage.NO_PARAMETERS);
    PortalDescription.tellOfStatement(
        context,
        backend,
        target.statement().statement(),
        target.analysed().routed().facts().returnsRows());
    return Progress.NEXT;
  }

  /** The prepared statement, with EXPLAIN or CREATE TABLE around it if they are around EXECUTE. */
  private Target target(String sql, ExecuteFacts facts) throws IOException {
    byte[] name = facts.name().getBytes(StandardCharsets.UTF_8);
    SharedStatement prepared = statements.withLiterals(name, 0, name.length);
    if (prepared == null) {
      throw ClientError.of("26000", "prepared statement \"" + facts.name() + "\" does not exist");
    }
    if (prepared.command() != null || prepared.isBlank()) {
      throw notPrepared(facts.name());
    }
    AnalysedStatement analysed = statements.analysed(prepared);
    if (analysed != null && analysed.routed().utility() != null) {
      throw notPrepared(facts.name());
    }
    if (analysed != null) {
      String result = analysed.routed().facts().result();
      statements.named().requireSame(name, 0, name.length, result);
    }
    byte[] text = sql.getBytes(StandardCharsets.UTF_8);
    int end = facts.span().end();
    String before = new String(text, 0, facts.span().offset(), StandardCharsets.UTF_8);
    String after = new String(text, end, text.length - end, StandardCharsets.UTF_8);
    if (analysed == null || before.isBlank()) {
      return analysed == null ? null : new Target(prepared, analysed);
    }
    SharedStatement whole =
        statements.intern(
            NodeStatement.of(
                    before + prepared.sql() + "\n" + after, analysed.routed().facts().parameters())
                .body());
    AnalysedStatement known = statements.analysed(whole);
    return known == null ? null : new Target(whole, known);
  }

  /** PREPARE takes no commands, but a message may have prepared one. */
  private static AbelianException notPrepared(String name) {
    return AbelianException.unsupported(
        "EXECUTE of the command \"" + name + "\" is not supported through the router",
        "Send the command itself, or bind it by a message.");
  }

  // ---- the arguments

  /** Null when earlier answers must come first. */
  private byte[][] values(String sql, ExecuteFacts facts, List<Integer> types) throws IOException {
    if (types.isEmpty()) {
      return new byte[0][];
    }
    List<Argument> arguments = facts.arguments();
    boolean known =
        IntStream.range(0, types.size()).allMatch(i -> isKnown(arguments.get(i), types.get(i)));
    if (!known) {
      return evaluated(sql, arguments, types);
    }
    return arguments.stream()
        .map(Argument::text)
        .map(text -> text == null ? null : text.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }

  /** Of others the node tells what is wrong with them, and where they stand. */
  private static boolean isKnown(Argument argument, int type) {
    return switch (argument.constant()) {
      case NULL -> true;
      case STRING ->
          TEXTS.contains(type) || NUMBERS.contains(type) && argument.text().matches("-?[0-9]{1,9}");
      case INTEGER -> NUMBERS.contains(type);
      case NONE -> false;
    };
  }

  private byte[][] evaluated(String sql, List<Argument> arguments, List<Integer> types)
      throws IOException {
    int from = arguments.get(0).span().offset();
    int to = arguments.get(arguments.size() - 1).span().end();
    String list = new Span(from, to - from).of(sql);
    int before = lengthOf(new Span(0, from).of(sql));
    String select = "SELECT ";
    Backend backend;
    try {
      backend = evaluates(select + list);
    } catch (ClientError e) {
      throw moved(e, before - select.length());
    }
    if (backend == null) {
      return null;
    }
    String parameters =
        IntStream.rangeClosed(1, types.size())
            .mapToObj(number -> "$" + number)
            .collect(Collectors.joining(", "));
    NodeConnection connection = backend.connection;
    NodeStatement given =
        context
            .replies()
            .numbers()
            .there(
                connection.address(),
                statements.intern(NodeStatement.of(select + parameters, types).body()).statement());
    boolean parsing = connection.parse(given);
    String name = new String(connection.prepared().name(given), StandardCharsets.US_ASCII);
    String execute = "EXECUTE " + name + " (";
    QueryResult result =
        NodeCall.once(connection, NodeStatement.of(execute + list + "\n)"), !backend.touched);
    if (!result.succeeded()) {
      if (parsing) {
        connection.prepared().forget(given);
      }
      backend.skips = backend.touched;
      throw moved(new ClientError(result.errorFields()), before - execute.length());
    }
    return result.rows().get(0);
  }

  /** In characters, as nodes count them. */
  private static int lengthOf(String text) {
    return text.codePointCount(0, text.length());
  }

  /** The error with the place in the client's text. */
  private static ClientError moved(ClientError error, int by) {
    String position = error.fields().get(ErrorFields.POSITION);
    return position == null
        ? error
        : new ClientError(
            error
                .fields()
                .with(ErrorFields.POSITION, String.valueOf(Integer.parseInt(position) + by)));
  }

  /** A node that can evaluate the arguments as well as any other; null as above. */
  private Backend evaluates(String query) throws IOException {
    SharedStatement arguments = statements.intern(NodeStatement.of(query).body());
    AnalysedStatement analysed = statements.analysed(arguments);
    if (analysed == null || !context.replies().isEmpty()) {
      return null;
    }
    RoutedStatement routed = analysed.routed();
    Backend backend =
        starter.passesThrough(routed, starter.route(arguments, routed, TextValues.NONE));
    if (backend == null || routed.writes() || routed.maySet()) {
      throw AbelianException.unsupported(
          "an argument of EXECUTE that reads distributed tables or has effects is not supported"
              + " through the router",
          "SELECT the value before, and give it as a constant.");
    }
    if (context.transactions().state().isOpen() && !backend.begun) {
      // The arguments are the transaction's: its settings hold for them, and its time.
      context.transactions().enter(backend, false);
      return null;
    }
    context.backends().connect(backend);
    backend.worked |= backend.begun;
    return backend;
  }

  private static byte[] message(BindMessage client, byte[][] values) {
    ByteQueue queue =
        new ByteQueue(64 + Arrays.stream(values).mapToInt(ExecuteCommand::size).sum());
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND);
    writer.bytes(client.array(), client.portalAt(), client.portalLength()).int1(0).int1(0);
    writer.int2(0).int2(values.length);
    for (byte[] value : values) {
      if (value == null) {
        writer.int4(-1);
      } else {
        writer.int4(value.length).bytes(value);
      }
    }
    int formats = client.resultFormatsAt();
    writer.bytes(client.array(), formats, client.end() - formats).end();
    return queue.toByteArray();
  }

  private static int size(byte[] value) {
    return value == null ? 4 : 4 + value.length;
  }
}
