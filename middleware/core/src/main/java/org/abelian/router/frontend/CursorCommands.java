package org.abelian.router.frontend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.abelian.router.analysis.CommandFacts;
import org.abelian.router.analysis.CursorFacts;
import org.abelian.router.analysis.FetchFacts;
import org.abelian.router.analysis.Span;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.CommandExecution;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Execution;
import org.abelian.router.engine.Executor;
import org.abelian.router.engine.FetchExecution;
import org.abelian.router.engine.NodeCursorExecution;
import org.abelian.router.engine.ScatterExecution;
import org.abelian.router.engine.SingleNodeExecution;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.FixedMessage;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.routing.Route;
import org.abelian.router.session.Progress;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.GeneratedKeys;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * DECLARE, FETCH, MOVE and CLOSE of cursors over several nodes. Such a cursor is a portal of its
 * query, bound to the cursor's name. If one node finishes the query, the portal is that node's, and
 * so are the commands about it from then on. Otherwise each node has a portal for its own rows, and
 * the session reads one after the other; it only goes forwards.
 */
public final class CursorCommands {
  /**
   * A DECLARE.
   *
   * @param declares the command up to the query
   * @param parameters the types of the query's parameters
   * @param message a Bind with the client's values
   */
  private record Declaration(
      String name,
      String declares,
      boolean holds,
      String query,
      List<Integer> parameters,
      byte[] message) {}

  private static final NodeStatement OPENED =
      NodeStatement.of("SELECT FROM pg_catalog.pg_cursors WHERE name = $1");

  private final EngineContext context;
  private final Executor executor;
  private final SessionRouting routing;
  private final SessionStatements statements;
  private final Portals portals;
  private final NodeCursors cursors;

  public CursorCommands(
      Executor executor,
      SessionRouting routing,
      SessionStatements statements,
      Portals portals,
      NodeCursors cursors) {
    this.context = executor.context();
    this.executor = executor;
    this.routing = routing;
    this.statements = statements;
    this.portals = portals;
    this.cursors = cursors;
  }

  /** A node's own cursor of that name, as a portal; null when none has one. */
  Execution portal(String name) {
    Backend home = cursors.home(name);
    return home == null
        ? null
        : new NodeCursorExecution(context, home, name.getBytes(StandardCharsets.UTF_8));
  }

  /** Refuses the name of a node's own cursor for a portal. */
  void requireFree(String name) {
    cursors.requireFree(name);
  }

  /** It is closed by a message. */
  void closed(String name) {
    cursors.close(name);
  }

  /**
   * Finds out which node has the cursor that a command is about, if a function has opened it.
   *
   * @return false when earlier answers must come first
   */
  boolean finds(RoutedStatement routed) throws IOException {
    CommandFacts command = routed.facts().command();
    boolean commands =
        command.utility() == UtilityKind.FETCH || command.utility() == UtilityKind.CLOSE;
    String name = commands ? command.name() : routed.facts().change().currentOf();
    if (name == null || portals.has(name) || cursors.isDeclared(name)) {
      return true;
    }
    cursors.opened(name, context.backends().firstBegun());
    if (context.backends().begunCount() < 2) {
      return true;
    } else if (!context.replies().isEmpty()) {
      return false;
    }
    cursors.opened(name, opener(name));
    return true;
  }

  /** The node on which a function has opened a cursor of that name; null when none has. */
  private Backend opener(String name) throws IOException {
    Backend found = null;
    for (Backend backend : context.backends().begun()) {
      QueryResult result = NodeCall.prepared(backend.connection, OPENED, !backend.touched, name);
      if (!result.succeeded()) {
        backend.skips = backend.touched;
        throw new ClientError(result.errorFields());
      } else if (!result.rows().isEmpty() && found != null) {
        throw AbelianException.unsupported(
            "cursor \"" + name + "\" was opened on several nodes",
            "Have the functions give their cursors names of their own, or read one cursor to its"
                + " end in a transaction.");
      }
      found = result.rows().isEmpty() ? found : backend;
    }
    return found;
  }

  /** What runs the command. */
  Execution bind(BoundStatement bound) {
    StatementFacts facts = bound.routed().facts();
    FetchFacts fetch = facts.command().fetch();
    if (fetch != null) {
      Execution execution = fetch(facts.command().name(), fetch, bound.bind());
      bound.answerBind(context.replies());
      return execution;
    }
    CursorFacts cursor = facts.command().cursor();
    CommandExecution.Command command;
    if (cursor == null) {
      String own = new String(bound.portal(), StandardCharsets.UTF_8);
      command = () -> close(facts.command().name(), own);
    } else {
      byte[] message = message(facts.command().name(), bound.bind(), cursor.binary());
      String sql = bound.statement().sql();
      int start = facts.span().offset();
      Declaration declaration =
          new Declaration(
              facts.command().name(),
              new Span(start, cursor.query().offset() - start).of(sql),
              facts.command().holds(),
              cursor.query().of(sql),
              facts.parameters(),
              message);
      command =
          cursor.scroll() || declaration.holds()
              ? () -> keep(declaration)
              : () -> declare(declaration);
    }
    bound.answerBind(context.replies());
    return new CommandExecution(context.replies(), command);
  }

  private Progress declare(Declaration declaration) throws IOException {
    if (!context.transactions().state().isOpen()) {
      throw ClientError.of("25P01", "DECLARE CURSOR can only be used in transaction blocks");
    }
    String name = declaration.name();
    portals.requireFree(name);
    BoundStatement bound = bound(declaration.query(), declaration);
    if (bound == null || !context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    if (isWhole(bound)) {
      return declareOnOne(declaration, bound);
    }
    Route.Scatter route = scatter(bound);
    if (Executor.bindsQuiet(route)
        && Arrays.stream(bound.bind().resultFormats()).anyMatch(format -> format != 0)) {
      throw AbelianException.unsupported(
          "a BINARY cursor is not supported over rows that one node sorts or groups for others",
          "DECLARE it without BINARY.");
    }
    Execution execution = executor.bind(bound, route);
    if (execution == null) {
      return Progress.QUIET;
    }
    int savepoints = context.transactions().state().history().size();
    if (execution instanceof SingleNodeExecution finished) {
      cursors.declare(name, finished.backend(), savepoints, false);
    } else {
      portals.put(
          name, new Portals.Portal(bound.statement(), execution, null, false), savepoints, 0);
    }
    context.replies().add(FixedMessage.tag("DECLARE CURSOR"));
    return Progress.NEXT;
  }

  /**
   * Declares a cursor that goes backwards, or outlives its transaction: one node gets all the rows,
   * and has a cursor over them that is its own in all respects.
   */
  private Progress keep(Declaration declaration) throws IOException {
    if (!declaration.holds() && !context.transactions().state().isOpen()) {
      throw ClientError.of("25P01", "DECLARE CURSOR can only be used in transaction blocks");
    }
    portals.requireFree(declaration.name());
    BoundStatement plain = bound(declaration.query(), declaration);
    if (plain != null && isWhole(plain)) {
      return declareOnOne(declaration, plain);
    }
    BoundStatement bound = plain == null ? null : gathered(plain, declaration);
    if (bound == null || !context.replies().isEmpty()) {
      return Progress.QUIET;
    }
    Route.Scatter route = scatter(bound);
    Backend home = takes(declaration, bound);
    if (!executor.declare(bound, route, home, declaration.declares())) {
      return Progress.QUIET;
    }
    return declared(declaration, home);
  }

  /** Whether one node answers the query, whose answers nobody knows how to put together. */
  private boolean isWhole(BoundStatement bound) {
    Route route = route(bound);
    return route instanceof Route.AnyNode
        || route instanceof Route.OneNode && bound.routed().facts().merge() == null;
  }

  /** Declares a cursor over what one node can answer, which is that node's own in all respects. */
  private Progress declareOnOne(Declaration declaration, BoundStatement bound) {
    Backend home = takes(declaration, bound);
    executor.declare(bound, home, declaration.declares());
    return declared(declaration, home);
  }

  private static Progress declared(Declaration declaration, Backend home) {
    if (declaration.holds()) {
      SessionRouting.hold(home);
    }
    return Progress.NEXT;
  }

  /** The node that gets a cursor of its own. */
  private Backend takes(Declaration declaration, BoundStatement bound) {
    List<Backend> others = cursors.homes();
    Catalog catalog = bound.routed().router().catalog();
    Backend home = others.isEmpty() ? context.backends().backend(catalog.first()) : others.get(0);
    int savepoints = context.transactions().state().history().size();
    cursors.declare(declaration.name(), home, savepoints, declaration.holds());
    return home;
  }

  /**
   * The query in a form whose rows one node finishes; null as in {@link #bound}.
   *
   * @param plain the query as it is
   */
  private BoundStatement gathered(BoundStatement plain, Declaration declaration)
      throws IOException {
    if (Executor.bindsQuiet(scatter(plain))) {
      return plain;
    }
    String text = "SELECT * FROM (" + declaration.query() + "\n) AS rows OFFSET 0";
    BoundStatement finished = bound(text, declaration);
    if (finished != null && !Executor.bindsQuiet(scatter(finished))) {
      throw AbelianException.internal("nobody finishes the rows of a cursor", null);
    }
    return finished;
  }

  /** A query with the client's values; null when earlier answers must come first. */
  private BoundStatement bound(String query, Declaration declaration) throws IOException {
    SharedStatement statement =
        statements.intern(NodeStatement.of(query, declaration.parameters()).body());
    AnalysedStatement analysed = statements.analysed(statement);
    if (analysed == null || !context.replies().isEmpty()) {
      return null;
    }
    BindMessage bind = new BindMessage();
    bind.look(declaration.message(), 0);
    GeneratedKeys generated = analysed.generated();
    boolean changes = generated != null && generated.changesBefore();
    Route plain = analysed.routed().router().route(new BoundParameters(bind));
    if (changes && plain instanceof Route.Refused refused) {
      throw refused.error(); // Its rows would change before anybody fetches.
    }
    return statements.keys().bound(statement, analysed, bind);
  }

  private Route route(BoundStatement bound) {
    return routing
        .route(bound.statement(), bound.routed(), new BoundParameters(bound.bind()))
        .plain();
  }

  /** All that the query needs may be on one node after all. */
  private Route.Scatter scatter(BoundStatement bound) {
    Route route = route(bound);
    if (route instanceof Route.OneNode one) {
      return new Route.Scatter(List.of(one.node()), bound.routed().facts().merge());
    }
    if (!(route instanceof Route.Scatter scatter)) {
      throw AbelianException.internal("a cursor over several nodes goes to " + route, null);
    }
    // A cursor over so many rows is the node's that has taken them.
    return scatter.finishedByNode();
  }

  private Execution fetch(String name, FetchFacts fetch, BindMessage client) {
    if (Arrays.stream(client.resultFormats()).anyMatch(format -> format != 0)) {
      throw AbelianException.unsupported(
          "FETCH in binary format from a cursor over several nodes is not supported",
          "Ask for text, or DECLARE the cursor BINARY.");
    }
    ScatterExecution cursor = (ScatterExecution) portals.get(name).execution();
    return new FetchExecution(context, cursor, fetch);
  }

  /**
   * Closes a cursor, or all.
   *
   * @param own the name of the portal of the command itself, which stays
   */
  private Progress close(String name, String own) {
    portals.close(name, own);
    if (name == null) {
      Set<Backend> having = new LinkedHashSet<>(cursors.homes());
      having.addAll(context.backends().begun()); // where functions may have opened some
      for (Backend others : having) {
        context.transactions().enter(others, false);
        context.transactions().inject(others, NodeStatement.of("CLOSE ALL"), false);
      }
      cursors.close(null);
    }
    context.replies().add(FixedMessage.tag(name == null ? "CLOSE CURSOR ALL" : "CLOSE CURSOR"));
    return Progress.NEXT;
  }

  /** A Bind with the client's values. */
  private static byte[] message(String name, BindMessage client, boolean binary) {
    ByteQueue queue = new ByteQueue(64 + client.tailLength());
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).string(name).int1(0);
    writer.bytes(client.array(), client.tailAt(), client.resultFormatsAt() - client.tailAt());
    writer.int2(1).int2(binary ? 1 : 0).end();
    return queue.toByteArray();
  }
}
