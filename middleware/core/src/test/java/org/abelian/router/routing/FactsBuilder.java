package org.abelian.router.routing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.abelian.router.analysis.CallFacts;
import org.abelian.router.analysis.ChangeFacts;
import org.abelian.router.analysis.ColumnReference;
import org.abelian.router.analysis.CommandFacts;
import org.abelian.router.analysis.CopyFacts;
import org.abelian.router.analysis.Equality;
import org.abelian.router.analysis.InsertFacts;
import org.abelian.router.analysis.KeyRange;
import org.abelian.router.analysis.MergeFacts;
import org.abelian.router.analysis.NodeFunctions;
import org.abelian.router.analysis.PreparedFacts;
import org.abelian.router.analysis.ProcedureFacts;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.Span;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;
import org.abelian.router.analysis.UtilityKind;
import org.abelian.router.analysis.Value;

/** Facts for tests, as a node would state them. */
final class FactsBuilder {
  private final StatementKind kind;
  private UtilityKind utility;
  private String tag;
  private final List<Integer> parameters = new ArrayList<>();
  private final List<RelationFacts> relations = new ArrayList<>();
  private final List<Equality> equalities = new ArrayList<>();
  private final List<KeyRange> ranges = new ArrayList<>();
  private final List<String> assigned = new ArrayList<>();
  private final List<ColumnReference> keyLinks = new ArrayList<>();
  private final List<String> functions = new ArrayList<>();
  private InsertFacts insert;
  private NodeFunctions nodeFunctions = NodeFunctions.NONE;
  private boolean storesRows;
  private boolean analyzes;
  private boolean volatileFunctions;
  private boolean mutable;
  private boolean outsideTransaction;
  private MergeFacts merge;
  private CopyFacts copy;
  private ProcedureFacts procedure;

  FactsBuilder(StatementKind kind) {
    this.kind = kind;
    this.tag = kind.name();
    merge = MergeFacts.concat();
  }

  static FactsBuilder select() {
    return new FactsBuilder(StatementKind.SELECT);
  }

  static FactsBuilder update() {
    return new FactsBuilder(StatementKind.UPDATE);
  }

  static FactsBuilder insert() {
    return new FactsBuilder(StatementKind.INSERT);
  }

  static FactsBuilder utility(UtilityKind utility, String tag) {
    FactsBuilder builder = new FactsBuilder(StatementKind.UTILITY);
    builder.utility = utility;
    builder.tag = tag;
    return builder;
  }

  static Value parameter(int number) {
    return new Value.Parameter(number);
  }

  static Value constant(String text) {
    return new Value.Constant(text, 0, -1);
  }

  FactsBuilder calls(ProcedureFacts called) {
    procedure = called;
    return this;
  }

  FactsBuilder parameters(Integer... oids) {
    parameters.addAll(List.of(oids));
    return this;
  }

  FactsBuilder reads(String table) {
    return relation("public", table, false, null, 0);
  }

  FactsBuilder readsNested(String table) {
    return relation("public", table, false, null, 1);
  }

  FactsBuilder writes(String table) {
    return relation("public", table, true, null, 0);
  }

  FactsBuilder writesNested(String table) {
    return relation("public", table, true, null, 1);
  }

  FactsBuilder locks(String table) {
    return relation("public", table, false, "update", 0);
  }

  FactsBuilder readsCatalogue(String table) {
    return relation("pg_catalog", table, false, null, 0);
  }

  FactsBuilder temporary(String table) {
    relations.add(
        new RelationFacts(
            relations.size(),
            "pg_temp_3",
            table,
            false,
            true,
            true,
            List.of(),
            null,
            0,
            false,
            false));
    return this;
  }

  private FactsBuilder relation(
      String schema, String table, boolean write, String locking, int level) {
    relations.add(
        new RelationFacts(
            relations.size(),
            schema,
            table,
            schema.equals("pg_catalog"),
            false,
            write,
            List.of(),
            locking,
            level,
            false,
            false));
    return this;
  }

  /** Columns as "relation.column", all equal to each other and to each value. */
  FactsBuilder equal(List<String> columns, Value... values) {
    equalities.add(new Equality(references(columns), List.of(values), List.of()));
    return this;
  }

  FactsBuilder equal(List<String> columns, List<Value> values, List<List<Value>> in) {
    equalities.add(new Equality(references(columns), values, in));
    return this;
  }

  FactsBuilder in(String column, Value... members) {
    equalities.add(new Equality(references(List.of(column)), List.of(), List.of(List.of(members))));
    return this;
  }

  FactsBuilder range(String column, KeyRange.Bound... bounds) {
    ranges.add(new KeyRange(reference(column), List.of(bounds)));
    return this;
  }

  private static List<ColumnReference> references(List<String> columns) {
    return columns.stream().map(FactsBuilder::reference).toList();
  }

  static ColumnReference reference(String column) {
    int dot = column.indexOf('.');
    return new ColumnReference(
        Integer.parseInt(column.substring(0, dot)), column.substring(dot + 1));
  }

  FactsBuilder assigns(String... columns) {
    assigned.addAll(List.of(columns));
    return this;
  }

  /** Rows of the first relation, found in the text by their parentheses after VALUES. */
  FactsBuilder rows(String sql, List<String> columns, List<List<Value>> rows) {
    List<Span> spans = new ArrayList<>();
    int at = sql.indexOf("VALUES") + "VALUES".length();
    for (int row = 0; row < rows.size(); row++) {
      int from = sql.indexOf('(', at);
      at = sql.indexOf(')', from) + 1;
      spans.add(new Span(bytes(sql, from), bytes(sql, at) - bytes(sql, from)));
    }
    Span all =
        new Span(spans.get(0).offset(), spans.get(spans.size() - 1).end() - spans.get(0).offset());
    insert = new InsertFacts(0, InsertFacts.Source.VALUES, columns, rows, spans, all, List.of());
    return this;
  }

  private static int bytes(String sql, int characters) {
    return sql.substring(0, characters).getBytes(StandardCharsets.UTF_8).length;
  }

  FactsBuilder selects(List<String> columns, Value... values) {
    insert =
        new InsertFacts(
            0,
            InsertFacts.Source.SELECT,
            columns,
            List.of(List.of(values)),
            List.of(),
            null,
            keyLinks);
    return this;
  }

  /**
   * Columns as "relation.column" that always equal the key of the selected row; before selects().
   */
  FactsBuilder linksKey(String... columns) {
    keyLinks.addAll(references(List.of(columns)));
    return this;
  }

  FactsBuilder callsFunction(String function) {
    functions.add(function);
    return this;
  }

  FactsBuilder defaultValues(List<String> columns) {
    insert =
        new InsertFacts(
            0, InsertFacts.Source.DEFAULT, columns, List.of(), List.of(), null, List.of());
    return this;
  }

  FactsBuilder callsVolatile() {
    volatileFunctions = true;
    mutable = true;
    return this;
  }

  FactsBuilder outsideTransaction() {
    outsideTransaction = true;
    return this;
  }

  /** The client's lines have these columns, each given as "name type". */
  FactsBuilder copies(Map<String, String> options, String... columns) {
    List<CopyFacts.Column> all =
        Arrays.stream(columns)
            .map(column -> column.split(" ", 2))
            .map(parts -> new CopyFacts.Column(parts[0], parts[1]))
            .toList();
    boolean skips = "ignore".equals(options.get("on_error"));
    copy = new CopyFacts(true, all, options, List.of(), List.of(), false, null, null, false, skips);
    return this;
  }

  FactsBuilder merge(MergeFacts.Mode mode, String reason) {
    return merge(mode, reason, null);
  }

  /** Any rows will do, up to so many. */
  FactsBuilder takesAny(Value limit, Value offset) {
    return finishes(new MergeFacts.Window(limit, offset, null));
  }

  /** Sorts rows, drops duplicates or takes the first. */
  FactsBuilder finishes(MergeFacts.Window window) {
    return merge(MergeFacts.Mode.COMBINE, null, new MergeFacts.Finish(window));
  }

  private FactsBuilder merge(MergeFacts.Mode mode, String reason, MergeFacts.Finish finish) {
    merge =
        new MergeFacts(
            mode, "SELECT", null, "SELECT", List.of(), List.of(), List.of(), false, false, null,
            reason, null, finish);
    return this;
  }

  FactsBuilder storesRows() {
    storesRows = true;
    return this;
  }

  FactsBuilder analyzes() {
    analyzes = true;
    return this;
  }

  FactsBuilder callsOfOneNode(String function) {
    nodeFunctions = new NodeFunctions(false, List.of(function), List.of());
    return callsVolatile();
  }

  FactsBuilder callsOfNoNode(String function) {
    nodeFunctions = new NodeFunctions(false, List.of(), List.of(function));
    return callsVolatile();
  }

  FactsBuilder changesSettings() {
    nodeFunctions = new NodeFunctions(true, List.of(), List.of());
    return callsVolatile();
  }

  /** The relations that are written get what was assigned. */
  private List<RelationFacts> relations() {
    return relations.stream()
        .map(
            one ->
                new RelationFacts(
                    one.id(),
                    one.schema(),
                    one.name(),
                    one.catalog(),
                    one.temporary(),
                    one.write(),
                    one.write() ? assigned : List.of(),
                    one.locking(),
                    one.level(),
                    one.keyNotNull(),
                    one.unpreparable()))
        .toList();
  }

  StatementFacts build() {
    return new StatementFacts(
        kind,
        new Span(0, 0),
        tag,
        false,
        parameters,
        kind == StatementKind.SELECT,
        null,
        null,
        relations(),
        equalities,
        ranges,
        new CallFacts(
            volatileFunctions,
            volatileFunctions,
            mutable,
            mutable || volatileFunctions,
            false,
            functions,
            nodeFunctions,
            procedure,
            null),
        new ChangeFacts(insert, false, null, null, null, null),
        merge,
        command());
  }

  private CommandFacts command() {
    return new CommandFacts(
        utility,
        null,
        outsideTransaction,
        null,
        null,
        null,
        storesRows,
        false,
        analyzes,
        false,
        false,
        null,
        null,
        copy,
        PreparedFacts.NONE);
  }
}
