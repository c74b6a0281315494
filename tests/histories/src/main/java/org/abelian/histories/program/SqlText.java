package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Renders statements as SQL over one table, whose keys are those of the history plus an offset. The
 * functions of collections are found on the search path: those of Abelian or of plain columns.
 * Parameters are collected where the form asks for them.
 */
public final class SqlText {
  private final String table;
  private final long offset;
  private final List<Object> parameters = new ArrayList<>();
  private boolean bind;

  public SqlText(String table, long offset) {
    this.table = table;
    this.offset = offset;
  }

  /** Values for the question marks of the text rendered last. */
  public List<Object> parameters() {
    return parameters;
  }

  public String render(Statement statement) {
    parameters.clear();
    bind = false;
    if (statement instanceof Statement.Select select) {
      return "SELECT "
          + columns(select.columns())
          + " FROM "
          + table
          + where(select.where(), "")
          + (select.forUpdate() ? " FOR UPDATE" : "");
    } else if (statement instanceof Statement.Update update) {
      return update(update);
    } else if (statement instanceof Statement.Delete delete) {
      return "DELETE FROM " + table + where(delete.where(), "") + returning(delete.returning(), "");
    } else if (statement instanceof Statement.Insert insert) {
      return insert(insert);
    } else if (statement instanceof Statement.Copy copy) {
      return ("INSERT INTO %1$s SELECT %2$d%4$s FROM %1$s WHERE id = %3$d"
              + " ON CONFLICT (id) DO NOTHING")
          .formatted(
              table,
              copy.to() + offset,
              copy.from() + offset,
              columns(List.of(Column.values())).substring("id".length()));
    }
    return savepoint((Statement.Savepoint) statement);
  }

  private String update(Statement.Update update) {
    bind = update.form() == Statement.Form.PARAMETERS;
    if (update.form() == Statement.Form.FROM_VALUES) {
      String keys =
          update.where().ids().stream()
              .map(id -> "(" + (id + offset) + ")")
              .collect(Collectors.joining(", "));
      Condition rest =
          new Condition(
              List.of(),
              update.where().status(),
              update.where().counterBelow(),
              update.where().contained());
      return ("UPDATE %s AS t SET %s FROM (VALUES %s) AS v (key) WHERE t.id = v.key%s%s")
          .formatted(
              table,
              assignments(update.set(), "t."),
              keys,
              conditions(rest, "t.").stream().map(c -> " AND " + c).collect(Collectors.joining()),
              returning(update, "t."));
    }
    String text = "UPDATE " + table + " SET " + assignments(update.set(), "");
    text += where(update.where(), "");
    if (update.form() == Statement.Form.DATA_MODIFYING_CTE) {
      return update.returning() == null
          ? "WITH u AS (" + text + " RETURNING id) SELECT count(*) FROM u"
          : "WITH u AS (" + text + returning(update, "") + ") SELECT * FROM u";
    }
    return text + returning(update, "");
  }

  private String insert(Statement.Insert insert) {
    Row row = insert.row();
    String text =
        "INSERT INTO %s AS t (%s) VALUES (%d, %s)"
            .formatted(
                table,
                columns(List.of(Column.values())),
                row.id() + offset,
                row.values().stream().map(SqlText::literal).collect(Collectors.joining(", ")));
    return switch (insert.onConflict()) {
      case FAIL -> text;
      case DO_NOTHING -> text + " ON CONFLICT (id) DO NOTHING";
      case DO_UPDATE -> text + " ON CONFLICT (id) DO UPDATE SET " + assignments(insert.set(), "t.");
    };
  }

  private static String savepoint(Statement.Savepoint savepoint) {
    return switch (savepoint.action()) {
          case SET -> "SAVEPOINT ";
          case ROLLBACK_TO -> "ROLLBACK TO SAVEPOINT ";
          case RELEASE -> "RELEASE SAVEPOINT ";
        }
        + savepoint.name();
  }

  private String assignments(List<Assignment> assignments, String prefix) {
    return assignments.stream()
        .map(a -> a.target().sql() + " = " + expression(a, prefix))
        .collect(Collectors.joining(", "));
  }

  private String expression(Assignment assignment, String prefix) {
    String target = prefix + assignment.target().sql();
    return switch (assignment.kind()) {
      case ADD -> addition(assignment, target);
      case PUT, REMOVE ->
          "%s(%s, %s)"
              .formatted(
                  assignment.kind().name().toLowerCase(Locale.ROOT), target, element(assignment));
      case ADD_NOTE -> target + " + " + prefix + Column.NOTE.sql();
      case SET -> value(assignment.target(), assignment.operand());
      case DOUBLE -> target + " * 2";
      case COPY_COUNTER -> prefix + Column.COUNTER.sql();
      case COPY_SIZE -> "size(" + prefix + Column.TAGS.sql() + ")";
    };
  }

  private String addition(Assignment assignment, String target) {
    return switch (assignment.target()) {
      case HIGHEST ->
          "greatest(%s, %s)".formatted(target, value(Column.HIGHEST, assignment.operand()));
      case TAGS, SCORES, COUNTS -> "add(%s, %s)".formatted(target, element(assignment));
      default -> {
        BigDecimal amount = (BigDecimal) assignment.operand();
        yield amount.signum() < 0
            ? target + " - " + value(assignment.target(), amount.negate())
            : target + " + " + value(assignment.target(), amount);
      }
    };
  }

  /**
   * An element, and its score, count or value if there is one. Over plain columns the type of that
   * tells which collection is meant.
   */
  private String element(Assignment assignment) {
    if (assignment.operand() instanceof Assignment.Score score) {
      boolean counts = assignment.target() == Column.COUNTS;
      return value(Column.STATUS, score.element())
          + ", "
          + value(counts ? Column.COUNTS : Column.DECIMAL, score.number())
          + (counts ? "::bigint" : "::numeric");
    }
    if (assignment.operand() instanceof Assignment.Entry entry) {
      return value(Column.STATUS, entry.key())
          + ", "
          + value(Column.STATUS, entry.value())
          + "::text";
    }
    return value(Column.STATUS, assignment.operand());
  }

  private String where(Condition condition, String prefix) {
    return " WHERE " + String.join(" AND ", conditions(condition, prefix));
  }

  private List<String> conditions(Condition condition, String prefix) {
    List<String> all = new ArrayList<>();
    if (condition.ids().size() == 1) {
      all.add(prefix + "id = " + key(condition.ids().get(0)));
    } else if (!condition.ids().isEmpty()) {
      all.add(
          condition.ids().stream()
              .map(this::key)
              .collect(Collectors.joining(", ", prefix + "id IN (", ")")));
    }
    if (condition.status() != null) {
      all.add(prefix + "status = " + value(Column.STATUS, condition.status()));
    }
    if (condition.counterBelow() != null) {
      all.add(prefix + "c < " + value(Column.COUNTER, condition.counterBelow()));
    }
    if (condition.contained() != null) {
      all.add(contains(condition.contained(), prefix));
    }
    return all;
  }

  private String contains(Condition.Element element, String prefix) {
    String column = prefix + element.column().sql();
    return "contains(%s, %s)".formatted(column, value(Column.STATUS, element.name()));
  }

  private String key(int id) {
    return bound(id + offset, Long.toString(id + offset));
  }

  private String value(Column column, Object value) {
    if (value instanceof BigDecimal number && column != Column.DECIMAL) {
      return bound(number.longValueExact(), literal(value));
    }
    return bound(value, literal(value));
  }

  private String bound(Object value, String literal) {
    if (!bind || value == null || value instanceof Set || value instanceof Map) {
      return literal;
    }
    parameters.add(value);
    return "?";
  }

  private static String literal(Object value) {
    if (value instanceof BigDecimal number) {
      return number.stripTrailingZeros().toPlainString();
    }
    if (value instanceof Set<?> tags) {
      return tags.stream().map(String::valueOf).collect(Collectors.joining(",", "'{", "}'"));
    }
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(e -> "\"" + e.getKey() + "\": " + json(e.getValue()))
          .collect(Collectors.joining(", ", "'{", "}'"));
    }
    return value == null ? "NULL" : "'" + value + "'";
  }

  private static String json(Object value) {
    return value instanceof BigDecimal ? literal(value) : "\"" + value + "\"";
  }

  private static String columns(List<Column> columns) {
    return columns.stream().map(c -> ", " + c.sql()).collect(Collectors.joining("", "id", ""));
  }

  private String returning(Statement.Update update, String prefix) {
    String asked = update.asked() == null ? "" : ", " + contains(update.asked(), prefix);
    return returning(update.returning(), prefix) + asked;
  }

  private static String returning(List<Column> columns, String prefix) {
    return columns == null
        ? ""
        : columns.stream()
            .map(c -> ", " + prefix + c.sql())
            .collect(Collectors.joining("", " RETURNING " + prefix + "id", ""));
  }
}
