package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The statements of one Query are in one transaction block, the first one too: what only a block
 * may hold works there, and what no block may hold does not.
 */
@WithNode
@WithCluster
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ImplicitBlockIT {
  private final LocalNode node;
  private final RouterServer router;

  ImplicitBlockIT(LocalNode node, RouterServer router) throws SQLException {
    this.node = node;
    this.router = router;
    ParityFixture.create(node, router);
  }

  /** Queries are divided by {@code //}. */
  @ParameterizedTest(name = "[{index}] {0}")
  @ValueSource(
      strings = {
        // Cursors.
        "DECLARE c CURSOR FOR SELECT 1 FROM account; FETCH ALL FROM c // FETCH c",
        "DECLARE c CURSOR FOR SELECT id FROM account ORDER BY id; FETCH 3 FROM c",
        "DECLARE c CURSOR FOR SELECT id FROM account WHERE id = 3; FETCH 3 FROM c",
        "DECLARE c CURSOR FOR SELECT name FROM scratch; FETCH 3 FROM c; CLOSE c; FETCH c",
        "DECLARE c SCROLL CURSOR FOR SELECT id FROM account ORDER BY id; FETCH LAST FROM c",
        "SELECT 1; DECLARE c CURSOR FOR SELECT 1 FROM account",
        "UPDATE account SET hits = hits + 1 WHERE id = 1;"
            + " DECLARE c CURSOR FOR SELECT hits FROM account ORDER BY id; FETCH 2 FROM c",
        "DECLARE c CURSOR WITH HOLD FOR SELECT id FROM account ORDER BY id; SELECT 1"
            + " // FETCH 2 FROM c // CLOSE c",
        "DECLARE c CURSOR WITH HOLD FOR SELECT id FROM account ORDER BY id; SELECT 1 / 0"
            + " // FETCH 2 FROM c",
        "DECLARE c CURSOR FOR SELECT 1 FROM account",
        // Locks.
        "LOCK TABLE scratch; UPDATE scratch SET meaning = meaning",
        "LOCK TABLE account IN SHARE MODE; UPDATE account SET hits = hits + 1 WHERE id = 2",
        "SELECT 1; LOCK TABLE kind",
        "LOCK TABLE account",
        // Settings of the transaction, and of the session.
        "SET LOCAL work_mem = '8MB'; SHOW work_mem // SHOW work_mem",
        "SELECT 1; SET LOCAL work_mem = '8MB'; SELECT current_setting('work_mem') FROM account"
            + " WHERE id IN (1, 2, 3)",
        "SET LOCAL work_mem = '8MB'; SET LOCAL statement_timeout = 777; SHOW statement_timeout",
        "SET LOCAL work_mem = 'nothing'; SELECT 1",
        "SET LOCAL work_mem = '8MB'",
        "SET LOCAL work_mem = '8MB'; COMMIT; SHOW work_mem",
        "SET LOCAL work_mem = '8MB'; BEGIN; SHOW work_mem // SHOW work_mem; COMMIT; SHOW work_mem",
        "SET LOCAL work_mem = '8MB'; SET work_mem = '9MB'; SHOW work_mem // SHOW work_mem",
        "SET LOCAL work_mem = '8MB'; SET statement_timeout = 777; SELECT 1 / 0 // SHOW"
            + " statement_timeout",
        "UPDATE account SET hits = hits + 1; SET statement_timeout = 777; SELECT"
            + " current_setting('statement_timeout') FROM account // SHOW statement_timeout",
        "SET work_mem = '9MB'; SET statement_timeout = 777 // SHOW work_mem // SELECT"
            + " current_setting('statement_timeout') FROM account",
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT owner FROM account WHERE id = 1;"
            + " SHOW transaction_isolation // SHOW transaction_isolation",
        "SET TRANSACTION READ ONLY; UPDATE account SET hits = hits + 1 // SELECT sum(hits::int)"
            + " FROM account",
        "SELECT owner FROM account WHERE id = 1; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        "SET CONSTRAINTS ALL DEFERRED; SELECT 1",
        "SELECT 1; SET CONSTRAINTS ALL DEFERRED",
        "SET CONSTRAINTS ALL DEFERRED",
        "SET CONSTRAINTS nothing IMMEDIATE",
        // Modes of a BEGIN in the midst.
        "SELECT 1; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT 2 // SHOW transaction_isolation",
        "SELECT 1; BEGIN; SELECT 2 // SHOW transaction_isolation // COMMIT",
        "LOCK TABLE scratch; BEGIN READ ONLY; UPDATE scratch SET meaning = meaning // ROLLBACK",
        "LOCK TABLE scratch; BEGIN ISOLATION LEVEL SERIALIZABLE; SHOW transaction_isolation // SHOW"
            + " transaction_isolation // COMMIT // SHOW transaction_isolation",
        "SET LOCAL work_mem = '8MB'; BEGIN ISOLATION LEVEL REPEATABLE READ; SHOW"
            + " transaction_isolation; SHOW work_mem // COMMIT AND CHAIN // SHOW"
            + " transaction_isolation // COMMIT",
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; BEGIN ISOLATION LEVEL SERIALIZABLE;"
            + " SELECT owner FROM account WHERE id = 1; SHOW transaction_isolation // ROLLBACK",
        "UPDATE account SET hits = 9; BEGIN ISOLATION LEVEL SERIALIZABLE // SELECT"
            + " sum(hits::int) FROM account",
        "UPDATE account SET hits = hits; START TRANSACTION READ ONLY; SELECT 1 // UPDATE account"
            + " SET hits = 0 WHERE id = 1 // ROLLBACK",
        "UPDATE account SET hits = hits WHERE id IN (1, 2, 3); BEGIN READ ONLY; SELECT"
            + " current_setting('transaction_read_only') FROM account // ROLLBACK",
        // What no block may hold.
        "SELECT 1; DISCARD ALL",
        "DISCARD ALL; SELECT 1",
        "PREPARE q AS SELECT 1; DISCARD ALL // EXECUTE q",
        "DISCARD ALL",
        // Savepoints need a BEGIN all the same.
        "SET LOCAL work_mem = '8MB'; SAVEPOINT s",
        "LOCK TABLE scratch; COMMIT AND CHAIN",
        // What was done is kept, or not, together.
        "LOCK TABLE account; UPDATE account SET hits = 9 WHERE id = 1; SELECT 1 / 0"
            + " // SELECT sum(hits::int) FROM account",
        "LOCK TABLE account; UPDATE account SET hits = 9 WHERE id IN (1, 2, 3)"
            + " // SELECT sum(hits::int) FROM account",
        "LOCK TABLE account; INSERT INTO kind VALUES ('lent', 'lent'); ROLLBACK; SELECT count(*)"
            + " FROM kind",
      })
  void theFirstStatementIsInItAsOnANode(String script) throws IOException {
    assertEquals(
        String.join("\n", answers(node.port(), script)),
        String.join("\n", answers(router.port(), script)));
  }

  private static List<String> answers(int port, String script) throws IOException {
    List<Message> messages = new ArrayList<>();
    try (WireClient client = ParityFixture.wire(port)) {
      for (String query : script.split("//")) {
        messages.addAll(client.query(query.strip()).untilReady());
      }
    }
    return ParityFixture.comparable(messages);
  }
}
