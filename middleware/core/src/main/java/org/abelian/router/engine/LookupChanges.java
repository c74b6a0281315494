package org.abelian.router.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.abelian.router.backend.Backend;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.LookupIndex;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.ClientError;
import org.abelian.router.execution.CollectReply;
import org.abelian.router.execution.NodeCall;
import org.abelian.router.execution.NodeReply;
import org.abelian.router.execution.QueryResult;
import org.abelian.router.placement.KeyText;
import org.abelian.router.pool.NodeStatement;
import org.abelian.router.statement.RoutedStatement;

/**
 * What a statement has changed in indexed columns: the nodes of the rows tell it, and the nodes of
 * the entries keep it, in the statement's transaction.
 */
final class LookupChanges {
  private static final NodeStatement TAKE =
      NodeStatement.of("SELECT * FROM abelian.take_lookup_changes($1, $2)");
  private static final NodeStatement APPLY =
      NodeStatement.of("SELECT abelian.apply_lookup_changes($1, $2, $3)");

  /** What is sealed with both. */
  private static final String FUNCTION = "lookup";

  /** So many entries go to their nodes at a time. */
  private static final int PORTION = 10_000;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** What changes in the entries of one index on one node, as the node reads it. */
  record Change(int index, List<String> removed, List<String> added, List<Integer> partitions) {
    private Change(int index) {
      this(index, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  private final EngineContext context;
  private final RoutedStatement routed;
  private final List<byte[][]> rows = new ArrayList<>();

  LookupChanges(EngineContext context, RoutedStatement routed) {
    this.context = context;
    this.routed = routed;
  }

  /** Asks the node, behind the statement. */
  void ask(Backend backend) {
    String seal = backend.connection.seal(FUNCTION, "take");
    context.backends().touch(backend);
    if (NodeCall.sendPrepared(backend.connection, TAKE, router(), seal)) {
      context.replies().add(NodeReply.swallow(backend.connection));
    }
    context.replies().add(NodeReply.swallow(backend.connection));
    context.replies().add(new CollectReply(backend.connection, rows::add));
  }

  /** Sends what was told to the nodes of the entries, which have to answer yet. */
  void apply() {
    Map<Integer, Map<Integer, Change>> nodes = new TreeMap<>();
    rows.forEach(row -> sort(row, nodes));
    rows.clear();
    nodes.forEach(this::send);
  }

  /**
   * Asks the nodes that have loaded rows, and has the entries kept, of which all are new. Nothing
   * else may wait to be answered by these nodes, which are all that there are.
   *
   * @throws ClientError the error of a node
   */
  void keepNow(List<Backend> backends) throws IOException {
    for (Backend backend : backends) {
      String seal = backend.connection.seal(FUNCTION, "take");
      rows.addAll(check(NodeCall.prepared(backend.connection, TAKE, false, router(), seal)));
    }
    Map<Integer, Map<Integer, Change>> nodes = new TreeMap<>();
    for (int at = 0; at < rows.size(); at++) {
      sort(rows.get(at), nodes);
      if (at % PORTION == PORTION - 1 || at == rows.size() - 1) {
        for (Map.Entry<Integer, Map<Integer, Change>> node : nodes.entrySet()) {
          Backend backend = context.backends().backend(routed.router().catalog(), node.getKey());
          backend.wrote = true;
          String json = json(node.getValue());
          String seal = backend.connection.seal(FUNCTION, json);
          check(NodeCall.prepared(backend.connection, APPLY, false, router(), json, seal));
        }
        nodes.clear();
      }
    }
    rows.clear();
  }

  private static List<byte[][]> check(QueryResult result) {
    if (!result.succeeded()) {
      throw new ClientError(result.errorFields());
    }
    return result.rows();
  }

  private void sort(byte[][] row, Map<Integer, Map<Integer, Change>> nodes) {
    Catalog catalog = routed.router().catalog();
    int id = Integer.parseInt(text(row[0]));
    LookupIndex index =
        catalog
            .lookup(id)
            .orElseThrow(() -> AbelianException.internal("no lookup index " + id, null));
    String removed = text(row[1]);
    if (removed != null) {
      change(index, removed, nodes).removed().add(removed);
    }
    String added = text(row[2]);
    if (added != null) {
      Change change = change(index, added, nodes);
      change.added().add(added);
      change.partitions().add(Integer.parseInt(text(row[3])));
    }
  }

  private static Change change(
      LookupIndex index, String value, Map<Integer, Map<Integer, Change>> nodes) {
    int partition = KeyText.parse(index.column().key(), value).into(index.entries().function());
    return nodes
        .computeIfAbsent(index.entries().nodeOf(partition), any -> new TreeMap<>())
        .computeIfAbsent(index.id(), Change::new);
  }

  private void send(int node, Map<Integer, Change> changes) {
    Backend backend = context.backends().backend(routed.router().catalog(), node);
    SeveralNodes.enter(context, backend, routed);
    String json = json(changes);
    String seal = backend.connection.seal(FUNCTION, json);
    if (NodeCall.sendPrepared(backend.connection, APPLY, router(), json, seal)) {
      context.replies().add(NodeReply.swallow(backend.connection));
    }
    context.replies().add(NodeReply.swallow(backend.connection));
    context.replies().add(NodeReply.swallow(backend.connection));
  }

  private static String json(Map<Integer, Change> changes) {
    try {
      return MAPPER.writeValueAsString(changes.values());
    } catch (JsonProcessingException e) {
      throw AbelianException.internal("changes of a lookup index cannot be written", e);
    }
  }

  private String router() {
    return context.router().toString();
  }

  private static String text(byte[] value) {
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }
}
