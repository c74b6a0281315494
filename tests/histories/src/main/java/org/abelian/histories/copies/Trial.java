package org.abelian.histories.copies;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Operations, a copy, and operations again, all from one seed. */
public final class Trial {
  private static final int SHOWN = 100;

  private final Random random;
  private final Keeping keeping;
  private final List<String> statements;

  /** Draws one. */
  public Trial(long seed) {
    random = new Random(seed);
    keeping = Keeping.values()[random.nextInt(Keeping.values().length)];
    statements = keeping.statements(random);
  }

  /** Runs it; what is wrong with the copy, if anything. */
  public Optional<String> run(Twins twins) throws SQLException {
    twins.clear();
    twins.execute(List.of("SET abelian.split = " + (random.nextInt(4) == 0 ? "auto" : "always")));
    twins.execute(operations());
    twins.execute(statements);
    List<String> before = twins.copies(keeping.isCursor());
    if (!before.get(0).equals(before.get(1))) {
      return Optional.of("made differently: " + difference(before.get(0), before.get(1)));
    }
    twins.execute(operations());
    List<String> after = twins.copies(keeping.isCursor());
    return before.equals(after)
        ? Optional.empty()
        : Optional.of("changed: " + difference(before.get(1), after.get(1)));
  }

  /** What two texts have where they begin to differ. */
  private static String difference(String one, String other) {
    int start = 0;
    int end = Math.min(one.length(), other.length());
    while (start < end && one.charAt(start) == other.charAt(start)) {
      start++;
    }
    return near(one, start) + " and " + near(other, start);
  }

  private static String near(String text, int place) {
    return text.substring(Math.max(0, place - SHOWN), Math.min(text.length(), place + SHOWN));
  }

  private List<String> operations() {
    List<String> texts = new ArrayList<>();
    int count = 2 + random.nextInt(4);
    for (int n = 0; n < count; n++) {
      texts.add(operation());
    }
    return texts;
  }

  private String operation() {
    int amount = 1 + random.nextInt(100);
    String some = random.nextBoolean() ? "" : " WHERE id = " + (1 + random.nextInt(4));
    return switch (random.nextInt(8)) {
      case 0 -> "UPDATE page SET likes = " + amount + some;
      case 1 -> "UPDATE page SET note = 'note " + amount + "'" + some;
      case 2 -> "UPDATE page SET likes = likes * 2, total = total + id" + some;
      case 3 ->
          "WITH gone AS (DELETE FROM page WHERE id = 4 RETURNING *) INSERT INTO page SELECT 5,"
              + " likes, total, best, note FROM gone";
      default ->
          "UPDATE page SET likes = likes + %1$d, total = total - 0.%1$d, best = greatest(best, %1$d)"
                  .formatted(amount)
              + some;
    };
  }

  @Override
  public String toString() {
    return keeping + ": " + String.join("; ", statements);
  }
}
