package org.abelian.router.analysis;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.abelian.router.error.AbelianException;
import org.abelian.router.json.Json;
import org.abelian.router.placement.Condition.Comparison;

/**
 * Reads the JSON of abelian.analyze(). A field that is missing has the value that promises least.
 */
public final class FactsParser {

  private FactsParser() {}

  /**
   * One entry for each statement of the text, in order.
   *
   * @throws AbelianException XX000 when it is not what abelian.analyze() writes
   */
  public static List<StatementFacts> parse(String json) {
    try {
      return list(Json.read(json), FactsParser::statement);
    } catch (JsonProcessingException | IllegalArgumentException notOurs) {
      throw notOurs(notOurs);
    }
  }

  /**
   * How the first statement of the text is run with values that are known before its rows are
   * placed; null when it has none, or only random keys that place no rows and that the node was not
   * asked about.
   *
   * @throws AbelianException as {@link #parse}
   */
  public static MadeFacts made(String json) {
    try {
      return made(Json.read(json).path(0));
    } catch (JsonProcessingException | IllegalArgumentException notOurs) {
      throw notOurs(notOurs);
    }
  }

  /**
   * What runs instead of the first statement of the text when the rows that it selects and inserts,
   * merges, moves or makes a table of, come to other nodes; null when it is no such statement, or
   * they cannot.
   *
   * @throws AbelianException as {@link #parse}
   */
  public static InsteadFacts instead(String json) {
    try {
      return insteadOf(Json.read(json).path(0));
    } catch (JsonProcessingException | IllegalArgumentException notOurs) {
      throw notOurs(notOurs);
    }
  }

  private static InsteadFacts insteadOf(JsonNode statement) {
    List<StepsFacts.Step> steps = list(statement.path("steps"), FactsParser::step);
    if (!steps.isEmpty()) {
      return new StepsFacts(steps);
    }
    for (JsonNode part : List.of(statement.path("stored"), statement.path("gathered"))) {
      if (part.isObject()) {
        return gathered(part);
      }
    }
    return gathered(statement.path("insert").path("gathered"));
  }

  private static AbelianException notOurs(Exception cause) {
    return AbelianException.internal(
        "the analysis of a statement cannot be read: " + cause.getMessage(), cause);
  }

  private static StatementFacts statement(JsonNode node) {
    return new StatementFacts(
        constant(StatementKind.class, node.path("kind")),
        span(node.path("span")),
        text(node.path("tag")),
        node.path("deferred").asBoolean(),
        list(node.path("parameters"), FactsParser::oid),
        node.path("returns_rows").asBoolean(),
        text(node.path("result")),
        text(node.path("settled")),
        list(node.path("relations"), FactsParser::relation),
        list(node.path("equalities"), FactsParser::equality),
        list(node.path("ranges"), FactsParser::range),
        calls(node),
        new ChangeFacts(
            insert(node.path("insert")),
            node.path("random_keys").asBoolean(),
            blind(node.path("blind")),
            combined(node),
            text(node.path("unmoved")),
            text(node.path("current_of"))),
        merge(node.path("merge")),
        command(node));
  }

  private static StepsFacts.Step step(JsonNode node) {
    JsonNode facts = node.path("facts");
    return new StepsFacts.Step(node.path("text").asText(), statement(facts), insteadOf(facts));
  }

  private static CallFacts calls(JsonNode node) {
    return new CallFacts(
        node.path("volatile").asBoolean(),
        // Nodes of former versions do not tell.
        node.path("leaves_state").asBoolean(node.path("volatile").asBoolean()),
        node.path("mutable").asBoolean(),
        // Nodes of former versions do not tell.
        node.path("differs").asBoolean(node.path("mutable").asBoolean()),
        node.path("clock").asBoolean(),
        list(node.path("functions"), JsonNode::asText),
        new NodeFunctions(
            node.path("sets").asBoolean(),
            list(node.path("of_one_node"), JsonNode::asText),
            list(node.path("of_no_node"), JsonNode::asText),
            node.path("of_every_node").asBoolean(),
            list(node.path("draws"), JsonNode::asText)),
        procedure(node.path("procedure")),
        body(node.path("body")));
  }

  private static CommandFacts command(JsonNode node) {
    JsonNode utility = node.path("utility");
    return new CommandFacts(
        utility.isTextual() ? constant(UtilityKind.class, utility) : null,
        text(node.path("name")),
        // Nodes of former versions do not tell of DISCARD ALL.
        node.path("outside_transaction").asBoolean("DISCARD ALL".equals(node.path("tag").asText())),
        text(node.path("isolation")),
        setting(node.path("set")),
        text(node.path("rewritten")),
        node.path("stores").asBoolean(),
        node.path("fills").asBoolean(),
        node.path("analyzes").asBoolean(),
        node.path("holds").asBoolean(),
        node.path("temporary_object").asBoolean(),
        cursor(node.path("cursor")),
        fetch(node.path("fetch")),
        copy(node.path("copy")),
        new PreparedFacts(
            span(node.path("prepares")),
            list(node.path("inner_parameters"), FactsParser::oid),
            text(node.path("inner_result")),
            executes(node)));
  }

  private static CursorFacts cursor(JsonNode node) {
    Span query = span(node.path("query"));
    return query == null
        ? null
        : new CursorFacts(query, node.path("scroll").asBoolean(), node.path("binary").asBoolean());
  }

  private static FetchFacts fetch(JsonNode node) {
    return node.isObject()
        ? new FetchFacts(
            direction(node), node.path("count").asLong(), node.path("moves").asBoolean())
        : null;
  }

  private static FetchFacts.Direction direction(JsonNode fetch) {
    JsonNode direction = fetch.path("direction");
    if (direction.isTextual()) {
      return constant(FetchFacts.Direction.class, direction);
    }
    // Nodes of former versions tell no other from backwards.
    return fetch.path("forward").asBoolean()
        ? FetchFacts.Direction.FORWARD
        : FetchFacts.Direction.BACKWARD;
  }

  private static ExecuteFacts executes(JsonNode node) {
    JsonNode executes = node.path("executes");
    Span span = span(executes.path("span"));
    return span == null
        ? null
        : new ExecuteFacts(
            text(node.path("name")), span, list(executes.path("arguments"), FactsParser::argument));
  }

  private static ExecuteFacts.Argument argument(JsonNode node) {
    JsonNode constant = node.path("constant");
    return new ExecuteFacts.Argument(
        span(node.path("span")),
        constant.isObject()
            ? constant(ExecuteFacts.Constant.class, constant.path("kind"))
            : ExecuteFacts.Constant.NONE,
        text(constant.path("text")));
  }

  private static RelationFacts relation(JsonNode node) {
    return new RelationFacts(
        node.path("id").asInt(),
        node.path("schema").asText(),
        node.path("name").asText(),
        node.path("catalog").asBoolean(),
        node.path("temporary").asBoolean(),
        node.path("write").asBoolean(),
        list(node.path("assigned"), JsonNode::asText),
        text(node.path("locking")),
        node.path("level").asInt(),
        node.path("key_not_null").asBoolean(),
        node.path("unpreparable").asBoolean());
  }

  private static Equality equality(JsonNode node) {
    return new Equality(
        list(node.path("columns"), FactsParser::column),
        list(node.path("values"), FactsParser::value),
        list(node.path("in"), members -> list(members, FactsParser::value)));
  }

  private static KeyRange range(JsonNode node) {
    return new KeyRange(
        column(node.path("column")),
        list(
            node.path("bounds"),
            bound ->
                new KeyRange.Bound(
                    Comparison.of(bound.path("operator").asText()), value(bound.path("value")))));
  }

  private static InsertFacts insert(JsonNode node) {
    if (!node.isObject()) {
      return null;
    }
    return new InsertFacts(
        node.path("relation").asInt(),
        constant(InsertFacts.Source.class, node.path("source")),
        list(node.path("columns"), JsonNode::asText),
        list(node.path("rows"), row -> list(row, FactsParser::value)),
        list(node.path("row_spans"), FactsParser::span),
        span(node.path("values_span")),
        list(node.path("key_links"), FactsParser::column),
        node.path("conflict").isArray()
            ? list(node.path("conflict"), column -> column.isNull() ? "" : column.asText())
            : null);
  }

  private static GatheredFacts gathered(JsonNode node) {
    return node.isObject()
        ? new GatheredFacts(
            node.path("source").asText(),
            statement(node.path("source_facts")),
            node.path("insert").asText(),
            statement(node.path("insert_facts")),
            list(node.path("keys"), FactsParser::gatheredKey),
            computed(node),
            newTable(node.path("table")))
        : null;
  }

  private static GatheredFacts.NewTable newTable(JsonNode node) {
    return node.isObject()
        ? new GatheredFacts.NewTable(
            text(node.path("create")),
            node.path("name").asText(),
            node.path("unless_exists").asBoolean(),
            text(node.path("refresh")))
        : null;
  }

  private static GatheredFacts.Key gatheredKey(JsonNode node) {
    return new GatheredFacts.Key(
        node.path("field").asInt(),
        oid(node.path("type")),
        text(node.path("cast")),
        node.has("value") ? value(node.get("value")) : null);
  }

  private static MergeFacts merge(JsonNode node) {
    if (!node.isObject()) {
      return null;
    }
    return new MergeFacts(
        constant(MergeFacts.Mode.class, node.path("mode")),
        text(node.path("worker")),
        text(node.path("worker_of_one")),
        text(node.path("combine")),
        list(node.path("worker_types"), FactsParser::oid),
        list(node.path("combine_parameters"), FactsParser::oid),
        list(node.path("parts"), JsonNode::asInt),
        node.path("first_node").asBoolean(),
        node.path("pulls_rows").asBoolean(),
        taken(node.path("taken")),
        text(node.path("reason")),
        broadcast(node.path("broadcast")),
        finish(node.path("finish")));
  }

  private static MergeFacts.Taken taken(JsonNode node) {
    return node.isObject()
        ? new MergeFacts.Taken(text(node.path("text")), node.path("waits").asBoolean())
        : null;
  }

  private static MergeFacts.Finish finish(JsonNode node) {
    return node.isObject() ? new MergeFacts.Finish(window(node.path("window"))) : null;
  }

  private static MergeFacts.Window window(JsonNode node) {
    return node.isObject()
        ? new MergeFacts.Window(
            value(node.path("limit")), value(node.path("offset")), text(node.path("text")))
        : null;
  }

  private static MergeFacts.Broadcast broadcast(JsonNode node) {
    return node.isObject()
        ? new MergeFacts.Broadcast(
            merge(node.path("rows")),
            merge(node.path("merge")),
            node.path("finish_needs_rows").asBoolean(),
            list(node.path("splits"), FactsParser::split),
            node.path("moved_bytes").asDouble(),
            node.path("split_bytes").asDouble(),
            node.path("all_bytes").asDouble())
        : null;
  }

  private static MergeFacts.Split split(JsonNode node) {
    JsonNode like = node.path("like");
    return new MergeFacts.Split(
        node.path("part").asInt(),
        node.path("column").asInt(),
        node.path("type").asInt(),
        text(like.path("schema")),
        text(like.path("name")));
  }

  private static CopyFacts copy(JsonNode node) {
    if (!node.isObject()) {
      return null;
    }
    Map<String, String> options = new LinkedHashMap<>();
    node.path("options")
        .properties()
        .forEach(option -> options.put(option.getKey(), text(option.getValue())));
    return new CopyFacts(
        node.path("client").asBoolean(),
        list(node.path("columns"), FactsParser::copiedColumn),
        options,
        list(node.path("force_null"), JsonNode::asText),
        list(node.path("force_not_null"), JsonNode::asText),
        node.path("filtered").asBoolean(true),
        copyAddition(node.path("added")),
        copyOut(node.path("out")),
        node.path("refused").asBoolean(),
        node.path("skips_errors").asBoolean());
  }

  private static CopyFacts.Column copiedColumn(JsonNode column) {
    return new CopyFacts.Column(column.path(0).asText(), column.path(1).asText());
  }

  private static CopyFacts.Addition copyAddition(JsonNode node) {
    return node.isObject()
        ? new CopyFacts.Addition(
            node.path("text").asText(),
            list(node.path("columns"), FactsParser::copiedColumn),
            computed(node.path("same")),
            computed(node.path("each")))
        : null;
  }

  private static CopyOutFacts copyOut(JsonNode node) {
    if (!node.isObject()) {
      return null;
    }
    JsonNode format = node.path("format");
    return new CopyOutFacts(
        node.path("source").asText(),
        node.path("of_table").asBoolean(),
        format.path("binary").asBoolean(),
        format.path("csv").asBoolean(),
        format.path("header").asBoolean(),
        format.path("delimiter").asText(),
        format.path("null").asText(),
        text(format.path("quote")),
        text(format.path("escape")),
        list(format.path("force_quote"), JsonNode::asText),
        format.path("force_quote_all").asBoolean(),
        text(format.path("encoding")));
  }

  private static ProcedureFacts procedure(JsonNode node) {
    if (!node.isObject()) {
      return null;
    }
    return new ProcedureFacts(
        node.path("signature").asText(),
        node.path("schema").asText(),
        node.path("table").asText(),
        list(node.path("keys"), FactsParser::value),
        list(node.path("arguments"), values -> list(values, FactsParser::value)),
        node.path("unbound").asBoolean(true),
        constant(ProcedureFacts.Merge.class, node.path("merge")),
        constant(ProcedureFacts.Reach.class, node.path("class")),
        node.path("stopped").asText(),
        node.path("computed").asBoolean(true),
        list(node.path("columns"), FactsParser::oid),
        blindCall(node.path("blind")));
  }

  private static BodyFacts body(JsonNode node) {
    return node.isObject()
        ? new BodyFacts(
            node.path("signature").asText(),
            node.path("function").asText(),
            node.path("returns").asBoolean(true),
            node.path("flat").asBoolean(),
            list(node.path("unseen"), JsonNode::asText),
            node.path("stays").asBoolean(),
            node.path("ends").asBoolean(),
            list(node.path("arguments"), values -> list(values, FactsParser::value)),
            list(node.path("touches"), FactsParser::touch))
        : null;
  }

  private static BodyFacts.Touch touch(JsonNode node) {
    Map<String, Integer> columns = new LinkedHashMap<>();
    node.path("columns")
        .forEach(column -> columns.put(column.path(0).asText(), column.path(1).asInt()));
    Map<String, Value> constants = new LinkedHashMap<>();
    node.path("constants")
        .forEach(column -> constants.put(column.path(0).asText(), value(column.path(1))));
    return new BodyFacts.Touch(
        node.path("schema").asText(),
        node.path("table").asText(),
        node.path("write").asBoolean(true),
        columns,
        constants);
  }

  private static BlindCallFacts blindCall(JsonNode node) {
    return node.isObject()
        ? new BlindCallFacts(
            list(
                node.path("statements"),
                statement ->
                    new BlindCallFacts.Statement(
                        statement.path("redo").asText(),
                        statement.path("schema").asText(),
                        statement.path("table").asText(),
                        value(statement.path("key")))),
            text(node.path("reason")))
        : BlindCallFacts.unknown();
  }

  private static BlindFacts blind(JsonNode node) {
    if (!node.isObject()) {
      return null;
    }
    JsonNode returning = node.path("redo_returning");
    return returning.isTextual()
        ? new BlindFacts(returning.asText(), null)
        : new BlindFacts(text(node.path("redo")), text(node.path("reason")));
  }

  private static CombinedFacts combined(JsonNode facts) {
    // The second holds what routers that can only add must not see.
    JsonNode sums = facts.path("combined");
    JsonNode node = sums.isObject() ? sums : facts.path("combined_extrema");
    if (!node.isObject()) {
      return null;
    }
    return new CombinedFacts(
        node.path("text").asText(),
        list(node.path("parameters"), FactsParser::oid),
        list(
            node.path("operands"),
            operand ->
                new CombinedFacts.Operand(
                    value(operand),
                    oid(operand.path("type")),
                    operand.path("negative").asBoolean(),
                    operand.path("bounded").asBoolean(true),
                    operandMerge(operand.path("merge")))));
  }

  /** Nodes of earlier versions know sums alone. */
  private static CombinedFacts.Merge operandMerge(JsonNode name) {
    return name.isTextual() ? constant(CombinedFacts.Merge.class, name) : CombinedFacts.Merge.SUM;
  }

  /** By these, a statement runs over the rows of one of its queries. */
  private static final List<String> OF_ROWS = List.of("inlined", "changed", "locked", "read");

  private static MadeFacts made(JsonNode statement) {
    JsonNode node =
        Stream.of("inlined", "known", "changed", "locked", "read", "computed", "made")
            .map(statement::path)
            .filter(JsonNode::isObject)
            .findFirst()
            .orElse(null);
    if (node == null) {
      return null;
    }
    JsonNode facts = node.path("facts");
    JsonNode source = node.path("query").path("facts");
    return new MadeFacts(
        node.path("text").asText(),
        node.path("count").asInt(),
        statement(facts),
        insteadOf(facts),
        computed(node),
        OF_ROWS.stream().anyMatch(way -> node == statement.path(way)),
        source.isObject()
            ? new MadeFacts.Source(statement(source), insteadOf(source), made(source))
            : null,
        list(node.path("values"), FactsParser::number),
        made(facts));
  }

  private static SessionNumber number(JsonNode value) {
    if (!value.isObject()) {
      return null;
    }
    return new SessionNumber(
        text(value.path("currval")), text(value.path("name")), value.path("currval_of").asInt());
  }

  private static ComputedFacts computed(JsonNode node) {
    JsonNode query = node.path("query");
    if (!query.isObject()) {
      return null;
    }
    return new ComputedFacts(
        query.path("text").asText(),
        list(
            node.path("values"),
            place ->
                place.isArray()
                    ? new ComputedFacts.Place(place.path(0).asInt(), place.path(1).asInt())
                    : null),
        query.path("sequences").asBoolean(),
        query.path("transactional").asBoolean(),
        list(query.path("draws"), JsonNode::asText));
  }

  private static SettingFacts setting(JsonNode node) {
    if (!node.isObject()) {
      return null;
    }
    JsonNode scope = node.path("scope");
    return new SettingFacts(
        text(node.path("name")),
        scope.isTextual() ? constant(SettingFacts.Scope.class, scope) : SettingFacts.Scope.SESSION,
        text(node.path("value")),
        node.path("default").asBoolean());
  }

  private static Value value(JsonNode node) {
    if (node.has("param")) {
      int base = (int) node.path("base").asLong();
      Value.Parameter parameter = new Value.Parameter(node.get("param").asInt(), base);
      return node.has("cast")
          ? new Value.CastParameter(parameter, node.get("cast").asText())
          : parameter;
    }
    if (node.has("param_array")) {
      return new Value.ParameterElements(node.get("param_array").asInt());
    }
    if (node.has("const")) {
      return new Value.Constant(
          node.get("const").asText(), oid(node.path("type")), node.path("location").asInt(-1));
    }
    if (node.path("null").asBoolean()) {
      return new Value.Null();
    }
    return node.has("column") ? new Value.Column(column(node.get("column"))) : new Value.Other();
  }

  private static ColumnReference column(JsonNode node) {
    return new ColumnReference(node.path(0).asInt(), node.path(1).asText());
  }

  private static Span span(JsonNode node) {
    return node.isArray() ? new Span(node.path(0).asInt(), node.path(1).asInt()) : null;
  }

  /** OIDs are unsigned; the bits are kept. */
  private static Integer oid(JsonNode node) {
    return (int) node.asLong();
  }

  private static String text(JsonNode node) {
    return node.isTextual() ? node.asText() : null;
  }

  private static <E extends Enum<E>> E constant(Class<E> type, JsonNode node) {
    return Enum.valueOf(type, node.asText().toUpperCase(Locale.ROOT));
  }

  private static <T> List<T> list(JsonNode array, Function<JsonNode, T> read) {
    List<T> items = new ArrayList<>(array.size());
    array.forEach(item -> items.add(read.apply(item)));
    return items;
  }
}
