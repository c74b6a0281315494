package org.abelian.workloads.micro;

import java.util.Locale;

/**
 * A transaction as a pgbench script: four different objects, each read or operated on, in the order
 * of their keys.
 *
 * <p>The order is that of careful applications: without it, transactions that lock the same objects
 * in different orders deadlock, and every variant measures deadlock_timeout. Popularity has nothing
 * to do with the order: neighbours in popularity have distant keys.
 */
final class TransactionScript {
  private static final int OPERATIONS = 4;

  /** Comparisons that sort four values. */
  private static final int[][] SORTING_NETWORK = {{1, 2}, {3, 4}, {1, 3}, {2, 4}, {2, 3}};

  /** Spreads ranks over keys; has no factor in common with sizes that are powers of ten. */
  private static final int SPREAD = 7919;

  private final StringBuilder script = new StringBuilder();

  private TransactionScript() {}

  static String of(Objects objects, Variety variety, Point point, int size, int roundTrip) {
    TransactionScript script = new TransactionScript();
    script.ranks(point, size);
    script.keys(size);
    script.statements(objects, variety, point, roundTrip);
    return script.script.toString();
  }

  /** Four different ranks of popularity, from 1; one that is drawn twice gives way to the next. */
  private void ranks(Point point, int size) {
    for (int i = 1; i <= OPERATIONS; i++) {
      line("\\set r%d %s", i, rank(point.zipf(), size));
    }
    sort("r");
    for (int i = 2; i <= OPERATIONS; i++) {
      line("\\set r%d greatest(:r%d, :r%d + 1)", i, i, i - 1);
    }
  }

  /**
   * pgbench draws Zipf ranks for exponents above 1 only; below, the continuous power law is
   * inverted.
   */
  private static String rank(double zipf, int size) {
    if (zipf == 0) {
      return "random(1, %d)".formatted(size);
    }
    if (zipf > 1) {
      return String.format(Locale.ROOT, "random_zipfian(1, %d, %s)", size, zipf);
    }
    String uniform = "(random(0, 999999999) / 1000000000.0)";
    String power =
        zipf == 1
            ? String.format(Locale.ROOT, "exp(%s * ln(%d.0))", uniform, size + 1)
            : String.format(
                Locale.ROOT,
                "pow(%s * (pow(%d.0, %s) - 1) + 1, %s)",
                uniform,
                size + 1,
                1 - zipf,
                1 / (1 - zipf));
    return "least(%d, greatest(1, int(%s - 0.5)))".formatted(size, power);
  }

  private void keys(int size) {
    for (int i = 1; i <= OPERATIONS; i++) {
      line("\\set k%d :r%d * %d %% %d + 1", i, i, SPREAD, size);
    }
    sort("k");
  }

  private void sort(String name) {
    for (int[] pair : SORTING_NETWORK) {
      String low = name + pair[0];
      String high = name + pair[1];
      line("\\set least least(:%s, :%s)", low, high);
      line("\\set %s greatest(:%s, :%s)", high, low, high);
      line("\\set %s :least", low);
    }
  }

  /**
   * BEGIN goes out together with the first statement, as drivers send it, so that a transaction
   * costs one round trip more than its statements alone: that of its end.
   */
  private void statements(Objects objects, Variety variety, Point point, int roundTrip) {
    Objects.Form form = objects.form(variety);
    String table = objects.table(variety);
    for (int i = 1; i <= OPERATIONS; i++) {
      line("\\set o%d random(1, 100)", i);
      line("\\set x%d random(1, %d)", i, Objects.ELEMENTS);
    }
    if (variety.hasTransactions()) {
      line("\\startpipeline");
      line("BEGIN;");
    }
    for (int i = 1; i <= OPERATIONS; i++) {
      line("\\if :o%d <= %d", i, point.adds());
      line(statement(form.add(), table, i));
      line("\\else");
      line(statement(form.read() + variety.lockingClause() + ";", table, i));
      line("\\endif");
      if (variety.hasTransactions() && i == 1) {
        line("\\endpipeline");
      }
      travel(roundTrip);
    }
    if (variety.hasTransactions()) {
      line("END;");
      travel(roundTrip);
    }
  }

  private static String statement(String form, String table, int number) {
    return form.formatted(table).replace(":k", ":k" + number).replace(":x", ":x" + number);
  }

  private void travel(int roundTrip) {
    if (roundTrip > 0) {
      line("\\sleep %d us", roundTrip);
    }
  }

  private void line(String format, Object... arguments) {
    script.append(arguments.length == 0 ? format : format.formatted(arguments)).append('\n');
  }
}
