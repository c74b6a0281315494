package org.abelian.cluster.statements;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.abelian.cluster.statements.RandomSchema.Column;
import org.abelian.cluster.statements.RandomSchema.Table;

/**
 * Random changes of the rows of a {@link RandomSchema}. No row that changes matches several that
 * differ, so that each has one right outcome.
 */
final class ChangeGenerator extends QueryGenerator {
  private final RandomSchema schema;
  private final Random random;

  /** RETURNING of rows that move has their own columns only. */
  private boolean moves;

  /** Numbers of keys that were never there. */
  private int fresh = 100;

  ChangeGenerator(RandomSchema schema, Random random) {
    super(schema, random);
    this.schema = schema;
    this.random = random;
  }

  /** The next statement that changes rows. */
  String nextChange() {
    Table table = pick(schema.tables());
    restart(table.reference());
    moves = false;
    List<Column> own = table.columns().stream().map(column -> seen("t", column)).toList();
    if (chance(4)) {
      return insert(table) + returning(table);
    }
    if (chance(8) && table.moves()) {
      return merge(table, own);
    }
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
      joined = joined(own, others, false);
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
    if (!table.reference() && (with != null || chance(2))) {
      String item = with != null ? with(with, others) : from(1, others);
      boolean byKey = with == null && chance(2);
      String key = any(others, byKey ? "key" : "int").name();
      String group =
          "SELECT %s, max(%s), min(%s) FROM %s GROUP BY 1"
              .formatted(key, any(others, "int").name(), any(others, "text").name(), item);
      from = " FROM (" + group + ") AS f(k, n, s)";
      joined = any(own, byKey ? "key" : "int").name() + " = f.k";
      read.add(new Column("f.n", "int"));
      read.add(new Column("f.s", "text"));
    }
    String set = assignments(table, read);
    return "UPDATE %s AS t SET %s%s%s".formatted(table.name(), set, from, conditions(own, joined));
  }

  /** Keys stay what they are, or become such that no two are the same, by whatever order. */
  private String assignments(Table table, List<Column> read) {
    moves = table.moves() && chance(5);
    String key = moves ? "id = " + schema.keys().moved("t.id") + ", " : "";
    return key + otherAssignments(table, read);
  }

  private String otherAssignments(Table table, List<Column> read) {
    List<Column> columns = plain(table);
    Column first = pick(columns);
    Column second = pick(columns);
    moves |= first.type().equals("key") || second.type().equals("key");
    String set = first.name() + " = " + assigned(first, read);
    return first == second ? set : set + ", " + second.name() + " = " + assigned(second, read);
  }

  /** The columns that no key has. */
  private static List<Column> plain(Table table) {
    return table.columns().stream().filter(column -> !table.key().contains(column.name())).toList();
  }

  private String assigned(Column column, List<Column> read) {
    String own = "t." + column.name();
    String number = any(read, "int").name();
    return switch (column.type()) {
      case "abelian.counter" -> chance(4) ? "7" : own + " + " + number;
      case "abelian.bounded_decimal(2)" ->
          chance(4) ? "7.005" : "%s + 0.25 - %s".formatted(own, number);
      case "abelian.max" -> chance(4) ? number : "greatest(%s, %s)".formatted(own, number);
      case "abelian.set" ->
          pick(List.of("abelian.add(%s, 'z')", "abelian.remove(%s, 'a')", "'{q}'")).formatted(own);
      case "int" -> assignedNumber(read, number);
      default -> value(1, column.type(), read);
    };
  }

  private String assignedNumber(List<Column> read, String number) {
    if (chance(20)) {
      return "%1$s / (%1$s - 3)".formatted(number);
    }
    if (chance(3)) {
      List<Column> inner = new ArrayList<>();
      String from = from(1, inner);
      String value = any(inner, "int").name();
      return "(SELECT max(%s) FROM %s%s)".formatted(value, from, where(1, inner, read));
    }
    return value(1, "int", read);
  }

  private String insert(Table table) {
    fresh = fresh > 2000 ? 100 : fresh;
    String rows = chance(3) ? selected(table) : given(table);
    return "INSERT INTO %s AS t %s%s".formatted(table.name(), rows, conflict(table));
  }

  private String given(Table table) {
    List<String> rows = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      rows.add(
          table.columns().stream()
              .map(column -> given(table, column))
              .collect(Collectors.joining(", ", "(", ")")));
    }
    return "VALUES " + String.join(", ", rows);
  }

  /** Keys are new ones as a rule. */
  private String given(Table table, Column column) {
    boolean unique = table.key().indexOf(column.name()) == table.key().size() - 1;
    int number = unique && !chance(8) ? ++fresh : random.nextInt(14);
    return switch (column.type()) {
      case "key" -> schema.keys().literal(number);
      case "text" -> "'" + pick(List.of("a", "c1", "12")) + number + "'";
      case "abelian.set" -> "'{a,n" + number + "}'";
      default -> chance(9) && !unique ? "NULL" : Integer.toString(number);
    };
  }

  /** Rows that differ in nothing but the key may get each other's. */
  private String selected(Table table) {
    String number = fresh + " + (row_number() OVER (ORDER BY x, y))::int";
    fresh += 20;
    List<Column> plain = plain(table);
    List<String> columns = new ArrayList<>(table.key());
    List<String> values = new ArrayList<>();
    if (table.moves()) {
      values.add(schema.keys().of(number));
    } else if (!table.key().isEmpty()) {
      values.addAll(List.of(schema.keys().of("x % 9"), number));
    }
    for (String type : List.of("int", "text")) {
      columns.add(any(plain, type).name());
      values.add(type.equals("int") ? "x" : "y");
    }
    return "(%s) SELECT %s FROM (%s) AS s(x, y) WHERE x >= 0 ORDER BY x, y LIMIT 20"
        .formatted(
            String.join(", ", columns),
            String.join(", ", values),
            simple(1, List.of(), List.of("int", "text")));
  }

  private String conflict(Table table) {
    if (table.key().isEmpty() || !chance(3)) {
      return "";
    }
    if (chance(2)) {
      return " ON CONFLICT DO NOTHING";
    }
    Column column = pick(plain(table));
    String value = column.type().equals("abelian.counter") ? "t.%1$s + 1" : "excluded.%1$s";
    return " ON CONFLICT (%s) DO UPDATE SET %s = %s%s"
        .formatted(
            String.join(", ", table.key()),
            column.name(),
            value.formatted(column.name()),
            chance(3) ? " WHERE t." + any(plain(table), "text").name() + " > 'b'" : "");
  }

  private String merge(Table table, List<Column> own) {
    List<Column> plain = plain(table);
    String number = any(plain, "int").name();
    String text = any(plain, "text").name();
    String source =
        "SELECT k, max(n), min(s) FROM (%s) AS m(k, n, s) GROUP BY k"
            .formatted(simple(1, List.of(), List.of("key", "int", "text")));
    return ("MERGE INTO %s AS t USING (%s) AS s(k, n, s) ON t.id = s.k"
            + " WHEN MATCHED AND %s THEN %s WHEN MATCHED THEN UPDATE SET %s = s.n"
            + " WHEN NOT MATCHED AND s.k IS NOT NULL%s")
        .formatted(
            table.name(),
            source,
            comparison(own),
            chance(2) ? "DELETE" : "DO NOTHING",
            number,
            chance(2)
                ? " THEN INSERT (id, %s, %s) VALUES (s.k, s.n, s.s)".formatted(number, text)
                : " AND s.n > 3 THEN DO NOTHING");
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
}
