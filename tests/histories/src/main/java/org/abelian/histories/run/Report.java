package org.abelian.histories.run;

import java.util.List;
import java.util.TreeMap;
import org.abelian.histories.program.Program;
import org.abelian.histories.program.Row;
import org.abelian.histories.program.SqlText;
import org.abelian.histories.program.Tuple;

/** Prints a history for people: every sending and answer in the order in which they happened. */
public final class Report {
  private Report() {}

  public static String of(History history) {
    Program program = history.program();
    StringBuilder text = new StringBuilder();
    text.append("seed ").append(program.seed()).append(", ").append(program.level().sql());
    text.append("\nat first");
    for (Row row : program.rows()) {
      text.append(' ').append(new Tuple(row.id(), row.values()));
    }
    TreeMap<Long, String> lines = new TreeMap<>();
    for (int s = 0; s < history.sessions().size(); s++) {
      for (Execution execution : history.sessions().get(s)) {
        describe(execution, "  ".repeat(s) + "S" + s, lines);
      }
    }
    lines.forEach((time, line) -> text.append("\n%4d ".formatted(time)).append(line));
    return text.append('\n').toString();
  }

  private static void describe(Execution execution, String who, TreeMap<Long, String> lines) {
    SqlText sql = new SqlText("t", 0);
    List<Outcome> outcomes = execution.statements();
    for (int i = 0; i < outcomes.size(); i++) {
      String statement = sql.render(execution.transaction().statements().get(i));
      if (!sql.parameters().isEmpty()) {
        statement += " -- " + sql.parameters();
      }
      line(outcomes.get(i), who, statement, lines);
    }
    if (!execution.statements().contains(execution.end())) {
      line(execution.end(), who, execution.transaction().end().toString(), lines);
    }
  }

  private static void line(Outcome outcome, String who, String what, TreeMap<Long, String> lines) {
    String answer =
        outcome.failed()
            ? "error " + outcome.sqlState()
            : outcome.answer().rows().isEmpty()
                ? "" + outcome.answer().count()
                : outcome.answer().rows().toString();
    if (outcome.answered() == outcome.sent() + 1) {
      lines.put(outcome.sent(), who + " " + what + "  => " + answer);
    } else {
      lines.put(outcome.sent(), who + " " + what + "  ...");
      lines.put(outcome.answered(), who + " ... => " + answer);
    }
  }
}
