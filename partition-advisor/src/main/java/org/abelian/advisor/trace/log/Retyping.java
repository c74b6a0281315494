package org.abelian.advisor.trace.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.abelian.router.analysis.RelationFacts;
import org.abelian.router.analysis.StatementFacts;
import org.abelian.router.analysis.StatementKind;

/**
 * Finds out which other column types would make an UPDATE a blind commuting operation: the columns
 * are changed, the text is analysed again, and the change is rolled back. Only in a scratch
 * database, whose tables are empty and nobody's.
 */
final class Retyping {
  private final Connection scratch;
  private final Schema schema;
  private final Map<String, String> known = new HashMap<>();

  Retyping(Connection scratch, Schema schema) {
    this.scratch = scratch;
    this.schema = schema;
  }

  /** The columns with their types, or null when no types would do. */
  String of(Transactions.Executed executed) {
    StatementFacts facts = executed.facts();
    if (facts.kind() != StatementKind.UPDATE
        || facts.change().blind() != null && facts.change().blind().redo() != null) {
      return null;
    }
    String types = known.computeIfAbsent(executed.shape(), fresh -> find(executed.text(), facts));
    return types.isEmpty() ? null : types;
  }

  private String find(String text, StatementFacts facts) {
    List<String> changes = new ArrayList<>();
    List<String> types = new ArrayList<>();
    for (RelationFacts relation : facts.relations()) {
      String id = relation.schema() + "." + relation.name();
      if (!relation.write() || !schema.has(id)) {
        continue;
      }
      for (String column : relation.assigned()) {
        String type = commuting(schema.type(id, column));
        if (type == null) {
          return "";
        }
        changes.add(change(relation, column, type));
        types.add(relation.name() + "." + column + " " + type);
      }
    }
    return !changes.isEmpty() && wouldCommute(text, changes) ? String.join(", ", types) : "";
  }

  private static String commuting(String type) {
    if (type == null) {
      return null;
    }
    return switch (type) {
      case "smallint", "integer", "bigint" -> "abelian.counter";
      default -> type.startsWith("numeric") ? "abelian.decimal_counter" : null;
    };
  }

  private static String change(RelationFacts relation, String column, String type) {
    String plain = type.equals("abelian.counter") ? "bigint" : "numeric";
    String name = quoted(column);
    return "ALTER TABLE "
        + quoted(relation.schema())
        + "."
        + quoted(relation.name())
        + " ALTER COLUMN "
        + name
        + " DROP DEFAULT, ALTER COLUMN "
        + name
        + " TYPE "
        + type
        + " USING "
        + name
        + "::"
        + plain
        + "::"
        + type;
  }

  private boolean wouldCommute(String text, List<String> changes) {
    try {
      scratch.setAutoCommit(false);
      try (Statement statement = scratch.createStatement()) {
        for (String change : changes) {
          statement.execute(change);
        }
        List<StatementFacts> facts = new Analysis(scratch).of(text).statements();
        return facts.size() == 1
            && facts.get(0).change().blind() != null
            && facts.get(0).change().blind().redo() != null;
      } catch (SQLException notPossible) {
        // An index, a constraint or a view stands in the way: then so it does for the user.
        return false;
      } finally {
        scratch.rollback();
        scratch.setAutoCommit(true);
      }
    } catch (SQLException lost) {
      throw new org.abelian.advisor.AdvisorException(
          "the node that analyses statements is lost: " + lost.getMessage(), lost);
    }
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }
}
