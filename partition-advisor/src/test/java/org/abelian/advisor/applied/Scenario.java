package org.abelian.advisor.applied;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Small workloads, each of which has a reason to be placed by another method. */
enum Scenario {
  /** All that is a shop's is named by the shop; currencies are read with them. */
  HASH_AND_REFERENCE("'id', colocate_with => 'none'", "create_reference_table('currency')") {
    private static final int SHOPS = 60;

    @Override
    String schema() {
      return """
      CREATE TABLE currency (code text PRIMARY KEY, rate bigint NOT NULL);
      CREATE TABLE shop (id bigint PRIMARY KEY, name text, sales bigint NOT NULL DEFAULT 0,
        visits abelian.counter NOT NULL DEFAULT 0);
      CREATE TABLE sale (shop_id bigint REFERENCES shop, sale_id bigint, currency text, amount bigint,
        PRIMARY KEY (shop_id, sale_id));
      """;
    }

    @Override
    List<String> rows() {
      return List.of(
          "INSERT INTO currency VALUES ('EUR', 1), ('USD', 2), ('CHF', 3)",
          insert("shop (id, name)", SHOPS, at -> "(" + (at + 1) + ", 'shop " + at + "')"));
    }

    @Override
    Transaction next(Random random, int number) {
      long shop = 1 + random.nextInt(SHOPS);
      long other = 1 + random.nextInt(SHOPS);
      int dice = random.nextInt(100);
      if (dice < 40) {
        return Transaction.of(
            "sell",
            Step.of(
                "INSERT INTO sale (shop_id, sale_id, currency, amount) VALUES (?, ?, 'EUR', 5)",
                shop,
                (long) number),
            Step.of("SELECT rate FROM currency WHERE code = ?", "EUR"),
            Step.of("UPDATE shop SET sales = sales + 5 WHERE id = ?", shop));
      } else if (dice < 55) {
        return Transaction.of(
            "price",
            Step.of("SELECT rate FROM currency WHERE code = ?", "USD"),
            Step.of("UPDATE shop SET name = ? WHERE id = ?", "shop", shop));
      } else if (dice < 65) {
        return Transaction.of(
            "visit",
            Step.of("UPDATE shop SET visits = visits + 1 WHERE id = ?", shop),
            Step.of("UPDATE shop SET visits = visits + 1 WHERE id = ?", other));
      } else if (dice < 75) {
        return Transaction.of(
            "move",
            Step.of("UPDATE shop SET sales = sales - 1 WHERE id = ?", shop),
            Step.of("UPDATE shop SET sales = sales + 1 WHERE id = ?", other));
      } else if (dice < 80) {
        return Transaction.of(
            "learn",
            Step.of("SELECT sales FROM shop WHERE id = ?", other),
            Step.of("UPDATE shop SET sales = sales + 1 WHERE id = ?", shop));
      } else if (dice < 85) {
        return Transaction.of(
            "compare", Step.of("SELECT name FROM shop WHERE id IN (?, ?)", shop, other));
      } else if (dice < 90) {
        return Transaction.of(
            "close", Step.of("UPDATE shop SET sales = 0 WHERE id IN (?, ?)", shop, other));
      } else if (dice < 94) {
        return Transaction.of(
            "take",
            Step.of("SELECT sales FROM shop WHERE id = ? FOR UPDATE", shop),
            Step.of("UPDATE shop SET sales = sales + 1 WHERE id = ?", other));
      } else if (dice < 97) {
        return Transaction.of(
            "list", Step.of("SELECT name FROM shop WHERE id BETWEEN ? AND ?", shop, shop + 2));
      }
      return Transaction.of("turnover", Step.of("SELECT sum(amount) FROM sale WHERE amount > 1"));
    }
  },

  /**
   * The same shops behind procedures, which the router sends to the nodes that their arguments
   * name.
   */
  PROCEDURES(
      "'id', colocate_with => 'none'",
      "create_distributed_procedure('public.sell(bigint,bigint,pg_catalog.text)', '$1',"
          + " colocate_with => 'sale')",
      "create_distributed_procedure('public.move(bigint,bigint)', '$1, $2', colocate_with =>"
          + " 'shop')",
      "create_distributed_procedure('public.sold(bigint)', '$1', colocate_with => 'sale')") {
    private static final int SHOPS = 60;

    @Override
    String schema() {
      return """
      CREATE TABLE currency (code text PRIMARY KEY, rate bigint NOT NULL);
      CREATE TABLE shop (id bigint PRIMARY KEY, sales bigint NOT NULL DEFAULT 0);
      CREATE TABLE sale (shop_id bigint REFERENCES shop, sale_id bigint, amount bigint,
        PRIMARY KEY (shop_id, sale_id));
      CREATE OR REPLACE PROCEDURE sell(s bigint, number bigint, money text) LANGUAGE plpgsql AS $$
      DECLARE
        price bigint;
      BEGIN
        SELECT rate INTO STRICT price FROM currency WHERE code = money;
        INSERT INTO sale (shop_id, sale_id, amount) VALUES (s, number, 5 * price);
        UPDATE shop SET sales = sales + 1 WHERE id = s;
      END $$;
      CREATE OR REPLACE PROCEDURE move(a bigint, b bigint) LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE shop SET sales = sales - 1 WHERE id = a;
        UPDATE shop SET sales = sales + 1 WHERE id = b;
      END $$;
      CREATE OR REPLACE FUNCTION sold(s bigint) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RETURN (SELECT sum(amount) FROM sale WHERE shop_id = s);
      END $$;
      """;
    }

    @Override
    List<String> rows() {
      return List.of(
          "INSERT INTO currency VALUES ('EUR', 1), ('USD', 2), ('CHF', 3)",
          insert("shop (id)", SHOPS, at -> "(" + (at + 1) + ")"));
    }

    @Override
    Transaction next(Random random, int number) {
      long shop = 1 + random.nextInt(SHOPS);
      long other = 1 + random.nextInt(SHOPS);
      int dice = random.nextInt(100);
      if (dice < 60) {
        return Transaction.of("sell", Step.of("CALL sell(?, ?, ?)", shop, (long) number, "USD"));
      }
      return dice < 80
          ? Transaction.of("move", Step.of("CALL move(?, ?)", shop, other))
          : Transaction.of("sold", Step.of("SELECT sold(?)", shop));
    }
  },

  /** Readings are named by sensor and day together. */
  COMPOSITE_HASH("'sensor, day', colocate_with => 'none'") {
    private static final int SENSORS = 4;
    private static final int DAYS = 40;

    @Override
    String schema() {
      return "CREATE TABLE reading (sensor char(6), day date, value bigint NOT NULL DEFAULT 0,"
          + " PRIMARY KEY (sensor, day));";
    }

    @Override
    List<String> rows() {
      return List.of(
          insert(
              "reading",
              SENSORS * DAYS,
              at -> "('" + sensor(at % SENSORS) + "', '" + day(at / SENSORS) + "')"));
    }

    @Override
    Transaction next(Random random, int number) {
      Step step = update(random);
      return random.nextInt(100) < 80
          ? Transaction.of("measure", step)
          : Transaction.of("correct", step, update(random));
    }

    private Step update(Random random) {
      return Step.of(
          "UPDATE reading SET value = value + 1 WHERE sensor = ? AND day = ?",
          sensor(random.nextInt(SENSORS)),
          day(random.nextInt(DAYS)));
    }

    private static String sensor(int number) {
      return "s" + number;
    }

    private static LocalDate day(int number) {
      return LocalDate.of(2024, 2, 1).plusDays(number);
    }
  },

  /** Money moves between neighbours, so ranges of numbers keep it on one node. */
  RANGE("'range', partition_count => 3") {
    private static final int CUSTOMERS = 300;

    @Override
    String schema() {
      return """
      CREATE TABLE customer (id bigint PRIMARY KEY, balance bigint NOT NULL DEFAULT 0);
      CREATE TABLE payment (customer_id bigint, payment_id bigint, amount bigint,
        PRIMARY KEY (customer_id, payment_id));
      """;
    }

    @Override
    List<String> rows() {
      return List.of(insert("customer (id)", CUSTOMERS, at -> "(" + (at + 1) + ")"));
    }

    @Override
    Transaction next(Random random, int number) {
      long from = 1 + random.nextInt(CUSTOMERS);
      long near = 1 + Math.floorMod(from - 1 + random.nextInt(9) - 4, CUSTOMERS);
      long any = 1 + random.nextInt(CUSTOMERS);
      int dice = random.nextInt(100);
      if (dice < 70) {
        return pay(from, near, number);
      }
      return dice < 80
          ? pay(from, any, number)
          : Transaction.of(
              "balance",
              Step.of("SELECT balance FROM customer WHERE id = ?", from),
              Step.of("SELECT sum(amount) FROM payment WHERE customer_id = ?", near));
    }

    private Transaction pay(long from, long to, int number) {
      return Transaction.of(
          "pay",
          Step.of("UPDATE customer SET balance = balance - 1 WHERE id = ?", from),
          Step.of("UPDATE customer SET balance = balance + 1 WHERE id = ?", to),
          Step.of(
              "INSERT INTO payment (customer_id, payment_id, amount) VALUES (?, ?, ?)",
              from,
              (long) number,
              1L));
    }
  },

  /** Orders are a country's; the hashes of the three countries all lie on one node. */
  LIST("'list', partition_count => 3") {
    private static final List<String> COUNTRIES = List.of("it", "nl", "uk");
    private static final int ORDERS = 100;

    @Override
    String schema() {
      return "CREATE TABLE purchase (country text, id int, state int NOT NULL DEFAULT 0, PRIMARY"
          + " KEY (country, id));";
    }

    @Override
    List<String> rows() {
      return COUNTRIES.stream()
          .map(
              country ->
                  insert("purchase (country, id)", ORDERS, at -> "('" + country + "', " + at + ")"))
          .toList();
    }

    @Override
    Transaction next(Random random, int number) {
      String country = COUNTRIES.get(random.nextInt(3));
      String other = random.nextInt(10) < 8 ? country : COUNTRIES.get(random.nextInt(3));
      return Transaction.of(
          "ship",
          Step.of(
              "SELECT state FROM purchase WHERE country = ? AND id = ?",
              country,
              random.nextInt(ORDERS)),
          update(country, random),
          update(other, random));
    }

    private Step update(String country, Random random) {
      return Step.of(
          "UPDATE purchase SET state = state + 1 WHERE country = ? AND id = ?",
          country,
          random.nextInt(ORDERS));
    }
  },

  /** Small regions have a crew for each kind of work, large ones have one for both. */
  RULES("'rules', partition_count => 3") {
    private static final int REGIONS = 30;

    @Override
    String schema() {
      return "CREATE TABLE work (region int, kind text, done bigint NOT NULL DEFAULT 0, PRIMARY KEY"
          + " (region, kind));";
    }

    @Override
    List<String> rows() {
      return List.of(
          insert(
              "work (region, kind)",
              2 * REGIONS,
              at -> "(" + at / 2 + ", '" + kind(at % 2) + "')"));
    }

    private static String kind(int number) {
      return number == 0 ? "x" : "y";
    }

    @Override
    Transaction next(Random random, int number) {
      int crew = random.nextInt(3);
      int other = random.nextInt(100) < 85 ? crew : random.nextInt(3);
      return Transaction.of("work", update(crew, random), update(other, random));
    }

    private Step update(int crew, Random random) {
      int half = REGIONS / 2;
      int region = crew == 2 ? half + random.nextInt(half) : random.nextInt(half);
      String kind = kind(crew == 2 ? random.nextInt(2) : crew);
      return Step.of("UPDATE work SET done = done + 1 WHERE region = ? AND kind = ?", region, kind);
    }
  },

  /** Friends meet, and no column says who is whose friend. */
  LOOKUP("'lookup', rule => 'ELSE HASH'") {
    private static final int PEOPLE = 200;
    private static final int CIRCLE = 10;

    @Override
    String schema() {
      return """
      CREATE TABLE person (id bigint PRIMARY KEY, met bigint NOT NULL DEFAULT 0);
      CREATE TABLE post (person_id bigint, post_id bigint, body text, PRIMARY KEY (person_id, post_id));
      """;
    }

    @Override
    List<String> rows() {
      return List.of(insert("person (id)", PEOPLE, at -> "(" + at + ")"));
    }

    @Override
    Transaction next(Random random, int number) {
      int place = random.nextInt(PEOPLE);
      int friend = place / CIRCLE * CIRCLE + random.nextInt(CIRCLE);
      int met = random.nextInt(100) < 92 ? friend : random.nextInt(PEOPLE);
      if (random.nextInt(100) < 30) {
        return Transaction.of(
            "read",
            Step.of("SELECT body FROM post WHERE person_id = ?", person(place)),
            Step.of("SELECT body FROM post WHERE person_id = ?", person(met)));
      }
      return Transaction.of(
          "meet",
          Step.of("UPDATE person SET met = met + 1 WHERE id = ?", person(place)),
          Step.of("UPDATE person SET met = met + 1 WHERE id = ?", person(met)),
          Step.of(
              "INSERT INTO post (person_id, post_id, body) VALUES (?, ?, 'met')",
              person(place),
              (long) number));
    }

    /** A number that tells nothing: neighbours in a circle are far apart. */
    private long person(int place) {
      return place * 77L % PEOPLE;
    }
  };

  private static final Pattern TABLE = Pattern.compile("CREATE TABLE (\\w+) \\((\\w+)");

  private static final Pattern ROUTINE = Pattern.compile("(?:PROCEDURE|FUNCTION) (\\w+)\\(");

  private final List<String> placed;

  Scenario(String... placed) {
    this.placed = List.of(placed);
  }

  /** What the advised placement must contain. */
  List<String> placed() {
    return placed;
  }

  abstract String schema();

  /** Commands that make the first rows. */
  abstract List<String> rows();

  /**
   * The next transaction.
   *
   * @param number of the transaction, which no other has
   */
  abstract Transaction next(Random random, int number);

  /** So many transactions; the same for the same seed. */
  List<Transaction> transactions(int count, long seed) {
    Random random = new Random(seed);
    List<Transaction> all = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      all.add(next(random, number));
    }
    return all;
  }

  /** The tables, those first that others refer to, each with its first column. */
  Map<String, String> firstColumns() {
    Map<String, String> columns = new LinkedHashMap<>();
    TABLE.matcher(schema()).results().forEach(found -> columns.put(found.group(1), found.group(2)));
    return columns;
  }

  /** The names of its procedures and functions. */
  List<String> routines() {
    return ROUTINE.matcher(schema()).results().map(found -> found.group(1)).toList();
  }

  private static String insert(String into, int count, IntFunction<String> values) {
    return IntStream.range(0, count)
        .mapToObj(values)
        .collect(Collectors.joining(", ", "INSERT INTO " + into + " VALUES ", ""));
  }
}
