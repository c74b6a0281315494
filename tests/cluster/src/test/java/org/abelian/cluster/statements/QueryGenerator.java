package org.abelian.cluster.statements;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Random SELECTs over the tables of {@link RandomQueriesIT}, and changes of their rows. Every one
 * has one right answer: rows are limited only in a total order, and no row that changes matches
 * several that differ.
 */
final class QueryGenerator {
  /** A column that a condition may name; the type is int or text. */
  private record Column(String name, String type) {}

  private record Table(String name, List<Column> columns) {}

  private static final List<Table> TABLES =
      List.of(
          table("shop", "id int", "city int", "name text", "size int"),
          table("sale", "id int", "shop int", "item int", "amount int", "note text"),
          table("visit", "shop int", "n int", "guest text", "stay int"),
          table("item", "id int", "label text", "price int"),
          table("local", "k int", "w int", "tag text"));

  private static final int DEPTH_MAX = 3;

  private final Random random;
  private int names;

  /** RETURNING of rows that move has their own columns only. */
  private boolean moves;

  QueryGenerator(long seed) {
    random = new Random(seed);
  }

  private static Table table(String name, String... columns) {
    List<Column> all = new ArrayList<>();
    for (String column : columns) {
      String[] parts = column.split(" ");
      all.add(new Column(parts[0], parts[1]));
    }
    return new Table(name, all);
  }

  /** The next statement. */
  String next() {
    names = 0;
    if (chance(8)) {
      String name = name();
      String inner = chance(2) ? groups(1) : simple(1, List.of(), List.of("int", "text"));
      String from = "%s AS a(x, y) JOIN %s AS b(x, y) ON a.x = b.x".formatted(name, name);
      return "WITH %s AS (%s) SELECT a.x, a.y, b.y FROM %s".formatted(name, inner, from);
    }
    if (chance(6)) {
      List<String> types = types();
      String operation =
          pick(List.of("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"));
      return "(%s) %s (%s)%s"
          .formatted(
              simple(1, List.of(), types), operation, simple(1, List.of(), types), limit(types));
    }
    List<String> types = types();
    return chance(3) ? grouped(0, List.of()) : simple(0, List.of(), types) + limit(types);
  }

  /** The next statement that changes rows. */
  String nextChange() {
    names = 0;
    moves = false;
    Table table = pick(TABLES);
    List<Column> own =
        table.columns().stream()
            .map(column -> new Column("t." + column.name(), column.type()))
            .toList();
    String with = "";
    if (chance(6)) {
      String name = name();
      with = "WITH %s(x, y) AS (%s) ".formatted(name, simple(1, List.of(), List.of("int", "text")));
      String change = chance(2) ? delete(table, own, name) : update(table, own, name);
      return with + change + returning(table);
    }
    return (chance(3) ? delete(table, own, null) : update(table, own, null)) + returning(table);
  }

  private String returning(Table table) {
    if (chance(2)) {
      return "";
    }
    List<String> columns = table.columns().stream().map(column -> "t." + column.name()).toList();
    return " RETURNING " + String.join(", ", columns) + (!moves && chance(4) ? ", " + aside() : "");
  }

  private String aside() {
    return "(" + counting(2, List.of()) + ")";
  }

  /**
   * @param with a query of WITH to be used; null for none
   */
  private String delete(Table table, List<Column> own, String with) {
    List<Column> others = new ArrayList<>();
    String using = "";
    String joined = "";
    if (with != null || chance(2)) {
      using = " USING " + (with != null ? with(with, others) : from(1, others));
      joined = any(own, "int").name() + " = " + any(others, "int").name();
    }
    String where = conditions(own, joined);
    return "DELETE FROM %s AS t%s%s".formatted(table.name(), using, where);
  }

  private String with(String name, List<Column> columns) {
    String alias = name();
    columns.add(new Column(alias + ".x", "int"));
    columns.add(new Column(alias + ".y", "text"));
    return name + " AS " + alias;
  }

  private String update(Table table, List<Column> own, String with) {
    List<Column> others = new ArrayList<>();
    List<Column> read = new ArrayList<>(own);
    String from = "";
    String joined = "";
    // Of a copy, the rows of FROM might differ from node to node where several match.
    if (!table.name().equals("item") && (with != null || chance(2))) {
      String item = with != null ? with(with, others) : from(1, others);
      String key = any(others, "int").name();
      String group =
          "SELECT %s, max(%s), min(%s) FROM %s GROUP BY 1"
              .formatted(key, any(others, "int").name(), any(others, "text").name(), item);
      from = " FROM (" + group + ") AS f(k, n, s)";
      joined = any(own, "int").name() + " = f.k";
      read.add(new Column("f.n", "int"));
      read.add(new Column("f.s", "text"));
    }
    String set = assignments(table, read);
    return "UPDATE %s AS t SET %s%s%s".formatted(table.name(), set, from, conditions(own, joined));
  }

  /** Keys stay what they are, or become such that no two are the same, by whatever order. */
  private String assignments(Table table, List<Column> read) {
    moves = List.of("shop", "sale").contains(table.name()) && chance(4);
    return (moves ? "id = -t.id - 1, " : "") + otherAssignments(table, read);
  }

  private String otherAssignments(Table table, List<Column> read) {
    List<Column> columns =
        table.columns().stream()
            .filter(column -> !column.name().equals("id") && !column.name().equals("n"))
            .filter(column -> !(table.name().equals("visit") && column.name().equals("shop")))
            .toList();
    Column first = pick(columns);
    Column second = pick(columns);
    String set = first.name() + " = " + assigned(first.type(), read);
    return first == second
        ? set
        : set + ", " + second.name() + " = " + assigned(second.type(), read);
  }

  private String assigned(String type, List<Column> read) {
    if (type.equals("int") && chance(3)) {
      List<Column> inner = new ArrayList<>();
      String from = from(1, inner);
      String value = any(inner, "int").name();
      return "(SELECT max(%s) FROM %s%s)".formatted(value, from, where(1, inner, read));
    }
    return value(1, type, read);
  }

  private String conditions(List<Column> own, String joined) {
    List<String> conditions = new ArrayList<>(joined.isEmpty() ? List.of() : List.of(joined));
    for (int i = random.nextInt(3); i > 0; i--) {
      conditions.add(
          chance(5) ? any(own, "int").name() + " IN (" + first() + ")" : condition(1, own));
    }
    return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
  }

  /** The first ones of all. */
  private String first() {
    String query = simple(1, List.of(), List.of("int", "int"));
    return "SELECT x FROM (" + query + ") AS l(x, y) ORDER BY x, y LIMIT " + random.nextInt(6);
  }

  private String limit(List<String> types) {
    if (!chance(3)) {
      return "";
    }
    List<String> order = new ArrayList<>();
    for (int i = 1; i <= types.size(); i++) {
      order.add(i + pick(List.of("", " DESC", " NULLS FIRST")));
    }
    String rows = chance(2) ? " LIMIT " + random.nextInt(8) : "";
    return " ORDER BY " + String.join(", ", order) + rows + (chance(4) ? " OFFSET 2" : "");
  }

  private List<String> types() {
    List<String> types = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      types.add(pick(List.of("int", "int", "text")));
    }
    return types;
  }

  /** SELECT with columns of these types, after those of outer queries. */
  private String simple(int depth, List<Column> outer, List<String> types) {
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
    Column key = any(own, "int");
    String sets = pick(List.of("%s", "%s", "ROLLUP (%s)", "GROUPING SETS ((%s), ())"));
    String having = chance(3) ? " HAVING count(*) > 1" : "";
    return "SELECT %s, %s, %s FROM %s%s GROUP BY %s%s"
        .formatted(
            key.name(),
            aggregate(own),
            aggregate(own),
            from,
            where(depth, own, outer),
            sets.formatted(key.name()),
            having);
  }

  private String aggregate(List<Column> own) {
    String number = any(own, "int").name();
    String text = any(own, "text").name();
    return pick(List.of(
            "count(*)",
            "count(%1$s)",
            "sum(%1$s)",
            "min(%2$s)",
            "avg(%1$s)",
            "count(DISTINCT %1$s)",
            "sum(%1$s) FILTER (WHERE %1$s > 3)",
            "string_agg(%2$s, ',' ORDER BY %2$s)",
            "percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$s)"))
        .formatted(number, text);
  }

  private String from(int depth, List<Column> columns) {
    StringBuilder from = new StringBuilder(item(depth, columns));
    for (int i = random.nextInt(depth == 0 ? 4 : 2); i > 0; i--) {
      List<Column> right = new ArrayList<>();
      String item = item(depth, right);
      if (chance(12)) {
        from.append(" CROSS JOIN ").append(item);
        columns.addAll(right);
        continue;
      }
      String kind = pick(List.of("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"));
      String condition = any(columns, "int").name() + " = " + any(right, "int").name();
      if (!kind.equals("FULL JOIN") && chance(3)) {
        condition += " AND " + comparison(pick(List.of(columns, right)));
      }
      from.append(" %s %s ON %s".formatted(kind, item, condition));
      columns.addAll(right);
    }
    return from.toString();
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
      String function = pick(List.of("guests", "callers"));
      return "%s(%d) AS %s(x, y)".formatted(function, random.nextInt(9), alias);
    }
    Table table = pick(TABLES);
    table.columns().stream()
        .map(column -> new Column(alias + "." + column.name(), column.type()))
        .forEach(columns::add);
    return table.name() + " AS " + alias;
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

  private String where(int depth, List<Column> own, List<Column> outer) {
    List<String> conditions = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      conditions.add(condition(depth, own));
    }
    if (!outer.isEmpty()) {
      conditions.add(any(own, "int").name() + " = " + any(outer, "int").name());
    }
    return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
  }

  private String condition(int depth, List<Column> own) {
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
  private String counting(int depth, List<Column> outer) {
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

  private String comparison(List<Column> columns) {
    Column column = pick(columns);
    if (column.type().equals("text")) {
      return pick(List.of("%s > 'b'", "%s LIKE '%%a%%'", "%s IS NOT NULL", "%s = 'c1'"))
          .formatted(column.name());
    }
    String value = Integer.toString(random.nextInt(12));
    return pick(List.of(
            "%1$s = %2$s", "%1$s < %2$s", "%1$s >= %2$s", "%1$s IS NULL", "%1$s <> %2$s"))
        .formatted(column.name(), value);
  }

  private String value(int depth, String type, List<Column> columns) {
    Column column = any(columns, type);
    if (type.equals("text")) {
      return pick(List.of("%s", "%s", "coalesce(%s, '?')", "upper(%s)")).formatted(column.name());
    }
    if (depth < 2 && chance(8)) {
      return "(" + counting(depth + 1, columns) + ")::int";
    }
    if (depth == 0 && chance(10)) {
      return "(count(*) OVER (PARTITION BY " + column.name() + "))::int";
    }
    return pick(List.of("%s", "%s", "%s + 1", "coalesce(%s, -1)")).formatted(column.name());
  }

  /** A function of {@link RandomQueriesIT} that reads tables. */
  private String called(int depth, String type, List<Column> columns) {
    String argument = value(Math.max(depth, 2), "int", columns);
    return pick(type.equals("text")
            ? List.of("called_of(%s)", "coalesce(called_of(%s), '-')")
            : List.of("sold(%s)", "busy(%s)", "least_w(%s) + 1", "twice_sold(%s)", "longest(%s)"))
        .formatted(argument);
  }

  private Column any(List<Column> columns, String type) {
    List<Column> fitting = columns.stream().filter(one -> one.type().equals(type)).toList();
    return pick(fitting);
  }

  private String name() {
    return "q" + ++names;
  }

  private boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  private <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
