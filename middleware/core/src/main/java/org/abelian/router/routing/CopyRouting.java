package org.abelian.router.routing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.abelian.router.analysis.CopyFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.error.AbelianException;
import org.abelian.router.execution.CopyDivision;
import org.abelian.router.execution.CopyFormat;
import org.abelian.router.execution.CopyKey;
import org.abelian.router.protocol.ByteQueue;

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
  private final Placement.Hash placement;
  private final CopyFacts copy;

  CopyRouting(StatementFacts facts, Catalog catalog, TableUses uses) {
    this.facts = facts;
    this.catalog = catalog;
    table = uses.hashed().isEmpty() ? uses.references().get(0) : uses.hashed().get(0);
    placement = uses.placement(table);
    copy = facts.copy();
  }

  Route route() {
    if (copy == null || !copy.client()) {
      throw Refusals.copy(
          table, "from a file or program of a node", "Use COPY FROM STDIN, or \\copy in psql.");
    }
    if (copy.filtered()) {
      throw Refusals.copy(table, "with a WHERE clause", "Leave the rows out before.");
    }
    if (!facts.functions().isEmpty()) {
      throw Refusals.opaqueFunction(facts.functions().get(0));
    }
    if (placement == null) {
      if (facts.mutable() || facts.volatileFunctions()) {
        throw Refusals.referenceMutable(table);
      }
      return new Route.CopyIn(table.name(), catalog.nodes().stream().map(Node::id).toList(), null);
    }
    int[] nodes = placement.colocation().distinctNodes();
    CopyDivision division = new CopyDivision(format(), column(), key(nodes));
    return new Route.CopyIn(table.name(), Arrays.stream(nodes).boxed().toList(), division);
  }

  private int column() {
    List<String> names = copy.columns().stream().map(CopyFacts.Column::name).toList();
    int column = names.indexOf(placement.column());
    if (column < 0) {
      throw Refusals.copyKeyMissing(table, placement.column());
    }
    return column;
  }

  private CopyKey key(int[] nodes) {
    String type = copy.columns().get(column()).type();
    int lengthMax =
        AssignmentCast.lengthMax(placement.key(), type)
            .orElseThrow(() -> Refusals.keyComputed(table, placement.column()));
    KeyReader reader =
        new KeyReader(placement.key(), placement.colocation().partitionCount(), lengthMax);
    return key -> {
      int partition = key == null ? KeyReader.NULL : reader.partition(text(key), 1, PgType.UNKNOWN);
      if (partition == KeyReader.NULL) {
        throw Refusals.keyNull(table, placement.column());
      }
      if (partition == KeyReader.NO_MATCH) {
        throw Refusals.keyInexact(table, placement.column());
      }
      return Arrays.binarySearch(nodes, placement.colocation().nodeOf(partition));
    };
  }

  // ---- the format

  private CopyFormat format() {
    for (String option : copy.options().keySet()) {
      if (!KNOWN_OPTIONS.contains(option)) {
        throw unsupportedOption(option);
      }
    }
    String format = text("format", "text");
    if (format.equals("binary")) {
      throw Refusals.copy(table, "in format binary", "Use the format text or csv.");
    }
    boolean csv = format.equals("csv"); // What is neither, a node refuses.
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

  private static BoundValues text(ByteQueue field) {
    return new ValueInPlace(
        field.array(), field.start(), field.size(), false, StandardCharsets.UTF_8);
  }
}
