package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Makes programs from a seed whose transactions could only queue for rows of plain columns, never
 * fail: {@link Queueing} says why. They operate, and then use what they have changed.
 */
public final class QueueingGenerator {
  private static final int KEYS = 3;
  private static final List<Column> ALL_COLUMNS = List.of(Column.values());
  private static final List<Column> NUMBERS =
      List.of(Column.COUNTER, Column.COUNTER, Column.DECIMAL, Column.HIGHEST);

  private final Random random;
  private int amounts;
  private int values;

  private QueueingGenerator(long seed) {
    this.random = new Random(seed);
  }

  public static Program generate(long seed) {
    return new QueueingGenerator(seed).program(seed);
  }

  private Program program(long seed) {
    List<Row> rows = new ArrayList<>();
    for (int id = 1; id <= KEYS; id++) {
      rows.add(Row.of(id, "open", newValue(), Set.of("a")));
    }
    int sessions = 3 + random.nextInt(3);
    List<List<Transaction>> all = new ArrayList<>();
    for (int i = 0; i < sessions; i++) {
      List<Transaction> transactions = new ArrayList<>();
      for (int left = 1 + random.nextInt(2); left > 0; left--) {
        transactions.add(transaction());
      }
      all.add(transactions);
    }
    return new Program(seed, Level.READ_COMMITTED, rows, all);
  }

  private Transaction transaction() {
    List<Statement> statements = new ArrayList<>();
    int key = Math.max(1, random.nextInt(KEYS + 4) - 3);
    statements.add(first(key));
    for (int more = random.nextInt(4); more > 0; more--) {
      statements.add(again(key));
    }
    if (random.nextInt(8) == 0) {
      statements.add(new Statement.Select(Condition.ids(List.of(1, 2, 3)), ALL_COLUMNS, false));
    }
    int dice = random.nextInt(12);
    return new Transaction(
        statements,
        dice == 0
            ? Transaction.End.ROLLBACK
            : dice == 1 ? Transaction.End.COMMIT_PREPARED : Transaction.End.COMMIT);
  }

  /** Whatever the transaction has not touched, it may change as it likes. */
  private Statement first(int key) {
    return switch (random.nextInt(16)) {
      case 0 -> new Statement.Select(Condition.ids(List.of(key)), ALL_COLUMNS, true);
      case 1 -> update(key, List.of(set(Column.COUNTER)), null);
      case 2 -> update(key, List.of(set(Column.STATUS)), null);
      case 3 -> update(key, List.of(add(Column.COUNTER), set(Column.NOTE)), null);
      case 4 ->
          new Statement.Update(
              new Condition(List.of(key), "open", null, null),
              List.of(add(Column.COUNTER)),
              null,
              null,
              Statement.Form.LITERAL);
      case 5 -> update(key, List.of(tag()), null);
      case 6 -> update(key, List.of(add(Column.COUNTER), add(Column.DECIMAL)), null);
      case 7 -> update(key, List.of(add(Column.COUNTER)), List.of(Column.COUNTER));
      default -> update(key, List.of(number()), null);
    };
  }

  /** What the transaction has touched, it may look at, and at numbers it may go on to work. */
  private Statement again(int key) {
    return switch (random.nextInt(10)) {
      case 0 -> update(key, List.of(number()), null);
      case 1 -> update(key, List.of(add(Column.COUNTER)), List.of(Column.COUNTER));
      case 2 -> update(key, List.of(set(Column.COUNTER)), null);
      case 3 ->
          update(key, List.of(new Assignment(Column.COUNTER, Assignment.Kind.DOUBLE, null)), null);
      case 4 -> new Statement.Select(Condition.ids(List.of(key)), ALL_COLUMNS, true);
      case 5 -> new Statement.Select(Condition.ids(List.of(1, 2, 3)), ALL_COLUMNS, false);
      case 6 ->
          new Statement.Select(
              new Condition(List.of(key), null, null, new Condition.Element(Column.TAGS, "a")),
              List.of(Column.STATUS),
              false);
      default -> new Statement.Select(Condition.ids(List.of(key)), ALL_COLUMNS, false);
    };
  }

  private static Statement update(int key, List<Assignment> set, List<Column> returning) {
    return new Statement.Update(
        Condition.ids(List.of(key)), set, returning, null, Statement.Form.LITERAL);
  }

  private Assignment number() {
    return add(NUMBERS.get(random.nextInt(NUMBERS.size())));
  }

  private Assignment add(Column column) {
    BigDecimal amount = BigDecimal.valueOf(1L << Math.min(amounts++, 40));
    if (column == Column.DECIMAL) {
      amount = amount.movePointLeft(Column.SCALE);
    }
    return new Assignment(column, Assignment.Kind.ADD, Column.number(amount));
  }

  private Assignment tag() {
    String element = Column.ELEMENTS.get(random.nextInt(Column.ELEMENTS.size()));
    Assignment.Kind kind = random.nextBoolean() ? Assignment.Kind.ADD : Assignment.Kind.REMOVE;
    return new Assignment(Column.TAGS, kind, element);
  }

  private Assignment set(Column column) {
    Object value = column == Column.STATUS ? "closed" : newValue();
    return new Assignment(column, Assignment.Kind.SET, value);
  }

  /** Far above all sums of amounts, so that an overwritten counter shows what overwrote it. */
  private BigDecimal newValue() {
    return Column.number(++values * 1_000_000_000_000L);
  }
}
