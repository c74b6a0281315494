package org.abelian.advisor.applied;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.abelian.advisor.LoggedServer;
import org.abelian.advisor.command.Commands;
import org.abelian.advisor.files.JsonFile;
import org.abelian.advisor.proposals.Proposal;
import org.abelian.advisor.proposals.Proposals;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is proposed for a cluster's present placement helps as much as it says. */
@WithCluster
class WatchedClusterIT {
  private static final String TABLE =
      "CREATE TABLE member (id bigint PRIMARY KEY, met bigint NOT NULL DEFAULT 0)";
  private static final int COUPLES = 20;
  private static final int TRANSACTIONS = 400;
  private static final long SEED = Long.getLong("abelian.applied.seed", 5);

  @TempDir static Path folder;
  private final LocalCluster cluster;

  WatchedClusterIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  /** Two thirds of all transactions are of a couple, the others of one member. */
  private static List<Transaction> transactions() {
    Random random = new Random(SEED);
    List<Transaction> all = new ArrayList<>();
    for (int i = 0; i < TRANSACTIONS; i++) {
      long one = random.nextInt(COUPLES);
      Step meet = Step.of("UPDATE member SET met = met + 1 WHERE id = ?", one);
      Step other = Step.of("UPDATE member SET met = met + 1 WHERE id = ?", one + COUPLES);
      all.add(
          random.nextInt(3) < 2
              ? Transaction.of("meet", meet, other)
              : Transaction.of("alone", meet));
    }
    return all;
  }

  private static List<String> rows() {
    List<String> rows = new ArrayList<>();
    for (int id = 0; id < 2 * COUPLES; id++) {
      rows.add("INSERT INTO member (id) VALUES (" + id + ")");
    }
    return rows;
  }

  @Test
  void proposalsHelpAsMuchAsTheySay() throws Exception {
    try (LoggedServer server = new LoggedServer(folder, Map.of());
        Connection connection = cluster.connect()) {
      server.createDatabase("members");
      try (Connection logged = server.connect("members")) {
        Client client = new Client(logged);
        client.run(List.of(TABLE));
        client.run(rows());
        for (Transaction transaction : transactions()) {
          client.run(transaction, false);
        }
      }
      server.awaitLogs("members");
      Client client = new Client(connection);
      client.run(List.of(TABLE, "SELECT create_distributed_table('member', 'id', 'lookup')"));
      Proposals proposals = watch(server);
      assertFalse(proposals.proposals().isEmpty());
      for (Proposal proposal : proposals.proposals()) {
        assertTrue(proposal.placeable(), proposal::toString);
        follow(client, proposal);
      }
      client.run(rows());
      Map<String, Long> before = CommitClasses.of(connection);
      for (Transaction transaction : transactions()) {
        client.run(transaction, false);
      }
      connection.setAutoCommit(true);
      long several = CommitClasses.several(before, CommitClasses.of(connection));
      client.run(List.of("DROP TABLE member"));
      Proposal last = proposals.proposals().get(proposals.proposals().size() - 1);
      String told = "seed " + SEED + ": " + proposals;
      // The log has the inserts as well.
      double share = several / (double) proposals.transactions();
      assertEquals(last.after().distributed(), share, 0.02, told);
      assertTrue(share < proposals.present().distributed() / 2, told);
      System.out.printf(
          "WATCH: present %.3f, proposed %.3f, observed %.3f%n",
          proposals.present().distributed(), last.after().distributed(), share);
    }
  }

  private Proposals watch(LoggedServer server) throws Exception {
    Path output = folder.resolve("proposals");
    assertEquals(
        0,
        Commands.execute(
            "--watch",
            "--log",
            server.log("server.json").toString(),
            "--database",
            "members",
            "--cluster",
            cluster.node(0).jdbcUrl() + "?user=app&password=app",
            "--every",
            "1",
            "--rounds",
            "2",
            "--output",
            output.toString()));
    try (Stream<Path> left = Files.list(folder)) {
      assertTrue(left.noneMatch(file -> file.getFileName().toString().startsWith(".")));
    }
    return JsonFile.read(output.resolve("proposals.json"), Proposals.class);
  }

  /** As an operator would before there are rows. */
  private static void follow(Client client, Proposal proposal) throws Exception {
    String key = proposal.key().substring(proposal.key().indexOf("= ") + 2);
    // Partitions lie on the nodes in contiguous ranges.
    int partition = (proposal.to() - 1) * 32 / 3 + 1;
    client.run(List.of("SELECT abelian.place_key('member', " + key + ", " + partition + ")"));
  }
}
