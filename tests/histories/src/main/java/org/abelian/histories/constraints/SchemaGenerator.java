package org.abelian.histories.constraints;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Draws tables {@code parent}, {@code child} and {@code key} with constraints, indexes and triggers
 * of all kinds.
 */
final class SchemaGenerator {
  private static final String[] DEFERRAL = {
    "",
    " DEFERRABLE INITIALLY DEFERRED",
    " DEFERRABLE INITIALLY DEFERRED",
    " DEFERRABLE INITIALLY IMMEDIATE"
  };
  private static final String[] ACTION = {"", "", " CASCADE", " SET NULL", " RESTRICT"};

  private static final int MOST_RULES = 4;

  private final Random random;
  private final List<String> commands = new ArrayList<>();

  SchemaGenerator(Random random) {
    this.random = random;
  }

  List<String> draw() {
    functions();
    commands.add(
        "CREATE TABLE parent (id int PRIMARY KEY, k int, n {type} DEFAULT 0"
            + (oneIn(3) ? ", UNIQUE (k)" + pick(DEFERRAL) : "")
            + ")");
    commands.add("CREATE TABLE key (id bigint PRIMARY KEY)");
    commands.add(child());
    commands.add("INSERT INTO key SELECT i FROM generate_series(-2, 9) i");
    commands.add("INSERT INTO parent SELECT i, i, 0 FROM generate_series(1, 3) i");
    commands.add(
        "INSERT INTO child (id, p, q, k, r, n, m, a) SELECT i, i, i, i, int4range(i, i + 1), i, 0,"
            + " i FROM generate_series(1, 3) i");
    commands.add(deferrable());
    for (int i = random.nextInt(MOST_RULES); i > 0; i--) {
      commands.add(rule());
    }
    return commands;
  }

  private void functions() {
    commands.add("CREATE TABLE log (what text)");
    commands.add(
        "CREATE FUNCTION twice({type}) RETURNS bigint IMMUTABLE LANGUAGE sql"
            + " AS 'SELECT $1::bigint * 2'");
    commands.add(
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN"
            + " r := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;"
            + " INSERT INTO {schema}.log VALUES (concat_ws(' ', TG_NAME, TG_OP, r.id, r.n::bigint,"
            + " (SELECT n::bigint FROM {schema}.child WHERE id = r.id))); RETURN NULL; END $$");
    commands.add(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " IF NEW.n::bigint > 6 THEN RAISE EXCEPTION 'too much' USING ERRCODE = 'AB123';"
            + " END IF; RETURN NEW; END $$");
  }

  private String child() {
    boolean partitioned = oneIn(8);
    String table =
        "CREATE TABLE child (id int"
            + (partitioned ? " NOT NULL" : " PRIMARY KEY")
            + ", p int, q int, k int, r int4range, n {type}, m {type}, a int, pad text DEFAULT"
            + " repeat('x', "
            + pick("0", "400", "1500")
            + ")"
            + (oneIn(5) ? ", twice_a int GENERATED ALWAYS AS (a * 2) STORED" : "")
            + (oneIn(8) ? ", twice_n bigint GENERATED ALWAYS AS (twice(n)) STORED" : "")
            + ")";
    if (!partitioned) {
      return table;
    }
    return table
        + " PARTITION BY RANGE (id); CREATE TABLE child_1 PARTITION OF child FOR VALUES FROM (-100)"
        + " TO (3); CREATE TABLE child_2 PARTITION OF child FOR VALUES FROM (3) TO (100);"
        + " ALTER TABLE child ADD PRIMARY KEY (id)";
  }

  private String rule() {
    return switch (random.nextInt(3)) {
      case 0 -> deferrable();
      case 1 -> checkOrIndex();
      default -> oneIn(2) ? deferrable() : trigger();
    };
  }

  private String deferrable() {
    String constraint =
        switch (random.nextInt(9)) {
          case 0, 1, 2 -> "FOREIGN KEY (p) REFERENCES parent" + actions();
          case 3 -> "FOREIGN KEY (q) REFERENCES child" + actions();
          case 4, 5 -> "UNIQUE (k)";
          case 6 -> "EXCLUDE USING gist (r WITH &&)";
          case 7 -> "EXCLUDE USING btree (k WITH =)";
          default -> "FOREIGN KEY (n) REFERENCES key ON UPDATE CASCADE";
        };
    return "ALTER TABLE child ADD " + constraint + pick(DEFERRAL);
  }

  private String checkOrIndex() {
    String on = "ALTER TABLE child ";
    return pick(
        on + "ALTER n SET NOT NULL",
        on + "ALTER m SET NOT NULL",
        on + "ADD CHECK (a >= 0)",
        on + "ADD CHECK (a < 3) NOT VALID",
        on + "ADD CHECK (a < 3 OR current_setting('search_path') = 'nowhere') NOT VALID",
        on + "ADD CHECK (n >= 0)",
        on + "ADD CHECK (n + a < 12)",
        on + "ADD CHECK (twice(n) < 20)",
        "CREATE INDEX ON child (a)",
        "CREATE INDEX ON child (k) WHERE a > 1",
        "CREATE UNIQUE INDEX ON child (k) WHERE a > 1",
        "CREATE INDEX ON child USING brin (a)",
        "CREATE INDEX ON child (twice(n))",
        "CREATE INDEX ON child (a) WHERE twice(n) > 4");
  }

  /** Several of one name are an error, in both schemas. */
  private String trigger() {
    String constraint =
        "CREATE CONSTRAINT TRIGGER %s AFTER %s ON child"
            + pick(DEFERRAL)
            + " FOR EACH ROW EXECUTE FUNCTION %s()";
    return switch (random.nextInt(6)) {
      case 0, 1 -> String.format(constraint, "inserted", "INSERT", "note");
      case 2 ->
          String.format(
              constraint, "changed", pick("UPDATE", "INSERT OR UPDATE", "UPDATE OF a"), "note");
      case 3 -> String.format(constraint, "deleted", "DELETE", "note");
      case 4 -> String.format(constraint, "refused", "INSERT OR UPDATE", "refuse");
      default ->
          "CREATE TRIGGER before BEFORE UPDATE ON child FOR EACH ROW EXECUTE FUNCTION refuse()";
    };
  }

  private String actions() {
    String delete = pick(ACTION);
    String update = pick(ACTION);
    return (delete.isEmpty() ? "" : " ON DELETE" + delete)
        + (update.isEmpty() ? "" : " ON UPDATE" + update);
  }

  private boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
