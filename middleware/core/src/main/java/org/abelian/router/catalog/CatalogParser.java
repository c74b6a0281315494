package org.abelian.router.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.abelian.router.error.AbelianException;
import org.abelian.router.json.Json;
import org.abelian.router.placement.KeyExpression;
import org.abelian.router.placement.KeyKind;

/** Reads the JSON of abelian.catalog(). */
public final class CatalogParser {
  private CatalogParser() {}

  /**
   * The catalogue that the node wrote.
   *
   * @param asked the node that was asked, which is the whole cluster as long as none has been added
   * @throws AbelianException XX000 when it is not what abelian.catalog() writes; 0A000 when it
   *     names something that this router does not know, or needs a newer router
   */
  public static Catalog parse(String json, Node asked) {
    JsonNode root;
    try {
      root = Json.read(json);
    } catch (JsonProcessingException notOurs) {
      throw AbelianException.internal(
          "the placement catalogue cannot be read: " + notOurs.getMessage(), notOurs);
    }
    requireNewEnough(root.path("oldest_router").asText(""));
    List<Node> nodes = new ArrayList<>();
    root.path("nodes").forEach(node -> nodes.add(node(node)));
    if (nodes.isEmpty()) {
      nodes.add(asked);
    }
    Map<Integer, Colocation> colocations = new HashMap<>();
    root.path("colocations")
        .forEach(group -> colocations.put(group.path("id").asInt(), colocation(group)));
    Map<TableName, Placement> tables = new HashMap<>();
    root.path("tables")
        .forEach(
            table ->
                tables.put(
                    new TableName(table.path("schema").asText(), table.path("name").asText()),
                    placement(table, colocations)));
    List<LookupIndex> lookups = new ArrayList<>();
    root.path("lookups").forEach(index -> lookups.add(lookup(index, root, tables, colocations)));
    return new Catalog(root.path("version").asLong(), nodes, tables, lookups);
  }

  private static void requireNewEnough(String oldestRouter) {
    if (!oldestRouter.isEmpty() && RouterVersion.isOlderThan(oldestRouter)) {
      throw AbelianException.unsupported(
          "the extension of the nodes needs routers of version "
              + oldestRouter
              + " or newer; this one is "
              + RouterVersion.current(),
          "Use a newer router or driver.");
    }
  }

  private static LookupIndex lookup(
      JsonNode index,
      JsonNode root,
      Map<TableName, Placement> tables,
      Map<Integer, Colocation> colocations) {
    int id = index.path("id").asInt();
    TableName table = new TableName(index.path("schema").asText(), index.path("table").asText());
    Colocation entries = colocations.get(id);
    if (entries == null || !(tables.get(table) instanceof Placement.Distributed placed)) {
      throw AbelianException.internal("lookup index " + id + " lacks its group or table", null);
    }
    String kind = "";
    for (JsonNode group : root.path("colocations")) {
      kind = group.path("id").asInt() == id ? group.path("key_type").asText() : kind;
    }
    KeyColumn column =
        new KeyColumn(index.path("column").asText(), FunctionParser.kinds(kind).get(0), null);
    return new LookupIndex(id, table, column, entries, placed.colocation());
  }

  private static Node node(JsonNode node) {
    return new Node(node.path("id").asInt(), node.path("host").asText(), node.path("port").asInt());
  }

  private static Colocation colocation(JsonNode group) {
    int[] nodes =
        StreamSupport.stream(group.path("nodes").spliterator(), false)
            .mapToInt(JsonNode::asInt)
            .toArray();
    if (nodes.length != group.path("partition_count").asInt()) {
      throw AbelianException.internal(
          "colocation group " + group.path("id").asInt() + " lacks partitions", null);
    }
    return new Colocation(group.path("id").asInt(), nodes, FunctionParser.parse(group));
  }

  private static Placement placement(JsonNode table, Map<Integer, Colocation> colocations) {
    String method = table.path("method").asText();
    switch (method) {
      case "reference":
        return new Placement.Reference();
      case "hash":
      case "distributed":
        Colocation colocation = colocations.get(table.path("colocation").asInt());
        if (colocation == null) {
          throw AbelianException.internal(
              "table " + table.path("name").asText() + " lacks its colocation group", null);
        }
        return new Placement.Distributed(columns(table), colocation);
      default:
        throw FunctionParser.unknown("placement method", method);
    }
  }

  /** Catalogues of older nodes have one column and no list. */
  private static List<KeyColumn> columns(JsonNode table) {
    List<KeyKind> kinds = FunctionParser.kinds(table.path("key_type").asText());
    JsonNode listed = table.path("columns");
    if (!listed.isArray()) {
      return List.of(new KeyColumn(table.path("column").asText(), kinds.get(0), null));
    }
    if (listed.size() != kinds.size()) {
      throw AbelianException.internal(
          "table " + table.path("name").asText() + " lacks kinds of its distribution columns",
          null);
    }
    List<KeyColumn> columns = new ArrayList<>();
    for (int at = 0; at < listed.size(); at++) {
      columns.add(column(listed.get(at), kinds.get(at)));
    }
    return columns;
  }

  private static KeyColumn column(JsonNode column, KeyKind kind) {
    String name = column.path("name").asText();
    if (!column.hasNonNull("operator")) {
      return new KeyColumn(name, kind, null);
    }
    String operator = column.path("operator").asText();
    KeyExpression.Operator known =
        switch (operator) {
          case "/" -> KeyExpression.Operator.DIVIDE;
          case "%" -> KeyExpression.Operator.REMAINDER;
          case "left" -> KeyExpression.Operator.LEFT;
          default -> throw FunctionParser.unknown("operator of a distribution column", operator);
        };
    long operand = column.path("operand").asLong();
    if (operand <= 0) {
      throw AbelianException.internal(
          "distribution column " + name + " has the operand " + operand, null);
    }
    return new KeyColumn(name, kind, new KeyExpression(known, operand));
  }
}
