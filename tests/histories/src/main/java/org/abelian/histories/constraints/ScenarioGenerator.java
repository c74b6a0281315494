package org.abelian.histories.constraints;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Draws scenarios from a seed. */
public final class ScenarioGenerator {
  private static final int TRANSACTIONS = 6;
  private static final int STEPS_MAX = 8;
  private static final String[] LEVELS = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};

  private final Random random;
  private final List<Step> steps = new ArrayList<>();

  /** The row that most statements of a transaction are about. */
  private int focus;

  /** The same seed gives the same scenario. */
  public ScenarioGenerator(long seed) {
    random = new Random(seed);
  }

  /** The scenario of the seed. */
  public Scenario draw() {
    List<String> schema = new SchemaGenerator(random).draw();
    for (int i = 0; i < TRANSACTIONS; i++) {
      transaction();
    }
    List<String> settings = new ArrayList<>();
    settings.add("SET abelian.split = " + pick("auto", "auto", "always", "never"));
    if (oneIn(8)) {
      settings.add("SET abelian.concurrent_operations = off");
    }
    return new Scenario(schema, steps, settings);
  }

  private void transaction() {
    focus = small();
    if (oneIn(4)) {
      add(statement(), false);
      return;
    }
    if (oneIn(3)) {
      insertAndOperate();
      return;
    }
    add("BEGIN ISOLATION LEVEL " + pick(LEVELS[0], LEVELS[0], LEVELS[1], LEVELS[2]), false);
    boolean kept = random.nextBoolean();
    int savepoints = 0;
    for (int i = 1 + random.nextInt(STEPS_MAX); i > 0; i--) {
      switch (random.nextInt(8)) {
        case 0 -> add("SAVEPOINT s" + ++savepoints, false);
        case 1 -> {
          if (savepoints > 0) {
            add(pick("ROLLBACK TO s", "RELEASE s") + (1 + random.nextInt(savepoints)), kept);
          }
        }
        case 2 -> {
          String operation = operation();
          for (int times = 2 + random.nextInt(5); times > 0; times--) {
            add(operation, kept);
          }
        }
        default -> add(statement(), kept);
      }
    }
    add(oneIn(6) ? "ROLLBACK" : "COMMIT", false);
  }

  /**
   * What is inserted, or changed in its keys, gets new versions before its constraints are checked,
   * so many that it moves to another page.
   */
  private void insertAndOperate() {
    focus = 4 + random.nextInt(3);
    add("BEGIN ISOLATION LEVEL " + pick(LEVELS[0], LEVELS[0], LEVELS[1], LEVELS[2]), false);
    if (oneIn(4)) {
      focus = 1 + random.nextInt(3);
      add("UPDATE child SET " + plainChange() + " WHERE id = " + focus, false);
    } else {
      add(
          String.format(
              "INSERT INTO child (id, p, q, k, r, n, m, a) VALUES (%d, %s, %s, %d, int4range(%d,"
                  + " 9), 1, 1, 1)",
              focus, reference(), reference(), small(), small()),
          false);
    }
    if (oneIn(3)) {
      add("SAVEPOINT inserted", false);
    }
    String operation = "UPDATE child SET n = n + " + random.nextInt(2) + " WHERE id = " + focus;
    for (int times = 1 + random.nextInt(6); times > 0; times--) {
      add(operation, false);
    }
    if (oneIn(4)) {
      add(statement(), true);
    }
    add("COMMIT", false);
  }

  private void add(String sql, boolean kept) {
    steps.add(new Step(sql, kept));
  }

  private String statement() {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5, 6 -> operation();
      case 7, 8, 9 -> insertChild();
      case 10 -> "INSERT INTO parent VALUES (" + small() + ", " + small() + ", 1)";
      case 11 -> "UPDATE child SET " + plainChange() + one();
      case 12 -> "UPDATE child SET n = n + " + delta() + ", " + plainChange() + one();
      case 13 -> overwrite();
      case 14 -> pick("DELETE FROM child", "DELETE FROM child", "DELETE FROM parent") + one();
      case 15 -> "UPDATE parent SET id = " + small() + one();
      case 16 -> combined();
      case 17 -> "SET CONSTRAINTS ALL " + pick("DEFERRED", "IMMEDIATE");
      case 18 -> read();
      default -> oneIn(6) ? "TRUNCATE child" : "INSERT INTO key VALUES (" + (8 + small()) + ")";
    };
  }

  private String operation() {
    String change =
        switch (random.nextInt(8)) {
          case 0 -> "n = n + nullif(a, " + small() + ")";
          case 1 -> "n = n - a, m = m + a";
          case 2 -> "m = m + " + delta();
          case 3 -> "n = n + NULL";
          default -> "n = n + " + delta();
        };
    if (oneIn(5)) {
      return "UPDATE parent SET n = n + " + delta() + (oneIn(2) ? "" : one());
    }
    String returning = oneIn(6) ? " RETURNING id, n" : "";
    return "UPDATE child SET " + change + (oneIn(4) ? some() : one()) + returning;
  }

  private String insertChild() {
    String rest =
        oneIn(4)
            ? " ON CONFLICT (id) DO " + pick("NOTHING", "UPDATE SET n = child.n + EXCLUDED.n")
            : "";
    return String.format(
        "INSERT INTO child (id, p, q, k, r, n, m, a) VALUES (%d, %s, %s, %d, %s, %s, %d, %d)%s",
        row(),
        reference(),
        reference(),
        small(),
        oneIn(3) ? "'empty'" : "int4range(" + small() + ", 9)",
        oneIn(8) ? "NULL" : "" + random.nextInt(4),
        random.nextInt(3),
        random.nextInt(5) - 1,
        rest);
  }

  private String plainChange() {
    return switch (random.nextInt(6)) {
      case 0 -> "p = " + reference();
      case 1 -> "q = " + reference();
      case 2 -> "k = " + small();
      case 3 -> "r = int4range(" + small() + ", 9)";
      case 4 -> "id = " + small();
      default -> "a = " + (random.nextInt(6) - 1);
    };
  }

  private String overwrite() {
    return "UPDATE child SET n = "
        + pick("" + random.nextInt(8), "n * 2", "a", "m", "NULL", "n + m")
        + one();
  }

  private String combined() {
    return switch (random.nextInt(4)) {
      case 0 ->
          "MERGE INTO child USING (VALUES ("
              + small()
              + ")) v (i) ON child.id = v.i WHEN MATCHED THEN UPDATE SET n = n + 1"
              + " WHEN NOT MATCHED THEN INSERT (id, p, n, m, a) VALUES (v.i, 1, 1, 0, 1)";
      case 1 ->
          "WITH one AS (UPDATE child SET n = n + 1"
              + one()
              + " RETURNING p) UPDATE parent SET n = n + 1 WHERE id IN (SELECT p FROM one)";
      case 2 ->
          "INSERT INTO child (id, p, k, n, m, a) SELECT id + 3, p, k + 3, n, m, a FROM child"
              + one();
      default ->
          "UPDATE child SET n = child.n + x.k FROM parent x WHERE x.id = child.p AND child.id = "
              + small();
    };
  }

  private String read() {
    return pick(
        "SELECT id, n, m FROM child ORDER BY id",
        "SELECT id, p, n FROM child ORDER BY id FOR UPDATE",
        "SELECT sum(n) FROM child",
        "SELECT id, n FROM parent ORDER BY id");
  }

  private String one() {
    return " WHERE id = " + row();
  }

  private String some() {
    return pick("", " WHERE a > 1", " WHERE id > 2", " WHERE n > 1", " WHERE k IN (1, 2)");
  }

  private String reference() {
    return oneIn(8) ? "NULL" : "" + small();
  }

  private int small() {
    return 1 + random.nextInt(6);
  }

  private int row() {
    return oneIn(3) ? small() : focus;
  }

  private int delta() {
    return random.nextInt(5) - 1;
  }

  private boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
