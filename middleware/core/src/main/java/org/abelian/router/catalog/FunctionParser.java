package org.abelian.router.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.error.AbelianException;
import org.abelian.router.placement.Clause;
import org.abelian.router.placement.Condition;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.KeyText;
import org.abelian.router.placement.KeyValue;
import org.abelian.router.placement.LookupFunction;
import org.abelian.router.placement.Otherwise;
import org.abelian.router.placement.PartitionFunction;
import org.abelian.router.placement.RuleFunction;

/** Reads the placement function of a colocation group in the JSON of abelian.catalog(). */
final class FunctionParser {
  private final JsonNode group;
  private final int count;
  private final List<KeyKind> kinds;

  private FunctionParser(JsonNode group) {
    this.group = group;
    count = group.path("partition_count").asInt();
    kinds = kinds(group.path("key_type").asText());
  }

  /**
   * The function of a group.
   *
   * @throws AbelianException 0A000 when it names something that this router does not know; XX000
   *     when it contradicts itself
   */
  static PartitionFunction parse(JsonNode group) {
    String method = group.path("method").asText("hash");
    return switch (method) {
      case "hash" -> new HashFunction(group.path("partition_count").asInt());
      case "range", "list", "rules" -> new FunctionParser(group).rules();
      case "lookup" -> new FunctionParser(group).lookup();
      default -> throw unknown("placement method", method);
    };
  }

  /** The kinds of the columns, in their order. */
  static List<KeyKind> kinds(String names) {
    List<KeyKind> kinds = new ArrayList<>();
    for (String name : names.split(",")) {
      kinds.add(kind(name.strip()));
    }
    return kinds;
  }

  private static KeyKind kind(String name) {
    for (KeyKind kind : KeyKind.values()) {
      if (kind.name().equalsIgnoreCase(name)) {
        return kind;
      }
    }
    throw unknown("kind of key", name);
  }

  /** What a newer extension writes, and an older router must not guess at. */
  static AbelianException unknown(String what, String name) {
    return AbelianException.unsupported(
        what + " \"" + name + "\" is not known to this router", "Use a newer router.");
  }

  private PartitionFunction rules() {
    List<Clause> clauses = new ArrayList<>();
    for (JsonNode clause : group.path("rule").path("clauses")) {
      List<Condition> conditions = new ArrayList<>();
      clause.path("conditions").forEach(condition -> conditions.add(condition(condition)));
      clauses.add(new Clause(partition(clause.path("partition")), conditions));
    }
    return new RuleFunction(count, clauses, otherwise());
  }

  private PartitionFunction lookup() {
    Map<KeyValue, Integer> entries = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : group.path("entries").properties()) {
      entries.put(KeyText.parse(kinds.get(0), entry.getKey()), partition(entry.getValue()));
    }
    return new LookupFunction(count, entries, otherwise());
  }

  private Condition condition(JsonNode condition) {
    int column = column(condition.path("column"));
    List<KeyValue> values = new ArrayList<>();
    condition
        .path("values")
        .forEach(value -> values.add(KeyText.parse(kinds.get(column), value.asText())));
    Condition.Comparison comparison = comparison(condition.path("operator").asText());
    if (values.isEmpty() || (values.size() > 1 && comparison != Condition.Comparison.EQUAL)) {
      throw broken("a condition has " + values.size() + " values");
    }
    return new Condition(column, comparison, values);
  }

  private static Condition.Comparison comparison(String operator) {
    try {
      return Condition.Comparison.of(operator);
    } catch (IllegalArgumentException newer) {
      throw unknown("operator of a rule", operator);
    }
  }

  private Otherwise otherwise() {
    JsonNode otherwise = group.path("rule").path("default");
    if (otherwise.isMissingNode() || otherwise.isNull()) {
      return new Otherwise.Refuse();
    }
    if (otherwise.has("partition")) {
      return new Otherwise.Partition(partition(otherwise.path("partition")));
    }
    if (!otherwise.path("hash").isArray() || otherwise.path("hash").isEmpty()) {
      throw unknown("default of a rule", otherwise.toString());
    }
    List<Integer> columns = new ArrayList<>();
    otherwise.path("hash").forEach(column -> columns.add(column(column)));
    return new Otherwise.Hash(columns);
  }

  private int partition(JsonNode number) {
    int partition = number.asInt(-1);
    if (partition < 0 || partition >= count) {
      throw broken("partition " + number + " is none of " + count);
    }
    return partition;
  }

  private int column(JsonNode number) {
    int column = number.asInt(-1);
    if (column < 0 || column >= kinds.size()) {
      throw broken("column " + number + " is none of " + kinds.size());
    }
    return column;
  }

  private AbelianException broken(String what) {
    return AbelianException.internal(
        "the placement function of colocation group "
            + group.path("id").asInt()
            + " is broken: "
            + what,
        null);
  }
}
