package org.abelian.advisor.benchmark;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.abelian.advisor.validation.Judgement;

/** Results as tables for the terminal. */
public final class ResultText {
  private final StringBuilder text = new StringBuilder();

  private ResultText() {}

  /** All tables. */
  public static String of(Collection<WorkloadResult> results) {
    ResultText text = new ResultText();
    text.shares(results);
    results.forEach(text::classes);
    text.phases(results);
    return text.text.toString();
  }

  private void shares(Collection<WorkloadResult> results) {
    line("Distributed transactions, in %% of those held out");
    line(
        "%-12s %5s %8s %8s %8s %10s %9s %5s %5s  %s",
        "",
        "nodes",
        "manual",
        "hash",
        "advised",
        "of manual",
        "to all",
        "load",
        "rows",
        "placement");
    for (WorkloadResult one : results) {
      line(
          "%-12s %5d %8.2f %8.2f %8.2f %10.3f %9.2f %5.2f %5.2f  %s",
          one.title(),
          one.nodes(),
          100 * one.manual().distributed(),
          100 * one.hash().distributed(),
          100 * one.advised().distributed(),
          one.distributedOverManual(),
          100 * one.advised().misrouted(),
          one.advised().loadBalance(),
          one.advised().rowBalance(),
          one.advised().name() + ", " + one.advised().title());
    }
  }

  private void classes(WorkloadResult result) {
    line("");
    line("%s, distributed share of each class in %%", result.title());
    line("%-32s %8s %8s %8s %8s", "", "of all", "manual", "hash", "advised");
    for (Judgement.OfClass one : result.advised().classes()) {
      line(
          "%-32s %8.2f %8.2f %8.2f %8.2f",
          one.name(),
          100 * one.share(),
          100 * distributed(result.manual(), one.name()),
          100 * distributed(result.hash(), one.name()),
          100 * one.distributed());
    }
  }

  private static double distributed(Judgement judgement, String name) {
    return judgement.classes().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow()
        .distributed();
  }

  private void phases(Collection<WorkloadResult> results) {
    List<PhaseCost> first = results.iterator().next().phases();
    line("");
    line("Seconds, and greatest resident memory in MiB, by phase");
    StringBuilder head = new StringBuilder(String.format("%-12s", ""));
    first.forEach(phase -> head.append(String.format("%16s", phase.phase())));
    line("%s", head + String.format("%10s", "all"));
    for (WorkloadResult one : results) {
      StringBuilder row = new StringBuilder(String.format("%-12s", one.title()));
      one.phases()
          .forEach(
              phase ->
                  row.append(
                      String.format(Locale.ROOT, "%9.1f %6d", phase.seconds(), phase.mebibytes())));
      line("%s", row + String.format(Locale.ROOT, "%10.1f", one.seconds()));
    }
  }

  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
  }
}
