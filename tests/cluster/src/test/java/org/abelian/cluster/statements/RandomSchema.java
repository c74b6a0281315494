package org.abelian.cluster.statements;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The tables of random statements: of every placement, with keys of a random type, rows that are
 * skewed, some with a NULL key, partitions that are empty, columns of Abelian types, and functions
 * that read them.
 */
final class RandomSchema {
  /** What drops a schema before another one. */
  static final String DROP =
      "DROP TABLE IF EXISTS shop, sale, visit, item, local, loose, hollow, part CASCADE";

  /** What drops its functions. */
  static final String DROP_FUNCTIONS =
      "DROP FUNCTION IF EXISTS sold, busy, least_w, twice_sold, called_of, guests, longest,"
          + " callers";

  private static final String DISTRIBUTED = "SELECT create_distributed_table('%s', '%s')";
  private static final String APART =
      "SELECT create_distributed_table('%s', '%s', colocate_with => 'none')";
  private static final String REFERENCE = "SELECT create_reference_table('%s')";

  /** Types of keys that may be compared with each other, and how a number becomes such a key. */
  enum Keys {
    /** Integers of each size. */
    NUMBERS(List.of("int", "bigint", "smallint"), "bigint", "(%s)", "%s - 1000"),
    /** Integers beyond 32 bits. */
    LARGE(List.of("bigint"), "bigint", "((%s) * 5000000000)", "%s - 1000000000000000"),
    /** Texts of each kind. */
    TEXTS(List.of("text", "varchar(20)", "char(20)"), "text", "('k' || (%s))", "%s || 'x'"),
    /** UUIDs, in no order. */
    UUIDS(List.of("uuid"), "uuid", "(md5((%s)::text)::uuid)", "md5(%s::text)::uuid"),
    /** Dates. */
    DATES(List.of("date"), "date", "(date '2020-02-20' + (%s)::int)", "%s - 20000"),
    /** Numbers with digits behind the point. */
    DECIMALS(List.of("numeric", "numeric(12,2)"), "numeric", "((%s)::numeric / 4)", "%s - 1000"),
    /** Floating-point numbers of both sizes, all of which are exact. */
    FLOATS(List.of("real", "float8"), "float8", "((%s)::float8 / 4)", "%s - 1000"),
    /** Moments. */
    MOMENTS(
        List.of("timestamptz"),
        "timestamptz",
        "(timestamptz '2020-02-20 00:00:00+00' + (%s) * interval '1 hour')",
        "%s - interval '1000000 hours'");

    private static final DateTimeFormatter MOMENT =
        DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'+00'");

    private final List<String> types;
    private final String widest;
    private final String made;
    private final String moved;

    Keys(List<String> types, String widest, String made, String moved) {
      this.types = types;
      this.widest = widest;
      this.made = made;
      this.moved = moved;
    }

    /** The key of the number that this expression gives. */
    String of(String number) {
      return made.formatted(number);
    }

    /** Another key than any that was not moved; different for different keys. */
    String moved(String key) {
      return moved.formatted(key);
    }

    /** The key of a number as a literal. */
    String literal(int number) {
      return switch (this) {
        case NUMBERS -> Integer.toString(number);
        case LARGE -> Long.toString(number * 5000000000L);
        case TEXTS -> "'k" + number + "'";
        case UUIDS -> "'" + digest(Integer.toString(number)) + "'";
        case DATES -> "'" + LocalDate.of(2020, 2, 20).plusDays(number) + "'";
        case DECIMALS, FLOATS ->
            BigDecimal.valueOf(number).divide(BigDecimal.valueOf(4)).toString();
        case MOMENTS ->
            "'" + LocalDateTime.of(2020, 2, 20, 0, 0).plusHours(number).format(MOMENT) + "'";
      };
    }

    private static UUID digest(String text) {
      try {
        byte[] bytes =
            MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8));
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
      } catch (NoSuchAlgorithmException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
  }

  /**
   * A column.
   *
   * @param type int, text, key, or the name of an Abelian type
   */
  record Column(String name, String type) {}

  /**
   * A table.
   *
   * @param key the columns of its primary key; none for one without
   * @param reference whether every node has a copy
   */
  record Table(String name, List<Column> columns, List<String> key, boolean reference) {
    /** Whether its key is one column that an UPDATE may change. */
    boolean moves() {
      return key.equals(List.of("id"));
    }
  }

  private final Random random;
  private final Keys keys;
  private final List<Table> tables = new ArrayList<>();
  private final List<String> definitions = new ArrayList<>();
  private final List<String> placements = new ArrayList<>();

  RandomSchema(Random random) {
    this.random = random;
    keys = Keys.values()[random.nextInt(Keys.values().length)];
    String type = pick(keys.types);
    shop(type);
    place("sale", "id", pick(List.of(DISTRIBUTED, APART, APART, REFERENCE, "")));
    add("sale", List.of("id"), "id key", "shop key", "item int", "amount int", "note text");
    place("visit", "shop", pick(List.of(DISTRIBUTED, DISTRIBUTED, APART)));
    definitions.add(
        "CREATE TABLE visit (shop %s, n int, guest text, stay int, PRIMARY KEY (shop, n))"
            .formatted(type));
    tables.add(
        new Table(
            "visit",
            columns("shop key", "n int", "guest text", "stay int"),
            List.of("shop", "n"),
            false));
    place("item", "id", pick(List.of(REFERENCE, REFERENCE, APART)));
    add(
        "item",
        List.of("id"),
        "id key",
        "label text",
        "price int",
        "hits abelian.counter",
        "worth abelian.bounded_decimal(2)");
    place("local", "k", pick(List.of("", "", REFERENCE)));
    add("local", List.of(), "k key", "w int", "tag text");
    place("loose", "k", pick(List.of(DISTRIBUTED, APART)));
    add("loose", List.of(), "k key", "w int", "tag text");
    place("hollow", "id", pick(List.of(DISTRIBUTED, APART)));
    add("hollow", List.of("id"), "id key", "w int", "tag text");
    place("part", "id", DISTRIBUTED);
    partitioned(type);
  }

  private void shop(String type) {
    definitions.add(
        "CREATE TABLE shop (id %s PRIMARY KEY, gone int, city int, name text, size int, likes"
                .formatted(type)
            + " abelian.counter DEFAULT 0, best abelian.max, tags abelian.set DEFAULT '{}')");
    definitions.add("ALTER TABLE shop DROP COLUMN gone");
    tables.add(
        new Table(
            "shop",
            columns(
                "id key",
                "city int",
                "name text",
                "size int",
                "likes abelian.counter",
                "best abelian.max",
                "tags abelian.set"),
            List.of("id"),
            false));
    place("shop", "id", DISTRIBUTED);
  }

  private void partitioned(String type) {
    definitions.add(
        "CREATE TABLE part (id %s PRIMARY KEY, w int, tag text) PARTITION BY HASH (id)"
            .formatted(type));
    for (int i = 0; i < 3; i++) {
      definitions.add(
          "CREATE TABLE part_%d PARTITION OF part FOR VALUES WITH (MODULUS 3, REMAINDER %d)"
              .formatted(i, i));
    }
    tables.add(new Table("part", columns("id key", "w int", "tag text"), List.of("id"), false));
  }

  private void add(String name, List<String> key, String... columns) {
    List<Column> all = columns(columns);
    List<String> parts = new ArrayList<>();
    for (Column column : all) {
      parts.add(
          column.name() + " " + (column.type().equals("key") ? pick(keys.types) : column.type()));
    }
    if (!key.isEmpty()) {
      parts.add("PRIMARY KEY (" + String.join(", ", key) + ")");
    }
    definitions.add("CREATE TABLE %s (%s)".formatted(name, String.join(", ", parts)));
    boolean reference = placements.stream().anyMatch(REFERENCE.formatted(name)::equals);
    tables.add(new Table(name, all, key, reference));
  }

  private static List<Column> columns(String... columns) {
    return Stream.of(columns)
        .map(column -> column.split(" "))
        .map(parts -> new Column(parts[0], parts[1]))
        .toList();
  }

  private void place(String table, String column, String how) {
    if (!how.isEmpty()) {
      placements.add(how.formatted(table, column));
    }
  }

  /** How keys are made. */
  Keys keys() {
    return keys;
  }

  /** All tables. */
  List<Table> tables() {
    return tables;
  }

  /** CREATE TABLE, for both. */
  List<String> definitions() {
    return definitions;
  }

  /** What places the tables of the cluster. */
  List<String> placements() {
    return placements;
  }

  /** Functions that read the tables. */
  List<String> functions() {
    return Stream.of(
            "sold(x K) RETURNS int STABLE LANGUAGE sql AS"
                + " 'SELECT sum(amount)::int FROM sale WHERE sale.shop = x'",
            "busy(x int) RETURNS int STABLE STRICT LANGUAGE sql AS"
                + " 'SELECT count(*)::int FROM visit WHERE stay > x'",
            "least_w(x K) RETURNS int STABLE LANGUAGE plpgsql AS 'DECLARE y int;"
                + " BEGIN SELECT min(w) INTO y FROM local WHERE k = x; RETURN y; END'",
            "twice_sold(x K) RETURNS int STABLE LANGUAGE sql AS"
                + " 'SELECT 2 * sold(x) + (SELECT min(price) FROM item WHERE id > x)'",
            "called_of(x int) RETURNS text STABLE LANGUAGE sql AS"
                + " 'SELECT name FROM shop WHERE city = x ORDER BY id DESC'",
            "guests(x K) RETURNS TABLE (a int, b text) STABLE LANGUAGE sql AS"
                + " 'SELECT n, guest FROM visit WHERE visit.shop = x OR stay = 3'",
            "longest(x K) RETURNS int STABLE LANGUAGE plpgsql AS 'DECLARE y int; z int; BEGIN"
                + " SELECT max(stay), count(*) INTO y, z FROM visit WHERE visit.shop = x;"
                + " IF y IS NULL THEN y := 7; ELSIF z > 2 THEN RETURN y - z; END IF; RETURN y +"
                + " (SELECT count(*) FROM local WHERE w > z); END'",
            "callers(x int) RETURNS TABLE (a int, b text) STABLE LANGUAGE plpgsql AS"
                + " 'BEGIN IF x > 4 THEN RETURN QUERY SELECT size, name FROM shop WHERE city = x -"
                + " 4; ELSE RETURN QUERY SELECT amount, note FROM sale WHERE sale.item = x; END IF;"
                + " RETURN QUERY SELECT x, min(label) FROM item WHERE price > x; END'")
        .map(function -> "CREATE FUNCTION " + function.replace("K)", keys.widest + ")"))
        .toList();
  }

  /** What fills the tables; of some keys there are many rows, and most partitions have none. */
  List<String> rows() {
    String skewed = pick(List.of("i * i % 15", "i % 9", "CASE WHEN i % 4 = 0 THEN i ELSE 2 END"));
    return List.of(
        "INSERT INTO shop SELECT "
            + keys.of("i")
            + ", nullif(i % 4, 0), chr(97 + i % 5) || i,"
            + " nullif(i % 7, 3), i % 3, nullif(i % 6, 2), CASE WHEN i % 2 = 0 THEN '{a,b}' END"
            + " FROM generate_series(1, 14) i",
        "INSERT INTO sale SELECT "
            + keys.of("i")
            + ", "
            + keys.of("nullif(" + skewed + ", 1)")
            + ", i % 6, i % 11, CASE WHEN i % 5 > 0 THEN chr(97 + i % 4) || i % 3 END"
            + " FROM generate_series(1, 30) i",
        "INSERT INTO visit SELECT "
            + keys.of(skewed)
            + ", i, nullif('c' || i % 3, 'c2'), i % 10"
            + " FROM generate_series(1, 25) i",
        "INSERT INTO item SELECT "
            + keys.of("i")
            + ", 'b' || i, i * 2, i, i * 1.25"
            + " FROM generate_series(0, 5) i",
        "INSERT INTO local SELECT "
            + keys.of("k")
            + ", w, tag FROM (VALUES (1, 5, 'a'),"
            + " (2, NULL, 'c1'), (NULL, 3, NULL), (7, 7, '12')) v(k, w, tag)",
        "INSERT INTO loose SELECT "
            + keys.of("nullif(i % 6, 3)")
            + ", nullif(i % 5, 2), chr(97 + i % 3) FROM generate_series(1, 20) i",
        "INSERT INTO hollow SELECT "
            + keys.of("i")
            + ", i, 'h'"
            + " FROM generate_series(1, "
            + random.nextInt(2)
            + ") i",
        "INSERT INTO part SELECT "
            + keys.of("i")
            + ", i % 5, chr(97 + i % 3)"
            + " FROM generate_series(1, 12) i");
  }

  private <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }
}
