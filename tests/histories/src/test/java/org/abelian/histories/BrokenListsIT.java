package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.abelian.harness.LocalCluster;
import org.abelian.harness.WithCluster;
import org.abelian.histories.brokenlists.CopyingClient;
import org.abelian.histories.brokenlists.HalvesClient;
import org.abelian.histories.brokenlists.OwnOrderClient;
import org.abelian.histories.brokenlists.RetryingClient;
import org.abelian.histories.brokenlists.UngatedReadClient;
import org.abelian.histories.lists.Connector;
import org.abelian.histories.lists.Kind;
import org.abelian.histories.lists.ListClient;
import org.abelian.histories.lists.ListHistory;
import org.abelian.histories.lists.ListRun;
import org.abelian.histories.lists.ListTables;
import org.abelian.histories.order.ListChecker;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A checker that never complains proves nothing: each of these faults must be noticed. */
@WithCluster(settings = {"deadlock_timeout=100ms"})
class BrokenListsIT {
  /** Bound on the search for a history that shows the fault. */
  private static final int HISTORIES_MAX = 40;

  private static final int CLIENTS = 6;
  private static final int EACH = 40;
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());

  private static ListTables tables;

  private final LocalCluster cluster;

  BrokenListsIT(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void createTables(LocalCluster cluster) throws Exception {
    tables = ListTables.of(cluster);
  }

  @Test
  void noticesReadsOfTransactionsThatAreAppliedByHalves() throws Exception {
    mustNotice(
        "no serial order", HalvesClient::new, EnumSet.of(Kind.INDEPENDENT, Kind.SPREAD_READ));
  }

  @Test
  void noticesNodesThatExecuteIndependentTransactionsInDifferentOrdersWithoutAnyRead()
      throws Exception {
    mustNotice("no serial order", OwnOrderClient::new, EnumSet.of(Kind.INDEPENDENT));
  }

  @Test
  void noticesAppendsThatAreRepeatedAfterSuccess() throws Exception {
    mustNotice(
        "twice",
        connector -> new RetryingClient(connector, Kind.SINGLE_APPEND),
        EnumSet.of(Kind.INDEPENDENT, Kind.SINGLE_APPEND));
  }

  @Test
  void noticesOperationsThatAreRepeatedAfterSuccess() throws Exception {
    mustNotice(
        "marked twice",
        connector -> new RetryingClient(connector, Kind.COMMUTING),
        EnumSet.of(Kind.COMMUTING));
  }

  @Test
  void noticesReadsThatDoNotPassTheGate() throws Exception {
    mustNotice(
        "no serial order", UngatedReadClient::new, EnumSet.of(Kind.INDEPENDENT, Kind.SPREAD_READ));
  }

  @Test
  void noticesLostUpdates() throws Exception {
    mustNotice("lost", CopyingClient::new, EnumSet.of(Kind.SINGLE_APPEND, Kind.SINGLE_READ));
  }

  private void mustNotice(String about, Function<Connector, ListClient> clients, Set<Kind> kinds)
      throws Exception {
    for (int i = 0; i < HISTORIES_MAX; i++) {
      ListHistory history =
          ListRun.start(
                  tables.makeKeys(1),
                  SEED + i,
                  CLIENTS,
                  number -> clients.apply(cluster::connect),
                  kinds,
                  EACH)
              .awaitEnd(cluster::connect);
      List<String> complaints = ListChecker.complaints(history);
      if (complaints.stream().anyMatch(complaint -> complaint.startsWith(about))) {
        System.out.println(i + " histories before: " + complaints.get(0).lines().findFirst());
        return;
      }
      assertTrue(complaints.isEmpty(), () -> "not \"" + about + "\", but " + complaints);
    }
    throw new AssertionError("not noticed from seed " + SEED + ": " + about);
  }
}
