package org.abelian.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import org.abelian.cluster.wire.Message;
import org.abelian.cluster.wire.WireClient;
import org.abelian.harness.LocalNode;
import org.abelian.harness.RouterServer;
import org.abelian.harness.WithCluster;
import org.abelian.harness.WithNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the router cannot do correctly over several nodes it refuses with 0A000 and a hint. */
@WithNode
@WithCluster
class RefusalIT {
  private final RouterServer router;

  RefusalIT(LocalNode node, RouterServer router) throws SQLException {
    this.router = router;
    ParityFixture.create(node, router);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DO $$ BEGIN UPDATE account SET balance = 0; END $$",
        "PREPARE q (int) AS SELECT owner FROM account WHERE id = $1",
        "COPY account FROM STDIN (FORMAT binary)",
        "COPY account (owner) FROM STDIN",
        "COPY account FROM STDIN WHERE id > 5",
        "COPY account FROM STDIN; SELECT 1",
        "SET client_encoding = 'LATIN1'",
        "SET NAMES 'SJIS'",
        "UPDATE account SET id = id + 1 WHERE id = 1",
        "INSERT INTO account SELECT i, 'x', 0 FROM generate_series(3000, 3010) i",
      })
  void isSaidWithAHint(String sql) throws IOException {
    try (WireClient client = ParityFixture.wire(router.port())) {
      List<Message> answer = client.query(sql).untilReady();
      assertEquals('E', answer.get(0).type(), answer.toString());
      assertEquals("0A000", answer.get(0).sqlState(), answer.toString());
      assertNotNull(answer.get(0).fields().get('H'), answer.toString());
    }
  }
}
