package org.abelian.histories.program;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Makes small programs from a seed: three to five sessions of a few statements over three keys,
 * most of them on the first, since conflicts are what the checker wants to see. Every amount and
 * every written value is distinct, so that a sum tells which additions it contains.
 */
public final class Generator {
  private static final int KEYS = 3;
  private static final List<Column> ALL_COLUMNS = List.of(Column.values());

  private static final List<Column> PLAIN_COLUMNS = List.of(Column.STATUS, Column.NOTE);

  private final Random random;
  private final Level level;
  private int amounts;
  private int values;

  private Generator(long seed, Level level) {
    this.random = new Random(seed);
    this.level = level;
  }

  public static Program generate(long seed, Level level) {
    return new Generator(seed, level).program(seed);
  }

  private Program program(long seed) {
    List<Row> rows = new ArrayList<>();
    for (int id = 1; id <= KEYS; id++) {
      if (id < KEYS || random.nextBoolean()) {
        rows.add(newRow(id));
      }
    }
    int sessions = 3 + random.nextInt(3);
    List<List<Transaction>> all = new ArrayList<>();
    for (int i = 0; i < sessions; i++) {
      all.add(session());
    }
    return new Program(seed, level, rows, all);
  }

  private List<Transaction> session() {
    int statements = 2 + random.nextInt(4);
    List<Transaction> transactions = new ArrayList<>();
    while (statements > 0) {
      int size = 1 + random.nextInt(Math.min(3, statements));
      statements -= size;
      transactions.add(transaction(size));
    }
    return transactions;
  }

  private Transaction transaction(int size) {
    List<Statement> statements = new ArrayList<>();
    boolean savepoint = size > 1 && random.nextInt(3) == 0;
    for (int i = 0; i < size; i++) {
      if (savepoint && i == 1) {
        statements.add(new Statement.Savepoint(Statement.Savepoint.Action.SET, "s"));
      }
      statements.add(statement());
    }
    if (savepoint) {
      boolean undo = random.nextBoolean();
      statements.add(
          new Statement.Savepoint(
              undo ? Statement.Savepoint.Action.ROLLBACK_TO : Statement.Savepoint.Action.RELEASE,
              "s"));
      if (undo || random.nextBoolean()) {
        statements.add(statement());
      }
    }
    return new Transaction(statements, end());
  }

  private Transaction.End end() {
    int dice = random.nextInt(20);
    if (dice < 14) {
      return Transaction.End.COMMIT;
    }
    if (dice < 17) {
      return Transaction.End.ROLLBACK;
    }
    return dice < 19 ? Transaction.End.COMMIT_PREPARED : Transaction.End.ROLLBACK_PREPARED;
  }

  private Statement statement() {
    int dice = random.nextInt(100);
    if (dice < 38) {
      return update(List.of(operation()));
    }
    if (dice < 44) {
      return update(mixed());
    }
    if (dice < 60) {
      return update(List.of(overwrite()));
    }
    if (dice < 76) {
      return read();
    }
    if (dice < 81) {
      return new Statement.Select(Condition.ids(keys()), ALL_COLUMNS, true);
    }
    if (dice < 86) {
      return new Statement.Delete(where(), returning());
    }
    return dice < 97 || !seesConflicts() ? insert() : new Statement.Copy(key(), key());
  }

  private Statement update(List<Assignment> set) {
    if (random.nextInt(8) == 0) {
      return new Statement.Update(where(), set, List.of(), contained(), form());
    }
    List<Column> returning = returning();
    boolean asks = returning != null && random.nextInt(4) == 0;
    return new Statement.Update(where(), set, returning, asks ? contained() : null, form());
  }

  /**
   * Of all columns, or of plain columns where a collection contains an element: nothing else is
   * asked.
   */
  private Statement read() {
    if (random.nextInt(3) > 0) {
      return new Statement.Select(where(), ALL_COLUMNS, false);
    }
    String status = random.nextInt(4) == 0 ? status() : null;
    return new Statement.Select(
        new Condition(keys(), status, null, contained()), PLAIN_COLUMNS, false);
  }

  private Condition.Element contained() {
    List<Column> columns =
        List.of(Column.TAGS, Column.TAGS, Column.SCORES, Column.COUNTS, Column.ENTRIES);
    return new Condition.Element(columns.get(random.nextInt(columns.size())), element());
  }

  /**
   * Whether ON CONFLICT DO NOTHING is a read like any other. PostgreSQL's SERIALIZABLE does not
   * track it: over plain columns, too, a transaction that met a row so and one that deleted it may
   * have no serial order.
   */
  private boolean seesConflicts() {
    return level != Level.SERIALIZABLE;
  }

  private Statement insert() {
    return switch (random.nextInt(seesConflicts() ? 5 : 4)) {
      case 0 -> new Statement.Insert(newRow(key()), Statement.OnConflict.FAIL, List.of());
      case 4 -> new Statement.Insert(newRow(key()), Statement.OnConflict.DO_NOTHING, List.of());
      default ->
          new Statement.Insert(
              newRow(key()),
              Statement.OnConflict.DO_UPDATE,
              random.nextInt(3) == 0 ? mixed() : List.of(operation()));
    };
  }

  private List<Assignment> mixed() {
    return switch (random.nextInt(10)) {
      case 0 -> List.of(add(Column.COUNTER), add(Column.DECIMAL));
      case 1 -> List.of(add(Column.COUNTER), set(Column.STATUS));
      case 2 -> List.of(set(Column.NOTE), add(Column.DECIMAL));
      case 3 -> List.of(tags(), scores());
      case 4 -> List.of(tags(), set(Column.STATUS));
      case 5 -> List.of(scores(), add(Column.COUNTER));
      case 6 -> List.of(set(Column.NOTE), highest());
      case 7 -> List.of(counts(), entries());
      case 8 -> List.of(entries(), set(Column.STATUS));
      default -> List.of(add(Column.COUNTER), set(Column.NOTE));
    };
  }

  private Assignment operation() {
    if (random.nextInt(8) == 0) {
      return new Assignment(Column.COUNTER, Assignment.Kind.ADD_NOTE, null);
    }
    return switch (random.nextInt(14)) {
      case 0 -> add(Column.DECIMAL);
      case 1, 2, 3 -> tags();
      case 4, 5 -> scores();
      case 6 -> highest();
      case 7, 8 -> counts();
      case 9, 10 -> entries();
      default -> add(Column.COUNTER);
    };
  }

  private Assignment tags() {
    return new Assignment(
        Column.TAGS,
        random.nextBoolean() ? Assignment.Kind.ADD : Assignment.Kind.REMOVE,
        element());
  }

  private Assignment scores() {
    String element = element();
    BigDecimal amount = amount();
    return switch (random.nextInt(4)) {
      case 0 -> new Assignment(Column.SCORES, Assignment.Kind.REMOVE, element);
      case 1 ->
          new Assignment(
              Column.SCORES, Assignment.Kind.PUT, new Assignment.Score(element, newValue()));
      default ->
          new Assignment(Column.SCORES, Assignment.Kind.ADD, new Assignment.Score(element, amount));
    };
  }

  private Assignment counts() {
    boolean adds = random.nextBoolean();
    BigDecimal number = adds ? amount() : Column.number(1L << random.nextInt(amounts + 1));
    return new Assignment(
        Column.COUNTS,
        adds ? Assignment.Kind.ADD : Assignment.Kind.REMOVE,
        new Assignment.Score(element(), number));
  }

  private Assignment entries() {
    return random.nextInt(3) == 0
        ? new Assignment(Column.ENTRIES, Assignment.Kind.REMOVE, element())
        : new Assignment(
            Column.ENTRIES, Assignment.Kind.PUT, new Assignment.Entry(element(), newText()));
  }

  /** Different from all others that are added. */
  private BigDecimal amount() {
    return Column.number(1L << Math.min(amounts++, 40));
  }

  private String newText() {
    return "v" + ++values;
  }

  private Assignment highest() {
    return new Assignment(
        Column.HIGHEST, Assignment.Kind.ADD, Column.number(1 + random.nextInt(100)));
  }

  /** Most are the first, since conflicts are what the checker wants to see. */
  private String element() {
    return Column.ELEMENTS.get(random.nextBoolean() ? 0 : random.nextInt(Column.ELEMENTS.size()));
  }

  private Set<String> someTags() {
    Set<String> tags = new TreeSet<>();
    for (String element : Column.ELEMENTS) {
      if (random.nextBoolean()) {
        tags.add(element);
      }
    }
    return tags;
  }

  private Assignment overwrite() {
    return switch (random.nextInt(14)) {
      case 12 -> new Assignment(Column.COUNTS, Assignment.Kind.SET, someCounts());
      case 13 -> new Assignment(Column.ENTRIES, Assignment.Kind.SET, someEntries());
      case 10 -> new Assignment(Column.TAGS, Assignment.Kind.SET, someTags());
      case 11 -> new Assignment(Column.NOTE, Assignment.Kind.COPY_SIZE, null);
      case 0 -> new Assignment(Column.COUNTER, Assignment.Kind.DOUBLE, null);
      case 1 -> set(Column.COUNTER);
      case 2 -> set(Column.DECIMAL);
      case 3 -> new Assignment(Column.NOTE, Assignment.Kind.COPY_COUNTER, null);
      case 4 -> add(Column.NOTE);
      case 5, 6 -> set(Column.NOTE);
      default -> set(Column.STATUS);
    };
  }

  private Assignment add(Column column) {
    BigDecimal amount = BigDecimal.valueOf(1L << Math.min(amounts++, 40));
    if (column == Column.DECIMAL) {
      amount = amount.movePointLeft(Column.SCALE);
    }
    boolean minus = random.nextInt(6) == 0;
    return new Assignment(
        column, Assignment.Kind.ADD, Column.number(minus ? amount.negate() : amount));
  }

  private Assignment set(Column column) {
    Object value = column == Column.STATUS ? status() : newValue();
    if (column == Column.COUNTER && random.nextInt(6) == 0) {
      value = null;
    }
    return new Assignment(column, Assignment.Kind.SET, value);
  }

  private Row newRow(int id) {
    return Row.of(id, status(), newValue(), someTags())
        .with(Column.COUNTS, someCounts())
        .with(Column.ENTRIES, someEntries());
  }

  private Map<String, BigDecimal> someCounts() {
    Map<String, BigDecimal> counts = new TreeMap<>();
    someTags().forEach(element -> counts.put(element, amount()));
    return counts;
  }

  private Map<String, String> someEntries() {
    Map<String, String> entries = new TreeMap<>();
    someTags().forEach(key -> entries.put(key, newText()));
    return entries;
  }

  /** Far above all sums of amounts, so that an overwritten counter shows what overwrote it. */
  private BigDecimal newValue() {
    return Column.number(++values * 1_000_000_000_000L);
  }

  private String status() {
    return random.nextInt(3) == 0 ? "closed" : "open";
  }

  private Condition where() {
    List<Integer> keys = keys();
    int dice = random.nextInt(12);
    if (dice < 3) {
      return new Condition(keys, status(), null, null);
    }
    if (dice == 3) {
      return new Condition(keys, null, Column.number(1L << random.nextInt(amounts + 1)), null);
    }
    if (dice == 4) {
      return new Condition(keys, null, null, contained());
    }
    return Condition.ids(keys);
  }

  private List<Integer> keys() {
    if (random.nextInt(4) > 0) {
      return List.of(key());
    }
    return IntStream.rangeClosed(1, 2 + random.nextInt(KEYS - 1)).boxed().toList();
  }

  private int key() {
    return random.nextInt(5) < 3 ? 1 : 1 + random.nextInt(KEYS);
  }

  private List<Column> returning() {
    return switch (random.nextInt(8)) {
      case 0 -> ALL_COLUMNS;
      case 1 -> List.of(Column.COUNTER);
      case 2 -> List.of(Column.NOTE, Column.TAGS);
      case 3 -> List.of();
      default -> null;
    };
  }

  private Statement.Form form() {
    Statement.Form[] forms = Statement.Form.values();
    return random.nextInt(3) > 0 ? Statement.Form.LITERAL : forms[random.nextInt(forms.length)];
  }
}
