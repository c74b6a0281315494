package org.abelian.cluster.statements;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Whatever a SELECT joins, nests or compares, over tables of every placement and keys of every
 * type: the answer is that of one PostgreSQL, or the same error; and whatever an INSERT, UPDATE,
 * DELETE or MERGE reads, so is what it changes, and what the transaction sees of it afterwards. So
 * many statements as {@code -Dabelian.soak.statements} says; {@code -Dabelian.seed} repeats them.
 */
@WithNode
@WithCluster
class RandomQueriesIT {
  private static final int STATEMENTS = Integer.getInteger("abelian.soak.statements", 250);
  private static final Pattern PADDING = Pattern.compile(" +(?=\\|)");
  private static final Pattern LAST_ZEROS = Pattern.compile("(\\.\\d*?)0+(?=\\|)");
  private static final Pattern LAST_POINT = Pattern.compile("\\.(?=\\|)");

  /**
   * Where equal values meet, PostgreSQL keeps any of them: 1.5 or 1.50, with its padding or not.
   */
  private static final Pattern MERGES_EQUAL_VALUES =
      Pattern.compile("\\b(DISTINCT|INTERSECT|EXCEPT|UNION|GROUP BY|LIMIT|FETCH)\\b");

  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  /** A statement that takes longer says nothing about answers. */
  private static final String BOUNDED = "SET statement_timeout = '20s'";

  private static final List<String> TIMED_OUT = List.of("57014");

  private static final int STATEMENTS_OF_A_SCHEMA = 300;
  private static final int BLOCKS_OF_A_SCHEMA = 60;
  private static final int DIFFERENCES_MAX = 12;

  private final LocalNode single;
  private final RouterServer router;
  private final List<String> differences = new ArrayList<>();
  private int compared;
  private String error = "";
  private int failures;
  private int writtenDifferently;
  private Twins twins;

  RandomQueriesIT(LocalNode single, LocalCluster cluster, RouterServer router) {
    this.single = single;
    this.router = router;
  }

  /** Every other seed has it all in transactions of one snapshot. */
  private Twins connect() throws SQLException {
    Twins connected = new Twins(single, router, "");
    if (SEED % 2 == 0) {
      String level = SEED % 4 == 0 ? "serializable" : "repeatable read";
      for (Connection connection : connected.both()) {
        Twins.run(connection, "SET default_transaction_isolation = '" + level + "'");
      }
    }
    return connected;
  }

  @AfterEach
  void drop() throws SQLException {
    twins.same("ROLLBACK");
    twins.same(RandomSchema.DROP_FUNCTIONS);
    twins.same(RandomSchema.DROP);
    twins.close();
  }

  @Test
  void everyQueryAnswersAsOnOnePostgreSql() throws SQLException {
    twins = connect();
    everyAnswerIsRight(SEED, STATEMENTS / 3);
  }

  @Test
  void everyQueryAnswersAsOnOnePostgreSqlWhereItIsJoinedByBroadcast() throws SQLException {
    twins = connect();
    Twins.run(twins.routed(), "SET abelian.min_broadcast_size = 0");
    everyAnswerIsRight(SEED + 1, STATEMENTS / 3);
  }

  @Test
  void everyChangeIsThatOfOnePostgreSql() throws SQLException {
    twins = connect();
    Random random = new Random(SEED + 2);
    RandomSchema schema = create(random);
    ChangeGenerator generator = new ChangeGenerator(schema, random);
    for (int block = 1; compared < STATEMENTS / 3; block++) {
      if (block % BLOCKS_OF_A_SCHEMA == 0) {
        schema = create(random);
        generator = new ChangeGenerator(schema, random);
      }
      if (block % 4 == 0) {
        oneChange(schema, generator);
      } else {
        inBlock(schema, generator, block % 3);
      }
    }
    judge();
  }

  /** A schema of its own for so many statements, as making one takes a second. */
  private void everyAnswerIsRight(long seed, int statements) throws SQLException {
    Random random = new Random(seed);
    QueryGenerator generator = null;
    for (int i = 0; i < statements; i++) {
      if (i % STATEMENTS_OF_A_SCHEMA == 0) {
        generator = new QueryGenerator(create(random), random);
      }
      String sql = generator.next();
      compare(sql, sql);
    }
    judge();
  }

  private RandomSchema create(Random random) throws SQLException {
    RandomSchema schema = new RandomSchema(random);
    twins.same(RandomSchema.DROP_FUNCTIONS);
    twins.create(RandomSchema.DROP, schema.definitions(), schema.placements());
    schema.functions().forEach(twins::same);
    schema.rows().forEach(twins::same);
    twins.same(BOUNDED);
    return schema;
  }

  private void oneChange(RandomSchema schema, ChangeGenerator generator) {
    List<String> sent = new ArrayList<>();
    send(generator.nextChange(), sent);
    compareTables(schema, sent);
    twins.same("TRUNCATE shop, sale, visit, item, local, hollow, part");
    schema.rows().forEach(twins::same);
  }

  /** Changes, then what the transaction itself sees of them. */
  private void inBlock(RandomSchema schema, ChangeGenerator generator, int more) {
    List<String> sent = new ArrayList<>();
    twins.same("BEGIN");
    boolean goesOn = true;
    for (int change = more; goesOn && change >= 0; change--) {
      goesOn = send(generator.nextChange(), sent);
    }
    if (goesOn) {
      compareTables(schema, sent);
      if (send(generator.next(), sent)) {
        throughCursor(generator.nextOrdered(), sent, more);
      }
    }
    twins.same("ROLLBACK");
  }

  private void throughCursor(String query, List<String> sent, int more) {
    String scroll = more == 2 ? "SCROLL " : "";
    boolean declared = send("DECLARE c " + scroll + "CURSOR FOR " + query, sent);
    if (declared && send("FETCH 3 FROM c", sent) && send("MOVE 2 IN c", sent)) {
      if (!scroll.isEmpty()) {
        send("FETCH BACKWARD 3 FROM c", sent);
      }
      send("FETCH ALL FROM c", sent);
    }
  }

  /**
   * @return whether the transaction goes on
   */
  private boolean send(String sql, List<String> sent) {
    sent.add(sql);
    return compare(sql, String.join(";\n  ", sent));
  }

  private void compareTables(RandomSchema schema, List<String> sent) {
    for (RandomSchema.Table table : schema.tables()) {
      compare("SELECT * FROM " + table.name(), "after " + String.join(";\n  ", sent));
      compared--;
    }
  }

  private boolean compare(String sql, String context) {
    List<String> expected = answer(twins.both().get(0), sql);
    List<String> given = answer(twins.both().get(1), sql);
    boolean failed = expected.size() == 1 && expected.get(0).length() == 5;
    if (expected.equals(TIMED_OUT) || given.equals(TIMED_OUT)) {
      return false;
    }
    compared++;
    failures += failed ? 1 : 0;
    if (!areSame(expected, given, sql, context)) {
      differences.add(
          context + "\n  -- " + brief(expected) + " became " + brief(given) + " " + error);
      assertTrue(differences.size() < DIFFERENCES_MAX, this::told);
      return false;
    }
    return !failed;
  }

  private List<String> answer(Connection connection, String sql) {
    try {
      return Twins.run(connection, sql);
    } catch (SQLException refused) {
      error = refused.getMessage();
      return List.of(refused.getSQLState());
    }
  }

  private boolean areSame(List<String> rows, List<String> given, String sql, String context) {
    // A cursor's rows have an order.
    UnaryOperator<List<String>> arranged =
        sql.startsWith("FETCH")
            ? UnaryOperator.identity()
            : list -> list.stream().sorted().toList();
    if (arranged.apply(rows).equals(arranged.apply(given))) {
      return true;
    }
    boolean areEqual =
        MERGES_EQUAL_VALUES.matcher(context).find()
            && arranged.apply(values(rows)).equals(arranged.apply(values(given)));
    writtenDifferently += areEqual ? 1 : 0;
    return areEqual;
  }

  /** The same text for all numbers and strings that PostgreSQL calls equal. */
  private static List<String> values(List<String> rows) {
    return rows.stream()
        .map(row -> PADDING.matcher(row).replaceAll(""))
        .map(row -> LAST_ZEROS.matcher(row).replaceAll("$1"))
        .map(row -> LAST_POINT.matcher(row).replaceAll(""))
        .toList();
  }

  private static String brief(List<String> rows) {
    String all = rows.size() + " rows " + rows.stream().sorted().toList();
    return all.substring(0, Math.min(300, all.length()));
  }

  private String told() {
    return "seed %d, %d statements: %s".formatted(SEED, compared, String.join("\n\n", differences));
  }

  private void judge() {
    System.out.printf(
        "%d statements, %d of them errors, %d answers with equal values written differently, seed"
            + " %d%n",
        compared, failures, writtenDifferently, SEED);
    assertTrue(differences.isEmpty(), this::told);
    assertTrue(
        writtenDifferently <= 3 + compared / 1000,
        () -> writtenDifferently + " answers with equal values written differently");
    assertTrue(failures < compared / 4, () -> "errors prove little: " + failures + ", " + told());
  }
}
