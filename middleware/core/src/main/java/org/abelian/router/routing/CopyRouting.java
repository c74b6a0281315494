package org.abelian.router.routing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.abelian.router.analysis.CopyFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.CopyDivision;
import org.abelian.router.execution.CopyFormat;
import org.abelian.router.execution.CopyKey;

/** Routes COPY FROM the client into a placed table. */
final class CopyRouting {
  private static final Set<String> KNOWN_OPTIONS =
      Set.of(
          "format",
          "freeze",
          "delimiter",
          "null",
          "header",
          "quote",
          "escape",
          "encoding",
          "force_not_null",
          "force_null");

  private final StatementFacts facts;
  private final Catalog catalog;
  private final RelationFacts table;
  private final Placement.Distributed placement;
  private final CopyFacts copy;

  CopyRouting(StatementFacts facts, Catalog catalog, TableUses uses) {
    this.facts = facts;
    this.catalog = catalog;
    table = uses.distributed().isEmpty() ? uses.references().get(0) : uses.distributed().get(0);
    placement = uses.placement(table);
    copy = facts.command().copy();
  }

  Route route() {
    if (copy == null || !copy.client()) {
      throw Refusals.serverFile();
    }
    if (copy.filtered()) {
      throw Refusals.copy(table, "with WHERE", "Update all nodes, or leave the rows out before.");
    }
    if (!facts.calls().functions().isEmpty()) {
      throw Refusals.opaqueFunction(facts.calls().functions().get(0));
    }
    if (placement == null) {
      if (facts.calls().mutable() || facts.calls().volatileFunctions()) {
        throw Refusals.referenceMutable(table);
      }
      return new Route.CopyIn(table.name(), catalog.nodes().stream().map(Node::id).toList(), null);
    }
    int[] nodes = placement.colocation().distinctNodes();
    int[] columns = placement.columns().stream().mapToInt(this::place).toArray();
    CopyDivision division =
        new CopyDivision(format(), copy.columns().size(), columns, key(columns, nodes));
    return new Route.CopyIn(table.name(), Arrays.stream(nodes).boxed().toList(), division);
  }

  private int place(KeyColumn column) {
    List<String> names = copy.columns().stream().map(CopyFacts.Column::name).toList();
    int place = names.indexOf(column.name());
    if (place < 0) {
      throw Refusals.copyKeyMissing(table, column.name());
    }
    return place;
  }

  private CopyKey key(int[] places, int[] nodes) {
    List<KeySource> columns = new ArrayList<>();
    for (int at = 0; at < places.length; at++) {
      KeyReader reader = reader(placement.columns().get(at), copy.columns().get(places[at]).type());
      int parameter = at + 1;
      int type = isBinary() ? PgType.named(copy.columns().get(places[at]).type()) : PgType.UNKNOWN;
      columns.add((values, sink) -> reader.read(values, parameter, type, sink));
    }
    RowKey key = new RowKey(table, placement, columns);
    boolean binary = isBinary();
    return fields -> Arrays.binarySearch(nodes, key.node(new FieldValues(binary, fields)));
  }

  private KeyReader reader(KeyColumn column, String type) {
    int lengthMax =
        AssignmentCast.lengthMax(column.key(), type)
            .orElseThrow(() -> Refusals.keyComputed(table, column.name()));
    return new KeyReader(column, lengthMax);
  }

  // ---- the format

  private CopyFormat format() {
    for (String option : copy.options().keySet()) {
      if (!KNOWN_OPTIONS.contains(option)) {
        throw unsupportedOption(option);
      }
    }
    if (isBinary()) {
      return null;
    }
    boolean csv = text("format", "text").equals("csv"); // What is neither, a node refuses.
    if (copy.options().containsKey("encoding") && !Encodings.isUtf8(text("encoding", ""))) {
      throw unsupportedOption("encoding");
    }
    if (copy.options().containsKey("force_null") || copy.options().containsKey("force_not_null")) {
      throw unsupportedOption("force_null");
    }
    byte quote = character("quote", "\"");
    return new CopyFormat(
        csv,
        character("delimiter", csv ? "," : "\t"),
        text("null", csv ? "" : "\\N").getBytes(StandardCharsets.UTF_8),
        quote,
        character("escape", text("quote", "\"")),
        header());
  }

  private boolean isBinary() {
    return text("format", "text").equals("binary");
  }

  private AbelianException unsupportedOption(String option) {
    return Refusals.copy(
        table,
        "with the option " + option.toUpperCase(Locale.ROOT),
        "Leave the option out, and write the data in UTF-8.");
  }

  private boolean header() {
    if (!copy.options().containsKey("header")) {
      return false;
    }
    String value = copy.options().get("header");
    switch (value == null ? "true" : value.toLowerCase(Locale.ROOT)) {
      case "true":
      case "on":
      case "1":
      case "match":
        return true;
      case "false":
      case "off":
      case "0":
        return false;
      default:
        throw unsupportedOption("header " + value);
    }
  }

  private String text(String option, String byDefault) {
    String value = copy.options().get(option);
    return value == null ? byDefault : value;
  }

  /** PostgreSQL accepts one byte; a node refuses anything else. */
  private byte character(String option, String byDefault) {
    byte[] value = text(option, byDefault).getBytes(StandardCharsets.UTF_8);
    return value.length == 0 ? 0 : value[0];
  }
}
