package org.abelian.router.frontend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.abelian.router.analysis.SessionNumber;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.engine.BoundStatement;
import org.abelian.router.engine.CollectedRows;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.Executor;
import org.abelian.router.engine.SourceRows;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.execution.RowCollection;
import org.abelian.router.execution.RowSink;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.PgType;
import org.abelian.router.routing.Route;
import org.abelian.router.session.ClassChoice;
import org.abelian.router.session.TransactionState;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.BoundParameters;
import org.abelian.router.statement.GeneratedKeys;
import org.abelian.router.statement.GeneratedKeys.KeyQuery;
import org.abelian.router.statement.RoutedStatement;
import org.abelian.router.statement.SharedStatement;

/**
 * Decides which INSERTs run with keys that the router generates: those that cannot be routed
 * without them, and those of transactions that may commit in the commuting class because of them.
 * What commits on one node by itself runs as the client has sent it.
 */
public final class KeyGeneration {
  private final Executor executor;
  private final EngineContext context;
  private final CatalogStore catalogs;
  private final Supplier<UUID> keys;

  /**
   * @param keys random UUIDs that nobody can foresee
   */
  public KeyGeneration(Executor executor, CatalogStore catalogs, Supplier<UUID> keys) {
    this.executor = executor;
    this.context = executor.context();
    this.catalogs = catalogs;
    this.keys = keys;
  }

  /**
   * What is to run instead of the statement; null when it is to run as it is.
   *
   * @param alone true when nothing else is in its group of messages
   */
  public GeneratedKeys instead(AnalysedStatement analysed, BoundValues values, boolean alone) {
    return instead(analysed.generated(), analysed.routed(), values, alone);
  }

  /**
   * Binds what runs instead of a statement, and what runs instead of that, to the last of them.
   *
   * @param bind the client's Bind; in the end that of what is returned
   * @param values those of the Bind
   * @return null when earlier answers must come first, or a node has failed
   * @throws RuntimeException the error of the node that computes keys
   */
  public GeneratedKeys last(
      GeneratedKeys generated, BindMessage bind, BoundValues values, boolean alone)
      throws IOException {
    GeneratedKeys last = null;
    for (GeneratedKeys now = generated; now != null; ) {
      byte[] extended = bind(now, bind, values);
      if (extended == null) {
        return null;
      }
      bind.look(extended, 0);
      last = now;
      now = instead(now.next(), now.routed(), values, alone);
    }
    return last;
  }

  /**
   * The query of a command, bound: as it is, or what runs instead of it.
   *
   * @param bind the values; in the end those of what is returned
   * @return null when a node has failed, and the client was told
   */
  BoundStatement bound(SharedStatement statement, AnalysedStatement analysed, BindMessage bind)
      throws IOException {
    BoundValues values = new BoundParameters(bind);
    GeneratedKeys first = instead(analysed, values, false);
    if (first == null) {
      return new BoundStatement(statement, analysed.routed(), bind, false);
    }
    GeneratedKeys last = last(first, bind, values, false);
    return last == null ? null : new BoundStatement(last.statement(), last.routed(), bind, false);
  }

  private GeneratedKeys instead(
      GeneratedKeys generated, RoutedStatement routed, BoundValues values, boolean alone) {
    if (generated == null || values.count() != routed.facts().parameters().size()) {
      return null; // Of values that are missing, the node tells.
    }
    boolean wanted =
        generated.needsSession()
            || generated.isExpanded()
            || !generated.takesRows() && mayCommute(generated, alone)
            || routed.router().route(values) instanceof Route.Refused;
    return wanted ? generated : null;
  }

  /** The client's Bind with keys after its values; null as above. */
  private byte[] bind(GeneratedKeys generated, BindMessage client, BoundValues values)
      throws IOException {
    boolean asks = generated.query() != null || generated.needsSession();
    if (asks && !context.replies().isEmpty()) {
      return null;
    }
    if (generated.takesRows()) {
      return taken(generated, client, values);
    }
    List<byte[]> numbers = new ArrayList<>();
    for (GeneratedKeys.Source value : generated.values()) {
      SessionNumber number = value.number();
      numbers.add(
          number == null ? null : number(number, generated.routed().facts().parameters(), values));
    }
    if (context.replies().failed()) {
      return null;
    }
    if (generated.query() == null) {
      return generated.bind(client, keys, numbers, List.of());
    }
    List<byte[][]> computed =
        generated.query().routed() == null
            ? computed(generated.query(), client)
            : SourceRows.few(context, generated.statement(), generated.query(), client, values);
    return computed == null ? null : generated.bind(client, keys, numbers, computed);
  }

  /** The client knows numbers of the first node. Null also when a node has failed. */
  private byte[] number(SessionNumber wanted, List<Integer> types, BoundValues values)
      throws IOException {
    int parameter = wanted.parameter();
    if (parameter == 0) {
      return context.transactions().draws().number(wanted);
    } else if (values.isNull(parameter)) {
      return null;
    }
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    boolean isText = types.get(parameter - 1) != PgType.REGCLASS;
    boolean isNumber = !isText && values.isBinary(parameter);
    String name =
        isNumber
            ? Integer.toUnsignedString(BigEndian.int4(buffer, offset))
            : new String(buffer, offset, values.length(parameter), values.charset());
    Backend home = computes(true, false);
    return context.replies().failed()
        ? null
        : context.transactions().draws().number(name, isText, home);
  }

  /** The client's Bind with the rows of a query after its values, as one array for each column. */
  private byte[] taken(GeneratedKeys generated, BindMessage client, BoundValues values)
      throws IOException {
    int columns = generated.routed().facts().parameters().size() - values.count();
    RowCollection rows = SourceRows.taken(context, columns);
    try {
      if (generated.query() != null) {
        beginBlock();
        if (!context.replies().failed()) {
          take(generated.query(), client, rows);
        }
      }
      return context.replies().failed() ? null : client.extended(rows.arrays());
    } finally {
      rows.close();
    }
  }

  /**
   * Nodes that have done something in the group of messages are told so, and answer before anything
   * is asked.
   */
  private void beginBlock() throws IOException {
    context.transactions().openImplicit();
    if (!context.replies().isEmpty()) {
      context.backends().requestAnswers();
      context.replies().runAll();
    }
  }

  /** Runs a query as it would run alone. */
  private void take(KeyQuery query, BindMessage client, RowSink rows) throws IOException {
    BindMessage bind = new BindMessage();
    bind.look(client.asText(), 0);
    BoundValues values = new BoundParameters(bind);
    SharedStatement statement = query.statement();
    RoutedStatement routed = query.routed();
    GeneratedKeys first = instead(query.instead(), routed, values, false);
    if (first != null) {
      GeneratedKeys last = last(first, bind, values, false);
      if (last == null && context.replies().failed()) {
        return;
      } else if (last == null) {
        throw AbelianException.internal("a query was asked before others were answered", null);
      }
      statement = last.statement();
      routed = last.routed();
    }
    Route route = routed.router().route(values);
    if (route instanceof Route.Refused refused) {
      throw refused.error();
    }
    BoundStatement bound = new BoundStatement(statement, routed, bind, false);
    if (routed.writes()) {
      CollectedRows.collect(context, executor::bind, bound, route, rows);
    } else {
      SourceRows.take(context, bound, route, rows);
    }
  }

  private List<byte[][]> computed(KeyQuery query, BindMessage client) throws IOException {
    Backend backend = computes(query.facts().sequences(), query.facts().transactional());
    if (context.replies().failed()) {
      return null;
    }
    context.transactions().draws().beginNow(backend, query.facts().draws());
    NodeStatement statement =
        context
            .replies()
            .numbers()
            .there(backend.connection.address(), query.statement().statement());
    QueryResult result = NodeCall.valuesOf(backend.connection, statement, client, !backend.touched);
    if (!result.succeeded()) {
      backend.skips = backend.touched;
      throw new ClientError(result.errorFields());
    }
    return result.rows();
  }

  /**
   * The node that computes keys. It does so beside the client's transaction, unless the values
   * depend on that; then the node joins it.
   */
  private Backend computes(boolean onFirst, boolean transactional) throws IOException {
    Catalog catalog = catalogs.current();
    Backend backend =
        onFirst ? context.backends().backend(catalog.first()) : context.backends().home(catalog);
    TransactionState transaction = context.transactions().state();
    boolean depends = transactional || transaction.changesSettings();
    if (transaction.isOpen() && depends) {
      context.transactions().enter(backend, false);
      if (transactional) {
        context.transactions().shareClock(backend);
      }
      context.backends().requestAnswers();
      context.replies().runAll();
      return backend;
    }
    context.backends().connect(backend);
    backend.worked |= backend.begun;
    return backend;
  }

  private boolean mayCommute(GeneratedKeys generated, boolean alone) {
    TransactionState transaction = context.transactions().state();
    return maySpread(alone)
        && generated.routed().isBlind()
        && ClassChoice.obstacle(transaction, context.backends(), transaction.work()) == null;
  }

  /**
   * True when the next statement may be one of several of a transaction over several nodes.
   *
   * @param alone true when nothing else is in its group of messages
   */
  public boolean maySpread(boolean alone) {
    boolean several =
        context.transactions().state().isOpen()
            || !alone
            || !context.backends().touched().isEmpty();
    return several && catalogs.current().nodes().size() > 1;
  }
}
