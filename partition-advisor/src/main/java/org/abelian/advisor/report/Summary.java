package org.abelian.advisor.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.abelian.advisor.placement.Candidate;
import org.abelian.advisor.placement.RuleText;
import org.abelian.advisor.trace.TraceTable;
import org.abelian.advisor.validation.Judgement;
import org.abelian.advisor.validation.TransactionKind;

/** The report for the terminal. */
final class Summary {
  private Summary() {}

  static String text(Advice advice) {
    StringBuilder text = new StringBuilder();
    Candidate chosen = advice.chosen();
    Judgement judgement = advice.validation().judgement(chosen.name());
    text.append(
        String.format(
            Locale.ROOT,
            "Advised for %d nodes: %s%n  %s of %d held-out transactions are distributed; load %s,"
                + " rows %s (greatest over mean)%n",
            advice.explanation().nodes(),
            chosen.title(),
            Percent.of(judgement.distributed()),
            advice.validation().transactions(),
            Percent.ratio(judgement.loadBalance()),
            Percent.ratio(judgement.rowBalance())));
    for (TraceTable table : advice.trace().tables()) {
      List<String> lines = RuleText.lines(chosen.tables().get(table.id()));
      text.append("  ").append(table.id()).append(": ").append(lines.get(0)).append('\n');
      lines.stream().skip(1).forEach(line -> text.append("      ").append(line).append('\n'));
    }
    if (advice.loadable() == null) {
      text.append("None of the placements can be loaded.\n");
    } else if (!advice.loadable().name().equals(chosen.name())) {
      Judgement best = advice.validation().judgement(advice.loadable().name());
      text.append(
          "This placement cannot be loaded. The best that can: "
              + best.name()
              + ", "
              + Percent.of(best.distributed())
              + " distributed, load "
              + Percent.ratio(best.loadBalance())
              + ".\n");
    }
    text.append('\n').append(table(advice));
    Verdict.changes(advice.validation()).forEach(line -> text.append(line).append('\n'));
    appendClasses(text, judgement);
    appendRouting(text, advice);
    appendRetypings(text, judgement);
    notes(advice).forEach(note -> text.append("Note: ").append(note).append('\n'));
    return text.toString();
  }

  static List<String> notes(Advice advice) {
    return Stream.of(
            advice.trace().notes(), advice.explanation().notes(), advice.validation().notes())
        .flatMap(List::stream)
        .distinct()
        .toList();
  }

  private static String table(Advice advice) {
    List<String[]> rows = new ArrayList<>();
    rows.add(
        new String[] {
          "placement",
          "single",
          "reads",
          "commut.",
          "indep.",
          "coord.",
          "to all",
          "nodes",
          "load",
          "rows",
          ""
        });
    for (Judgement one : advice.validation().judgements()) {
      rows.add(
          new String[] {
            one.name(),
            share(one, TransactionKind.SINGLE),
            share(one, TransactionKind.READS),
            share(one, TransactionKind.COMMUTING),
            share(one, TransactionKind.INDEPENDENT),
            share(one, TransactionKind.COORDINATED),
            Percent.of(one.misrouted()),
            Percent.ratio(one.nodes()),
            Percent.ratio(one.loadBalance()),
            Percent.ratio(one.rowBalance()),
            one.name().equals(advice.validation().chosen())
                ? "advised"
                : one.name().equals(advice.validation().loadable()) ? "best loadable" : ""
          });
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.length; column++) {
        int at = column;
        int width = rows.stream().mapToInt(other -> other[at].length()).max().orElse(0);
        line.append(
            String.format(
                column == 0 || column == row.length - 1
                    ? "%-" + (width + 1) + "s "
                    : "%" + width + "s ",
                row[column]));
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static void appendClasses(StringBuilder text, Judgement judgement) {
    text.append("\nDistributed by class of transactions:\n");
    judgement.classes().stream()
        .limit(15)
        .forEach(
            one ->
                text.append(
                    String.format(
                        Locale.ROOT,
                        "  %-40s %6s of all, %6s of it distributed%n",
                        one.name(),
                        Percent.of(one.share()),
                        Percent.of(one.distributed()))));
  }

  private static void appendRouting(StringBuilder text, Advice advice) {
    List<String> lines = routing(advice);
    if (!lines.isEmpty()) {
      text.append("Nodes that follow from arguments:\n");
      lines.forEach(line -> text.append("  ").append(line).append('\n'));
    }
  }

  /** A line for each class that arguments route. */
  static List<String> routing(Advice advice) {
    return advice.validation().routing().stream()
        .filter(one -> !one.arguments().isEmpty())
        .limit(15)
        .map(
            one ->
                one.name()
                    + " by "
                    + one.arguments().stream()
                        .map(number -> "$" + number)
                        .collect(Collectors.joining(", "))
                    + ": all nodes that it needs in "
                    + Percent.of(one.right())
                    + ", others too in "
                    + Percent.of(one.needless()))
        .toList();
  }

  private static void appendRetypings(StringBuilder text, Judgement judgement) {
    if (!judgement.retypings().isEmpty()) {
      text.append("Other column types would save coordinated commits:\n");
      judgement.retypings().stream()
          .limit(5)
          .forEach(
              one ->
                  text.append(
                      "  "
                          + one.types()
                          + ": "
                          + Percent.of(one.saved())
                          + " of transactions would commute\n"));
    }
  }

  private static String share(Judgement judgement, TransactionKind kind) {
    return Percent.of(judgement.shares().getOrDefault(kind, 0.0));
  }
}
