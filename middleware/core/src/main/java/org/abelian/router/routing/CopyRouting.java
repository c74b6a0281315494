package org.abelian.router.routing;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.abelian.router.analysis.CopyFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.catalog.Catalog;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.catalog.Node;
import org.abelian.router.catalog.Placement;
import org.abelian.router.catalog.TableName;
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
          "force_null",
          "default",
          // What follows does not say how a line is read; nodes refuse what they do not know.
          "force_quote",
          "on_error",
          "log_verbosity",
          "reject_limit");

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
    if (copy.skipsErrors() && placement != null) {
      throw Refusals.copy(
          table,
          "with ON_ERROR ignore",
          "The router must read the distribution column of every line: leave the bad ones out"
              + " before.");
    }
    List<Integer> all = catalog.nodes().stream().map(Node::id).toList();
    if (placement == null) {
      if (facts.calls().differs()) {
        throw Refusals.referenceMutable(table);
      }
      CopyDivision whole = copy.added() == null ? null : division(new int[0], null);
      return new Route.CopyIn(table.name(), all, whole, copy.added());
    }
    // The nodes of entries take part, too, where there are lookup indexes.
    boolean indexed = !catalog.lookups(new TableName(table.schema(), table.name())).isEmpty();
    int[] nodes =
        indexed
            ? all.stream().mapToInt(Integer::intValue).toArray()
            : placement.colocation().distinctNodes();
    int[] columns = placement.columns().stream().mapToInt(this::place).toArray();
    CopyDivision division = division(columns, key(columns, nodes));
    return new Route.CopyIn(
        table.name(), Arrays.stream(nodes).boxed().toList(), division, copy.added());
  }

  private CopyDivision division(int[] columns, CopyKey key) {
    CopyFormat format = format();
    List<CopyDivision.Force> forced =
        Arrays.stream(columns)
            .mapToObj(place -> place < 0 ? CopyDivision.Force.NONE : force(place))
            .toList();
    int added = copy.added() == null ? 0 : copy.added().columns().size();
    String header =
        added == 0 || format == null
            ? null
            : copy.added().columns().stream()
                .map(column -> written(column.name(), format) + (char) format.delimiter())
                .collect(Collectors.joining());
    return new CopyDivision(format, copy.columns().size(), columns, forced, key, added, header);
  }

  private CopyDivision.Force force(int place) {
    String name = copy.columns().get(place).name();
    if (copy.forceNotNull().contains(name) || copy.forceNotNull().contains("*")) {
      return CopyDivision.Force.NOT_NULL;
    }
    return copy.forceNull().contains(name) || copy.forceNull().contains("*")
        ? CopyDivision.Force.NULL
        : CopyDivision.Force.NONE;
  }

  /** A column's name as the line of names has it. */
  private static String written(String name, CopyFormat format) {
    if (!format.csv()) {
      return name.replace("\\", "\\\\");
    }
    String quote = String.valueOf((char) format.quote());
    String escape = String.valueOf((char) format.escape());
    String escaped = escape.equals(quote) ? name : name.replace(escape, escape + escape);
    return quote + escaped.replace(quote, escape + quote) + quote;
  }

  private int place(KeyColumn column) {
    List<String> names = copy.columns().stream().map(CopyFacts.Column::name).toList();
    int place = names.indexOf(column.name());
    if (place >= 0) {
      return place;
    }
    List<CopyFacts.Column> added = copy.added() == null ? List.of() : copy.added().columns();
    for (int at = 0; at < added.size(); at++) {
      if (added.get(at).name().equals(column.name())) {
        return -1 - at;
      }
    }
    throw Refusals.copyKeyMissing(table, column.name());
  }

  private CopyFacts.Column column(int place) {
    return place < 0 ? copy.added().columns().get(-1 - place) : copy.columns().get(place);
  }

  private CopyKey key(int[] places, int[] nodes) {
    List<KeySource> columns = new ArrayList<>();
    for (int at = 0; at < places.length; at++) {
      String named = column(places[at]).type();
      boolean rounds = PgType.named(named) == PgType.NUMERIC;
      int type = isBinary() || rounds ? PgType.named(named) : PgType.UNKNOWN;
      KeyReader reader = reader(placement.columns().get(at), named, type);
      int parameter = at + 1;
      columns.add((values, sink) -> reader.read(values, parameter, type, sink));
    }
    RowKey key = new RowKey(table, placement, columns);
    boolean binary = isBinary();
    return fields -> Arrays.binarySearch(nodes, key.node(new FieldValues(binary, fields)));
  }

  private KeyReader reader(KeyColumn column, String type, int given) {
    return AssignmentCast.reader(column, type, given)
        .orElseThrow(() -> Refusals.keyComputed(table, column.name()));
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
    Charset charset = Encodings.charset(text("encoding", "UTF8"));
    if (charset == null) {
      throw unsupportedOption("encoding");
    }
    byte quote = character("quote", "\"");
    return new CopyFormat(
        csv,
        character("delimiter", csv ? "," : "\t"),
        text("null", csv ? "" : "\\N").getBytes(charset),
        copy.options().get("default") == null ? null : text("default", "").getBytes(charset),
        quote,
        character("escape", text("quote", "\"")),
        header(),
        charset);
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
