package org.abelian.router.frontend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.abelian.router.analysis.ComputedFacts;
import org.abelian.router.analysis.SessionNumber;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.CatalogStore;
import org.abelian.router.engine.EngineContext;
import org.abelian.router.engine.SourceRows;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.Route;
import org.abelian.router.session.ClassChoice;
import org.abelian.router.session.TransactionState;
import org.abelian.router.statement.AnalysedStatement;
import org.abelian.router.statement.GeneratedKeys;
import org.abelian.router.statement.RoutedStatement;

/**
 * Decides which INSERTs run with keys that the router generates: those that cannot be routed
 * without them, and those of transactions that may commit in the commuting class because of them.
 * What commits on one node by itself runs as the client has sent it.
 */
public final class KeyGeneration {
  private final EngineContext context;
  private final CatalogStore catalogs;
  private final Supplier<UUID> keys;

  /**
   * @param keys random UUIDs that nobody can foresee
   */
  public KeyGeneration(EngineContext context, CatalogStore catalogs, Supplier<UUID> keys) {
    this.context = context;
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

  /** The same of what runs instead of another. */
  public GeneratedKeys next(GeneratedKeys generated, BoundValues values, boolean alone) {
    return instead(generated.next(), generated.routed(), values, alone);
  }

  private GeneratedKeys instead(
      GeneratedKeys generated, RoutedStatement routed, BoundValues values, boolean alone) {
    if (generated == null || values.count() != routed.facts().parameters().size()) {
      return null; // Of values that are missing, the node tells.
    }
    boolean wanted =
        generated.needsSession()
            || generated.isExpanded()
            || !generated.locks() && mayCommute(generated, alone)
            || routed.router().route(values) instanceof Route.Refused;
    return wanted ? generated : null;
  }

  /**
   * The client's Bind with keys after its values; null when earlier answers must come first.
   *
   * @param values those of the client
   * @throws RuntimeException the error of the node that computes keys
   */
  public byte[] bind(GeneratedKeys generated, BindMessage client, BoundValues values)
      throws IOException {
    boolean asks = generated.query() != null || generated.needsSession();
    if (asks && !context.replies().isEmpty()) {
      return null;
    }
    if (generated.locks()) {
      int columns = generated.routed().facts().parameters().size() - values.count();
      return SourceRows.locked(
          context, generated.statement(), generated.query(), columns, client, values);
    }
    List<byte[]> numbers = new ArrayList<>();
    for (GeneratedKeys.Source value : generated.values()) {
      SessionNumber number = value.number();
      numbers.add(number == null ? null : context.transactions().draws().number(number));
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

  private List<byte[][]> computed(GeneratedKeys.KeyQuery query, BindMessage client)
      throws IOException {
    Backend backend = computes(query.facts());
    if (backend == null) {
      return null;
    }
    context.transactions().draws().beginNow(backend, query.facts().draws());
    QueryResult result =
        NodeCall.valuesOf(backend.connection, query.statement(), client, !backend.touched);
    if (!result.succeeded()) {
      backend.skips = backend.touched;
      throw new ClientError(result.errorFields());
    }
    return result.rows();
  }

  /**
   * The node that computes keys. It does so beside the client's transaction, unless the values
   * depend on that; then null is returned until the node has joined it.
   */
  private Backend computes(ComputedFacts facts) {
    Catalog catalog = catalogs.current();
    Backend backend =
        facts.sequences()
            ? context.backends().backend(catalog.first())
            : context.backends().home(catalog);
    TransactionState transaction = context.transactions().state();
    boolean depends = facts.transactional() || transaction.changesSettings();
    if (transaction.isOpen() && !backend.begun && depends) {
      context.transactions().enter(backend, false);
      return null;
    }
    context.backends().connect(backend);
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
