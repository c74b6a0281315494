package org.abelian.advisor.trace.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.analysis.FactsParser;
import org.junit.jupiter.api.Test;

class TransactionsTest {
  private final List<String> found = new ArrayList<>();
  private final Transactions transactions =
      new Transactions(
          statements ->
              found.add(
                  String.join("+", statements.stream().map(Transactions.Executed::text).toList())));

  private void run(String session, String id, String text) {
    String json =
        switch (text) {
          case "BEGIN", "COMMIT", "ROLLBACK", "ROLLBACK_TO" ->
              "[{\"kind\": \"utility\", \"utility\": \"" + text.toLowerCase() + "\"}]";
          default ->
              "[{\"kind\": \"update\", \"relations\": [{\"id\": 1, \"schema\": \"public\","
                  + " \"name\": \"t\", \"write\": true}]}]";
        };
    transactions.add(
        new LogEntry(session, id, "LOG", text, null),
        new Transactions.Executed(text, text, FactsParser.parse(json).get(0), List.of(), null));
  }

  private void fail(String session, String id) {
    transactions.fail(new LogEntry(session, id, "ERROR", "no", null));
  }

  private List<String> end() {
    transactions.end();
    return found;
  }

  @Test
  void putsBlocksTogether() {
    run("s", "3/1", "BEGIN");
    run("s", "3/1", "a");
    run("s", "3/1", "b");
    run("s", "3/0", "COMMIT");
    run("s", "3/0", "c");
    assertEquals(List.of("a+b", "c"), end());
  }

  @Test
  void putsSharedIdsTogether() {
    run("s", "3/1", "a");
    run("s", "3/1", "b");
    run("s", "3/2", "c");
    assertEquals(List.of("a+b", "c"), end());
  }

  @Test
  void leavesOutWhatWasNotCommitted() {
    run("s", "3/1", "BEGIN");
    run("s", "3/1", "a");
    run("s", "3/0", "ROLLBACK");
    run("s", "3/2", "BEGIN");
    run("s", "3/2", "b");
    fail("s", "3/2");
    run("s", "3/0", "COMMIT");
    run("s", "3/3", "c");
    fail("s", "3/3");
    run("s", "3/4", "BEGIN");
    run("s", "3/4", "d");
    assertEquals(List.of(), end());
    assertEquals(4, transactions.dropped());
  }

  @Test
  void keepsSessionsApart() {
    run("s", "3/1", "BEGIN");
    run("s", "3/1", "a");
    run("r", "4/0", "b");
    assertEquals(List.of("b"), end());
    assertEquals(1, transactions.dropped());
  }

  @Test
  void keepsWhatGoesOnAfterASavepoint() {
    run("s", "3/1", "BEGIN");
    run("s", "3/1", "a");
    fail("s", "3/1");
    run("s", "3/1", "ROLLBACK_TO");
    run("s", "3/1", "b");
    run("s", "3/1", "COMMIT");
    assertEquals(List.of("a+b"), end());
  }
}
