package org.abelian.histories.constraints;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds where a scenario ends otherwise over Abelian columns, and what of it is needed for that.
 */
public final class Difference {
  private static final int RUNS_MAX = 2_000;
  private static final String PENDING_CHECKS = "error 55006";
  private static final Set<String> DEFERRABLE = Set.of("error 23503", "error 23505", "error 23P01");

  private final Twin plain;
  private final Twin other;
  private int runs;
  private int violations;

  public Difference(Twin plain, Twin other) {
    this.plain = plain;
    this.other = other;
  }

  /** How many statements of the scenarios so far have violated a constraint of plain columns. */
  public int violations() {
    return violations;
  }

  /** What differs in a scenario, with as few steps as still show it; empty if nothing does. */
  public Optional<String> find(Scenario scenario) throws SQLException {
    if (complaint(scenario).isEmpty()) {
      return Optional.empty();
    }
    runs = 0;
    Scenario smallest = scenario;
    for (Optional<Scenario> smaller = smaller(smallest);
        smaller.isPresent();
        smaller = smaller(smallest)) {
      smallest = smaller.get();
    }
    return complaint(smallest);
  }

  private Optional<Scenario> smaller(Scenario scenario) throws SQLException {
    for (int i = scenario.steps().size() - 1; i >= 0; i--) {
      Scenario candidate = scenario.withoutStep(i);
      if (runs++ < RUNS_MAX && complaint(candidate).isPresent()) {
        return Optional.of(candidate);
      }
    }
    for (int i = scenario.schema().size() - 1; i >= 0; i--) {
      Scenario candidate = scenario.withoutCommand(i);
      if (runs++ < RUNS_MAX && complaint(candidate).isPresent()) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  /**
   * Of several violated constraints that can be checked together, PostgreSQL reports the one whose
   * check was queued first. That depends on which versions of a row have index entries of their
   * own, and is not compared.
   */
  private static boolean isSame(String expected, String found) {
    return expected.equals(found) || DEFERRABLE.contains(expected) && DEFERRABLE.contains(found);
  }

  private Optional<String> complaint(Scenario scenario) throws SQLException {
    List<String> expected = plain.run(scenario, false);
    violations += (int) expected.stream().filter(one -> one.startsWith("error 23")).count();
    List<String> found = other.run(scenario, true);
    for (int i = 0; i < expected.size(); i++) {
      if (expected.get(i).equals(PENDING_CHECKS) && !found.get(i).startsWith("error")) {
        // TRUNCATE after operations in slices, which queue no checks of new versions. What follows
        // has other rows to work on.
        return Optional.empty();
      }
      if (!isSame(expected.get(i), found.get(i))) {
        return Optional.of(
            String.join("\n", scenario.schema())
                + "\n-- over the other columns: "
                + scenario.settings()
                + "\n"
                + String.join("\n", scenario.steps().stream().map(Step::toString).toList())
                + "\n-- outcomes over plain columns: "
                + expected
                + "\n-- the one that differs: "
                + expected.get(i)
                + "\n-- over the other columns: "
                + found.get(i));
      }
    }
    return Optional.empty();
  }
}
