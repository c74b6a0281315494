package org.abelian.cluster.statements;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.abelian.cluster.statements.RandomSchema.Column;
import org.abelian.cluster.statements.RandomSchema.Table;

/**
 * Random SELECTs over the tables of a {@link RandomSchema}. Every one has one right answer: rows
 * are limited only in a total order, and what fails does so however it is planned.
 */
class QueryGenerator {
  private static final int DEPTH_MAX = 3;

  private final RandomSchema schema;
  private final Random random;
  private int names;

  /** Copies of a table must come out alike, so no function may read others of their copies. */
  private boolean ofCopies;

  QueryGenerator(RandomSchema schema, Random random) {
    this.schema = schema;
    this.random = random;
  }

  /** The next statement. */
  String next() {
    restart();
    return switch (random.nextInt(24)) {
      case 0, 1, 2 -> shared();
      case 3, 4, 5, 6 -> compared();
      case 7 -> failing();
      case 8 -> recursive();
      case 9, 10, 11, 12, 13 -> grouped(0, List.of());
      default -> {
        List<String> types = types();
        yield simple(0, List.of(), types) + limit(types);
      }
    };
  }

  /** The next query with one order of its rows. */
  String nextOrdered() {
    restart();
    List<String> types = types();
    return simple(0, List.of(), types) + " ORDER BY " + order(types);
  }

  /** The next statement has names of its own. */
  protected void restart() {
    restart(false);
  }

  /**
   * The same.
   *
   * @param copies whether it changes a reference table
   */
  protected void restart(boolean copies) {
    names = 0;
    ofCopies = copies;
  }

  private String shared() {
    String name = name();
    String inner = chance(2) ? groups(1) : simple(1, List.of(), List.of("int", "text"));
    String from = "%s AS a(x, y) JOIN %s AS b(x, y) ON a.x = b.x".formatted(name, name);
    return "WITH %s AS (%s) SELECT a.x, a.y, b.y FROM %s".formatted(name, inner, from);
  }

  private String compared() {
    List<String> types = types();
    String operation =
        pick(List.of("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"));
    return "(%s) %s (%s)%s"
        .formatted(
            simple(1, List.of(), types), operation, simple(1, List.of(), types), limit(types));
  }

  private String recursive() {
    List<Column> own = new ArrayList<>();
    String from = from(2, own);
    String step = "SELECT %s, r.d + 1 FROM r JOIN %s ON r.x = %s WHERE r.d < 3";
    return "WITH RECURSIVE r(x, d) AS (SELECT x, 0 FROM (%s) AS b(x, y) UNION %s)"
            .formatted(
                groups(2), step.formatted(any(own, "int").name(), from, any(own, "int").name()))
        + " SELECT x, min(d), count(*) FROM r GROUP BY x";
  }

  /** What fails for some values: each row has one error at most, and all rows are evaluated. */
  private String failing() {
    List<Column> own = new ArrayList<>();
    if (chance(3)) {
      String item = table(own, pick(schema.tables()));
      String number = any(own, "int").name();
      return "SELECT 1 FROM %s WHERE 12 / (%s - %d) > 0".formatted(item, number, random.nextInt(9));
    }
    String from = from(0, own);
    String number = any(own, "int").name();
    String value =
        pick(List.of(
                "%1$s / (%1$s - %3$d)",
                "(%2$s)::int",
                "(%2$s || '1')::date",
                "sqrt(%3$d - %1$s)",
                "(SELECT w FROM local)",
                "(SELECT size FROM shop WHERE city = %1$s)",
                "(%1$s + 32760)::smallint"))
            .formatted(number, any(own, "text").name(), random.nextInt(9));
    return "SELECT %s, %s FROM %s%s".formatted(number, value, from, where(0, own, List.of()));
  }

  private String limit(List<String> types) {
    if (!chance(3)) {
      return "";
    }
    String rows = chance(2) ? " LIMIT " + random.nextInt(8) : "";
    return " ORDER BY " + order(types) + rows + (chance(4) ? " OFFSET 2" : "");
  }

  private String order(List<String> types) {
    List<String> order = new ArrayList<>();
    for (int i = 1; i <= types.size(); i++) {
      order.add(i + pick(List.of("", " DESC", " NULLS FIRST")));
    }
    return String.join(", ", order);
  }

  private List<String> types() {
    List<String> types = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      types.add(pick(List.of("int", "int", "text", "key")));
    }
    return types;
  }

  /** SELECT with columns of these types, after those of outer queries. */
  protected String simple(int depth, List<Column> outer, List<String> types) {
    List<Column> own = new ArrayList<>();
    String from = from(depth, own);
    String values =
        types.stream()
            .map(type -> chance(8) ? called(depth, type, own) : value(depth, type, own))
            .collect(Collectors.joining(", "));
    String distinct = chance(6) ? "DISTINCT " : "";
    return "SELECT " + distinct + values + " FROM " + from + where(depth, own, outer);
  }

  private String grouped(int depth, List<Column> outer) {
    List<Column> own = new ArrayList<>();
    String from = from(depth, own);
    String key = grouping(own).name();
    String other = grouping(own).name();
    String sets =
        pick(List.of(
                "%1$s",
                "%1$s",
                "%1$s, %2$s",
                "ROLLUP (%1$s)",
                "CUBE (%1$s, %2$s)",
                "GROUPING SETS ((%1$s), ())"))
            .formatted(key, other);
    String having = chance(3) ? " HAVING count(*) > 1" : "";
    return "SELECT %s, %s, %s FROM %s%s GROUP BY %s%s"
        .formatted(
            key, aggregate(own), aggregate(own), from, where(depth, own, outer), sets, having);
  }

  private Column grouping(List<Column> own) {
    return pick(own.stream().filter(column -> !column.name().contains("::")).toList());
  }

  private String aggregate(List<Column> own) {
    String number = any(own, "int").name();
    String text = any(own, "text").name();
    return pick(List.of(
            "count(*)",
            "count(%1$s)",
            "count(DISTINCT %2$s)",
            "bool_or(%1$s > 4)",
            "max(%1$s)",
            "sum(%1$s)",
            "min(%2$s)",
            "avg(%1$s)",
            "count(DISTINCT %1$s)",
            "sum(%1$s) FILTER (WHERE %1$s > 3)",
            "string_agg(%2$s, ',' ORDER BY %2$s)",
            "percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$s)"))
        .formatted(number, text);
  }

  /** Up to six tables at the top, fewer below. */
  protected String from(int depth, List<Column> columns) {
    StringBuilder from = new StringBuilder(item(depth, columns));
    int joins = depth > 0 ? random.nextInt(2) : chance(4) ? random.nextInt(6) : random.nextInt(3);
    for (int i = joins; i > 0; i--) {
      List<Column> right = new ArrayList<>();
      if (depth == 0 && joins < 3 && chance(8)) {
        from.append(lateral(columns, right));
        columns.addAll(right);
        continue;
      }
      String item = item(depth, right);
      if (joins < 3 && chance(12)) {
        from.append(" CROSS JOIN ").append(item);
        columns.addAll(right);
        continue;
      }
      String kind = pick(List.of("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"));
      String condition = joined(columns, right, joins > 2);
      if (!kind.equals("FULL JOIN") && chance(3)) {
        condition += " AND " + comparison(pick(List.of(columns, right)));
      }
      from.append(" %s %s ON %s".formatted(kind, item, condition));
      columns.addAll(right);
    }
    return from.toString();
  }

  private String lateral(List<Column> left, List<Column> right) {
    String alias = name();
    right.add(new Column(alias + ".x", "int"));
    right.add(new Column(alias + ".y", "text"));
    String inner = simple(DEPTH_MAX, left, List.of("int", "text"));
    String limit = chance(2) ? " ORDER BY 1, 2 LIMIT 2" : "";
    return " %s LATERAL (%s%s) AS %s(x, y) ON true"
        .formatted(pick(List.of("JOIN", "LEFT JOIN")), inner, limit, alias);
  }

  /** By keys, which few rows share, or by other numbers. */
  protected String joined(List<Column> left, List<Column> right, boolean byKey) {
    boolean keys = has(left, "key") && has(right, "key");
    String type = keys && (byKey || chance(2)) ? "key" : "int";
    return any(left, type).name() + " = " + any(right, type).name();
  }

  private static boolean has(List<Column> columns, String type) {
    return columns.stream().anyMatch(column -> column.type().equals(type));
  }

  private String item(int depth, List<Column> columns) {
    String alias = name();
    if (depth < DEPTH_MAX && chance(7)) {
      columns.add(new Column(alias + ".x", "int"));
      columns.add(new Column(alias + ".y", "text"));
      String inner =
          (chance(2) ? groups(depth + 1) : simple(depth + 1, List.of(), List.of("int", "text")))
              + (chance(3) ? " ORDER BY 1, 2 LIMIT 5" : "");
      return "(%s) AS %s(x, y)".formatted(inner, alias);
    }
    if (chance(12)) {
      columns.add(new Column(alias + ".x", "int"));
      columns.add(new Column(alias + ".y", "text"));
      String call = chance(2) ? "guests(" + key() + ")" : "callers(" + random.nextInt(9) + ")";
      return "%s AS %s(x, y)".formatted(call, alias);
    }
    return table(columns, pick(schema.tables()));
  }

  private String table(List<Column> columns, Table table) {
    String alias = name();
    table.columns().forEach(column -> columns.add(seen(alias, column)));
    return table.name() + " AS " + alias;
  }

  /** How a query names a column; those of Abelian types are their plain values. */
  protected Column seen(String alias, Column column) {
    String name = alias + "." + column.name();
    return switch (column.type()) {
      case "abelian.counter", "abelian.max", "abelian.bounded_decimal(2)" ->
          new Column(name + "::bigint", "int");
      case "abelian.set" -> new Column(name + "::text", "text");
      default -> new Column(name, column.type());
    };
  }

  private String key() {
    return schema.keys().literal(random.nextInt(10));
  }

  /** Groups by a number, or of that number of rows. */
  private String groups(int depth) {
    List<Column> own = new ArrayList<>();
    String from = from(depth, own);
    String key = any(own, "int").name();
    String text = any(own, "text").name();
    String rows = from + where(depth, own, List.of());
    return chance(4)
        ? "SELECT count(*)::int, max(%s) FROM %s GROUP BY %s".formatted(text, rows, key)
        : "SELECT %s, min(%s) FROM %s GROUP BY 1".formatted(key, text, rows);
  }

  protected String where(int depth, List<Column> own, List<Column> outer) {
    List<String> conditions = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      conditions.add(condition(depth, own));
    }
    if (!outer.isEmpty()) {
      conditions.add(joined(own, outer, false));
    }
    return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
  }

  protected String condition(int depth, List<Column> own) {
    if (chance(10)) {
      return called(depth, "int", own) + " > " + random.nextInt(20);
    }
    if (depth < DEPTH_MAX && chance(3)) {
      String number = any(own, "int").name();
      return switch (random.nextInt(4)) {
        case 0 -> number + " IN (" + simple(depth + 1, List.of(), List.of("int")) + ")";
        case 1 -> not() + "EXISTS (" + simple(depth + 1, own, List.of("int")) + ")";
        case 2 -> number + " > (" + counting(depth + 1, own) + ")";
        default -> number + " >= ALL (" + simple(depth + 1, own, List.of("int")) + ")";
      };
    }
    if (chance(6)) {
      String and = comparison(own) + " AND " + comparison(own);
      String other = chance(2) ? comparison(own) : comparison(own) + " AND " + comparison(own);
      return "(" + and + " OR " + other + ")";
    }
    return comparison(own);
  }

  /** A number about rows that match the outer row. */
  protected String counting(int depth, List<Column> outer) {
    List<Column> own = new ArrayList<>();
    String from = from(depth, own);
    String value =
        pick(List.of(
                "count(*) - 3", "max(%s)", "sum(%s) - 5", "0.5 * avg(%s)", "coalesce(min(%s), 4)"))
            .formatted(any(own, "int").name());
    return "SELECT " + value + " FROM " + from + where(depth, own, outer);
  }

  private String not() {
    return chance(3) ? "NOT " : "";
  }

  protected String comparison(List<Column> columns) {
    Column column = pick(columns);
    if (column.type().equals("text")) {
      return pick(List.of("%s > 'b'", "%s LIKE '%%a%%'", "%s IS NOT NULL", "%s = 'c1'"))
          .formatted(column.name());
    }
    boolean key = column.type().equals("key");
    if (key && chance(3)) {
      return "%s IN (%s, %s)".formatted(column.name(), key(), key());
    }
    String value = key ? key() : Integer.toString(random.nextInt(12));
    return pick(List.of(
            "%1$s = %2$s", "%1$s < %2$s", "%1$s >= %2$s", "%1$s IS NULL", "%1$s <> %2$s"))
        .formatted(column.name(), value);
  }

  protected String value(int depth, String type, List<Column> columns) {
    Column column = any(columns, type);
    if (type.equals("text")) {
      return pick(List.of("%s", "%s", "coalesce(%s, '?')", "upper(%s)")).formatted(column.name());
    }
    if (type.equals("key")) {
      return chance(3) ? "coalesce(%s, %s)".formatted(column.name(), key()) : column.name();
    }
    if (depth < 2 && chance(8)) {
      return "(" + counting(depth + 1, columns) + ")::int";
    }
    if (depth == 0 && chance(10)) {
      return pick(List.of(
              "(count(*) OVER (PARTITION BY %1$s))::int",
              "(rank() OVER (ORDER BY %1$s, %2$s))::int",
              "(sum(%2$s) OVER (PARTITION BY %1$s))::int"))
          .formatted(column.name(), any(columns, "int").name());
    }
    return pick(List.of("%s", "%s", "%s + 1", "coalesce(%s, -1)")).formatted(column.name());
  }

  /** A function of the schema that reads tables. */
  private String called(int depth, String type, List<Column> columns) {
    String number = value(Math.max(depth, 2), "int", columns);
    String key = has(columns, "key") ? value(Math.max(depth, 2), "key", columns) : key();
    return switch (type) {
      case "key" -> key;
      case "text" ->
          pick(List.of("called_of(%s)", "coalesce(called_of(%s), '-')"))
              .formatted("(" + number + ")::int");
      default ->
          pick(ofCopies
                  ? List.of("busy((%1$s)::int)", "longest(%2$s)")
                  : List.of(
                      "sold(%2$s)",
                      "busy((%1$s)::int)",
                      "least_w(%2$s) + 1",
                      "twice_sold(%2$s)",
                      "longest(%2$s)"))
              .formatted(number, key);
    };
  }

  protected Column any(List<Column> columns, String type) {
    List<Column> fitting = columns.stream().filter(one -> one.type().equals(type)).toList();
    return fitting.isEmpty() && type.equals("key")
        ? new Column(schema.keys().of("5"), "key")
        : pick(fitting);
  }

  protected String name() {
    return "q" + ++names;
  }

  protected boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  protected <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
