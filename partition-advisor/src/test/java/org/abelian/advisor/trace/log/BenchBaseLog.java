package org.abelian.advisor.trace.log;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A csvlog as a server writes it under BenchBase's TPC-C: its statements over several lines,
 * through the JDBC driver's extended protocol (parse, bind and execute by themselves, without a
 * name at first), with values in the detail, batches rewritten to INSERTs of several rows, and
 * sessions that take turns.
 */
final class BenchBaseLog {
  static final int WAREHOUSES = 6;

  private static final int SESSIONS = 8;
  private static final int EXECUTIONS_WITHOUT_NAME = 5;
  private static final String DATE = "2026-11-23 10:00:00.123";

  private final Random random = new Random(3);
  private final Map<String, Integer> executions = new HashMap<>();
  private final Map<String, Integer> orders = new HashMap<>();
  private final int[] lines = new int[SESSIONS];
  private int clock;

  /** A statement of a session. */
  private record Call(String sql, Object... values) {}

  /** Writes the log of so many transactions. */
  static void write(Path file, int transactions) throws IOException {
    try (BufferedWriter log = Files.newBufferedWriter(file)) {
      new BenchBaseLog().write(log, transactions);
    }
  }

  private void write(BufferedWriter log, int transactions) throws IOException {
    List<Deque<Call>> open = new ArrayList<>();
    for (int session = 0; session < SESSIONS; session++) {
      open.add(new ArrayDeque<>());
    }
    int begun = 0;
    while (begun < transactions || open.stream().anyMatch(calls -> !calls.isEmpty())) {
      int session = random.nextInt(SESSIONS);
      Deque<Call> calls = open.get(session);
      if (calls.isEmpty() && begun < transactions) {
        begun++;
        calls.addAll(transaction());
      }
      if (!calls.isEmpty()) {
        execute(log, session, calls.remove());
      }
    }
  }

  /** What the driver sends, as log_min_duration_statement = 0 has it logged. */
  private void execute(BufferedWriter log, int session, Call call) throws IOException {
    int before = executions.merge(session + call.sql(), 1, Integer::sum);
    boolean isNamed = before > EXECUTIONS_WITHOUT_NAME;
    String name = isNamed ? "S_" + Math.abs(call.sql().hashCode() % 90) : "<unnamed>";
    String detail = call.values().length == 0 ? "" : "parameters: " + parameters(call.values());
    if (!isNamed) {
      line(log, session, "PARSE", "parse <unnamed>: " + call.sql(), "");
    }
    line(log, session, "BIND", "bind " + name + ": " + call.sql(), detail);
    String tag = call.sql().strip().split("\\s")[0].toUpperCase(Locale.ROOT);
    line(log, session, tag, "execute " + name + ": " + call.sql(), detail);
  }

  private static String parameters(Object... values) {
    List<String> texts = new ArrayList<>();
    for (int at = 0; at < values.length; at++) {
      texts.add("$" + (at + 1) + " = '" + values[at].toString().replace("'", "''") + "'");
    }
    return String.join(", ", texts);
  }

  private void line(BufferedWriter log, int session, String tag, String message, String detail)
      throws IOException {
    int at = clock++;
    List<String> columns =
        List.of(
            String.format(
                "2026-11-23 10:%02d:%02d.%03d UTC", at / 60000, at / 1000 % 60, at % 1000),
            "benchbase",
            "tpcc",
            "" + (4000 + session),
            "127.0.0.1:" + (50000 + session),
            "67a." + (4000 + session),
            "" + ++lines[session],
            tag,
            "2026-11-23 09:59:00 UTC",
            (session + 3) + "/" + at,
            "0",
            "LOG",
            "00000",
            "duration: 0.0" + (10 + at % 90) + " ms  " + message,
            detail);
    log.write(columns.stream().map(BenchBaseLog::quoted).collect(Collectors.joining(",")));
    log.write(",,,,,,,,\"PostgreSQL JDBC Driver\",\"client backend\",,0\n");
  }

  private static String quoted(String value) {
    return value.isEmpty() ? "" : '"' + value.replace("\"", "\"\"") + '"';
  }

  private List<Call> transaction() {
    List<Call> calls = new ArrayList<>();
    calls.add(new Call("BEGIN"));
    int warehouse = 1 + random.nextInt(WAREHOUSES);
    int district = 1 + random.nextInt(10);
    int dice = random.nextInt(100);
    boolean commits = true;
    if (dice < 45) {
      commits = newOrder(calls, warehouse, district);
    } else if (dice < 88) {
      payment(calls, warehouse, district);
    } else if (dice < 92) {
      orderStatus(calls, warehouse, district);
    } else if (dice < 96) {
      stockLevel(calls, warehouse, district);
    } else {
      delivery(calls, warehouse);
    }
    calls.add(new Call(commits ? "COMMIT" : "ROLLBACK"));
    return calls;
  }

  private int remote(int warehouse) {
    return (warehouse + random.nextInt(WAREHOUSES - 1)) % WAREHOUSES + 1;
  }

  private int customer() {
    return 1 + random.nextInt(3000);
  }

  private static void add(List<Call> calls, String sql, Object... values) {
    calls.add(new Call(sql.replace("|", "\n                    "), values));
  }

  private boolean newOrder(List<Call> calls, int w, int d) {
    int c = customer();
    int order = orders.merge(w + "/" + d, 1, Integer::sum) + 3000;
    int count = 5 + random.nextInt(11);
    add(
        calls,
        "|SELECT C_DISCOUNT, C_LAST, C_CREDIT|  FROM customer| WHERE C_W_ID = $1|   AND C_D_ID ="
            + " $2|   AND C_ID = $3|",
        w,
        d,
        c);
    add(calls, "|SELECT W_TAX|  FROM warehouse| WHERE W_ID = $1|", w);
    add(
        calls,
        "|SELECT D_NEXT_O_ID, D_TAX|  FROM district| WHERE D_W_ID = $1 AND D_ID = $2 FOR UPDATE|",
        w,
        d);
    add(
        calls,
        "|UPDATE district|   SET D_NEXT_O_ID = D_NEXT_O_ID + 1| WHERE D_W_ID = $1|   AND D_ID ="
            + " $2|",
        w,
        d);
    add(
        calls,
        "|INSERT INTO oorder| (O_ID, O_D_ID, O_W_ID, O_C_ID, O_ENTRY_D, O_OL_CNT, O_ALL_LOCAL)|"
            + " VALUES ($1, $2, $3, $4, $5, $6, $7)|",
        order,
        d,
        w,
        c,
        DATE,
        count,
        1);
    add(
        calls,
        "|INSERT INTO new_order| (NO_O_ID, NO_D_ID, NO_W_ID)| VALUES ( $1, $2, $3)|",
        order,
        d,
        w);
    List<Object> lineValues = new ArrayList<>();
    List<Object[]> stocks = new ArrayList<>();
    for (int number = 1; number <= count; number++) {
      int item = 1 + random.nextInt(100_000);
      int supply = random.nextInt(100) == 0 ? remote(w) : w;
      add(calls, "|SELECT I_PRICE, I_NAME , I_DATA|  FROM item| WHERE I_ID = $1|", item);
      add(
          calls,
          "|SELECT S_QUANTITY, S_DATA, S_DIST_01|  FROM stock| WHERE S_I_ID = $1|   AND S_W_ID = $2"
              + " FOR UPDATE|",
          item,
          supply);
      Collections.addAll(
          lineValues, order, d, w, number, item, supply, 5, "12.50", "it's info, $1 = 'x'");
      stocks.add(new Object[] {50, 5, 0, item, supply});
    }
    if (random.nextInt(100) == 0) {
      return false; // an item that is not there
    }
    orderLines(calls, lineValues);
    for (Object[] stock : stocks) {
      add(
          calls,
          "|UPDATE stock|   SET S_QUANTITY = $1 ,|       S_YTD = S_YTD + $2,|       S_ORDER_CNT ="
              + " S_ORDER_CNT + 1,|       S_REMOTE_CNT = S_REMOTE_CNT + $3| WHERE S_I_ID = $4|  "
              + " AND S_W_ID = $5|",
          stock);
    }
    return true;
  }

  /** The driver makes INSERTs of 1, 2, 4 or 8 rows of a batch. */
  private static void orderLines(List<Call> calls, List<Object> values) {
    int columns = 9;
    int left = values.size() / columns;
    int at = 0;
    while (left > 0) {
      int rows = Math.min(8, Integer.highestOneBit(left));
      List<String> tuples = new ArrayList<>();
      for (int row = 0; row < rows; row++) {
        List<String> numbers = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          numbers.add("$" + (row * columns + column));
        }
        tuples.add("(" + String.join(",", numbers) + ")");
      }
      add(
          calls,
          "|INSERT INTO order_line| (OL_O_ID, OL_D_ID, OL_W_ID, OL_NUMBER, OL_I_ID, OL_SUPPLY_W_ID,"
              + " OL_QUANTITY, OL_AMOUNT, OL_DIST_INFO)| VALUES "
              + String.join(",", tuples),
          values.subList(at, at + rows * columns).toArray());
      at += rows * columns;
      left -= rows;
    }
  }

  private void payment(List<Call> calls, int w, int d) {
    int home = random.nextInt(100) < 85 ? w : remote(w);
    int c = customer();
    add(calls, "|UPDATE warehouse|   SET W_YTD = W_YTD + $1| WHERE W_ID = $2|", "20.5", w);
    add(calls, "|SELECT W_STREET_1, W_CITY, W_NAME|  FROM warehouse| WHERE W_ID = $1|", w);
    add(
        calls,
        "|UPDATE district|   SET D_YTD = D_YTD + $1| WHERE D_W_ID = $2|   AND D_ID = $3|",
        "20.5",
        w,
        d);
    byCustomer(calls, home, d, c);
    add(
        calls,
        "|UPDATE customer|   SET C_BALANCE = $1,|       C_YTD_PAYMENT = $2,|       C_PAYMENT_CNT ="
            + " $3| WHERE C_W_ID = $4|   AND C_D_ID = $5|   AND C_ID = $6|",
        "-30.5",
        "30.5",
        2,
        home,
        d,
        c);
    add(
        calls,
        "|INSERT INTO history| (H_C_D_ID, H_C_W_ID, H_C_ID, H_D_ID, H_W_ID, H_DATE, H_AMOUNT,"
            + " H_DATA)| VALUES ($1,$2,$3,$4,$5,$6,$7,$8)|",
        d,
        home,
        c,
        d,
        w,
        DATE,
        "20.5",
        "name    name");
  }

  private void byCustomer(List<Call> calls, int w, int d, int c) {
    if (random.nextInt(100) < 60) {
      add(
          calls,
          "|SELECT C_FIRST, C_MIDDLE, C_ID, C_BALANCE|  FROM customer| WHERE C_W_ID = $1|   AND"
              + " C_D_ID = $2|   AND C_LAST = $3| ORDER BY C_FIRST|",
          w,
          d,
          "BARBAR'ESE");
    } else {
      add(
          calls,
          "|SELECT C_FIRST, C_LAST, C_BALANCE|  FROM customer| WHERE C_W_ID = $1|   AND C_D_ID ="
              + " $2|   AND C_ID = $3|",
          w,
          d,
          c);
    }
  }

  private void orderStatus(List<Call> calls, int w, int d) {
    byCustomer(calls, w, d, customer());
    add(
        calls,
        "|SELECT O_ID, O_CARRIER_ID, O_ENTRY_D|  FROM oorder| WHERE O_W_ID = $1|   AND O_D_ID = $2|"
            + "   AND O_C_ID = $3| ORDER BY O_ID DESC LIMIT 1|",
        w,
        d,
        customer());
    add(
        calls,
        "|SELECT OL_I_ID, OL_SUPPLY_W_ID, OL_QUANTITY|  FROM order_line| WHERE OL_O_ID = $1|   AND"
            + " OL_D_ID = $2|   AND OL_W_ID = $3|",
        3000,
        d,
        w);
  }

  private static void stockLevel(List<Call> calls, int w, int d) {
    add(calls, "|SELECT D_NEXT_O_ID|  FROM district| WHERE D_W_ID = $1|   AND D_ID = $2|", w, d);
    add(
        calls,
        "|SELECT COUNT(DISTINCT (S_I_ID)) AS STOCK_COUNT| FROM  order_line, stock| WHERE OL_W_ID ="
            + " $1| AND OL_D_ID = $2| AND OL_O_ID < $3| AND OL_O_ID >= $4| AND S_W_ID = $5| AND"
            + " S_I_ID = OL_I_ID| AND S_QUANTITY < $6|",
        w,
        d,
        3001,
        2981,
        w,
        15);
  }

  private void delivery(List<Call> calls, int w) {
    for (int d = 1; d <= 10; d++) {
      int order = 2100 + random.nextInt(900);
      Object[] key = {order, d, w};
      add(
          calls,
          "|SELECT NO_O_ID FROM new_order| WHERE NO_D_ID = $1|   AND NO_W_ID = $2| ORDER BY NO_O_ID"
              + " ASC| LIMIT 1|",
          d,
          w);
      String where = " WHERE %1$sO_ID = $%2$d|   AND %1$sD_ID = $%3$d|   AND %1$sW_ID = $%4$d|";
      String ofOrder = " WHERE O_ID = $%d|   AND O_D_ID = $%d|   AND O_W_ID = $%d|";
      add(calls, "|DELETE FROM new_order|" + where.formatted("NO_", 1, 2, 3), key);
      add(calls, "|SELECT O_C_ID FROM oorder|" + ofOrder.formatted(1, 2, 3), key);
      add(
          calls,
          "|UPDATE oorder|   SET O_CARRIER_ID = $1|" + ofOrder.formatted(2, 3, 4),
          prepended(3, key));
      add(
          calls,
          "|UPDATE order_line|   SET OL_DELIVERY_D = $1|" + where.formatted("OL_", 2, 3, 4),
          prepended(DATE, key));
      add(
          calls,
          "|SELECT SUM(OL_AMOUNT)|  FROM order_line|" + where.formatted("OL_", 1, 2, 3),
          key);
      add(
          calls,
          "|UPDATE customer|   SET C_BALANCE = C_BALANCE + $1| WHERE C_W_ID = $2|   AND C_D_ID ="
              + " $3|   AND C_ID = $4|",
          "100.5",
          w,
          d,
          customer());
    }
  }

  private static Object[] prepended(Object first, Object... rest) {
    List<Object> all = new ArrayList<>(List.of(first));
    all.addAll(Arrays.asList(rest));
    return all.toArray();
  }
}
