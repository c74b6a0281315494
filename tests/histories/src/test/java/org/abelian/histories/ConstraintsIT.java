package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.broken.UncheckedTwin;
import org.abelian.histories.constraints.Difference;
import org.abelian.histories.constraints.Scenario;
import org.abelian.histories.constraints.ScenarioGenerator;
import org.abelian.histories.constraints.Step;
import org.abelian.histories.constraints.Twin;
import org.junit.jupiter.api.Test;

/**
 * Random schemas with constraints of all kinds, deferred ones above all, and random transactions of
 * one session on them: every statement ends over counters as it does over {@code bigint}, and
 * leaves the same rows. System property {@code abelian.scenarios} sets how many, {@code
 * abelian.seed} the first seed.
 */
@WithNode(
    settings = {
      "deadlock_timeout=10ms",
      "abelian.fold_interval=5ms",
      "abelian.fold_after=1ms",
      "abelian.hot_for=10min"
    })
class ConstraintsIT {
  private static final int COUNT = Integer.getInteger("abelian.scenarios", 60);
  private static final int BROKEN_SCENARIOS_MAX = 1000;
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private final LocalNode node;

  ConstraintsIT(LocalNode node) {
    this.node = node;
  }

  @Test
  void everyStatementEndsAsItDoesOverPlainColumns() throws SQLException {
    try (Connection one = node.connect();
        Connection other = node.connect()) {
      Difference difference =
          new Difference(
              new Twin(one, "constraints_plain", "bigint"),
              new Twin(other, "constraints_abelian", "abelian.counter"));
      for (long seed = SEED; seed < SEED + COUNT; seed++) {
        String found = difference.find(new ScenarioGenerator(seed).draw()).orElse(null);
        if (found != null) {
          fail("seed " + seed + "\n" + found);
        }
      }
      int violations = difference.violations();
      System.out.println(
          COUNT + " scenarios from seed " + SEED + ", " + violations + " violations");
      assertTrue(violations > COUNT, "hardly any constraint was violated, seed " + SEED);
    }
  }

  @Test
  void noticesAdditionsThatDeferredChecksAreNotToldOf() throws SQLException {
    try (Connection one = node.connectAsSuperuser();
        Connection other = node.connectAsSuperuser()) {
      Difference difference =
          new Difference(new Twin(one, "checked", "bigint"), new UncheckedTwin(other, "unchecked"));
      Optional<String> found = Optional.empty();
      for (long seed = SEED; found.isEmpty() && seed < SEED + BROKEN_SCENARIOS_MAX; seed++) {
        found = difference.find(new ScenarioGenerator(seed).draw());
      }
      assertTrue(found.isPresent(), "not noticed from seed " + SEED);
    }
  }

  /** A scenario that differs by itself, since it names the type, is noticed and made smaller. */
  @Test
  void aDifferenceIsFoundAndMadeSmaller() throws SQLException {
    try (Connection one = node.connect();
        Connection other = node.connect()) {
      Twin plain = new Twin(one, "different_plain", "bigint");
      Twin abelian = new Twin(other, "different_abelian", "abelian.counter");
      Scenario scenario =
          new Scenario(
              List.of("CREATE TABLE child (n {type})", "CREATE TABLE parent (id int)"),
              List.of(
                  new Step("SELECT 1", false),
                  new Step("SELECT '{type}'", false),
                  new Step("SELECT 2", false)),
              List.of());
      String found = new Difference(plain, abelian).find(scenario).orElse("");
      assertEquals(1, found.split("Step\\[", -1).length - 1, found);
      assertTrue(found.contains("SELECT '{type}'"), found);
    }
  }
}
