package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.util.List;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.escrow.GuestLists;
import org.abelian.histories.escrow.GuestLists.Way;
import org.abelian.histories.load.Kills;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many hosts with guests for few places, on sets of bounded size, with savepoints, aborts, prepared
 * transactions, and sessions and nodes that are killed: no list is too long, no guest is lost, and
 * nobody is refused a place that was free. System property {@code abelian.soak.seconds} makes the
 * runs longer.
 */
@WithNode(
    exclusive = true,
    settings = {
      "abelian.fold_interval=5ms",
      "abelian.fold_after=1ms",
      "max_prepared_transactions=100",
      "deadlock_timeout=50ms"
    })
class GuestListsIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 3);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int HOSTS = 16;
  private static final int KILLS_PER_SECOND = 10;

  private final LocalNode node;

  GuestListsIT(LocalNode node) {
    this.node = node;
  }

  @ParameterizedTest
  @EnumSource(names = {"BOUNDED", "CONDITION"})
  void noListIsTooLongAndNobodyIsRefusedAFreePlaceWhileSessionsAreKilled(Way way) throws Exception {
    GuestLists lists = GuestLists.create(node, way);
    assertFalse(run(lists), "a snapshot shows a list that is too long, seed " + SEED);
    assertEquals(List.of(), lists.faults(), "seed " + SEED);
    assertTrue(lists.record().refused() > 0, "nobody was refused, seed " + SEED);
    assertTrue(lists.record().granted() > 0, "nobody got a place, seed " + SEED);
  }

  /** Their slices grow, and are passed on from one tier to the next unless the size is bounded. */
  @ParameterizedTest
  @EnumSource(names = {"BOUNDED_FAR_OFF", "UNBOUNDED"})
  void noGuestOfALongListIsLostWhileSessionsAreKilled(Way way) throws Exception {
    GuestLists lists = GuestLists.create(node, way);
    lists.setFolding(false);
    try {
      run(lists);
      assertEquals(way == Way.UNBOUNDED, lists.hasTiers(), "tiers, seed " + SEED);
      assertEquals(List.of(), lists.faults(), "seed " + SEED);
    } finally {
      lists.setFolding(true);
    }
    run(lists);
    assertEquals(List.of(), lists.faults(), "seed " + SEED);
    assertEquals(0, lists.record().refused(), "refused, seed " + SEED);
  }

  @Test
  void aKilledNodeKeepsTheListsWithinTheirPlaces() throws Exception {
    GuestLists lists = GuestLists.create(node, Way.BOUNDED);
    for (int kill = 1; kill <= 2; kill++) {
      lists.start(HOSTS, SEED + 1000L * kill);
      Thread.sleep(1000);
      node.kill();
      lists.crew().awaitEnd();
      node.start();
      resolve(lists);
      assertEquals(List.of(), lists.faults(), "seed " + SEED);
    }
    assertTrue(lists.record().granted() > 0, "nobody got a place, seed " + SEED);
  }

  /** What the tests above would miss, they could not prove. */
  @Test
  void aTestOfCommittedSizesAloneIsNoticed() throws Exception {
    GuestLists lists = GuestLists.create(node, Way.COMMITTED_ALONE);
    assertTrue(run(lists) || !lists.faults().isEmpty(), "nothing was noticed, seed " + SEED);
  }

  /** Lets hosts work for a while, and kills some; whether a reader saw a list that is too long. */
  private boolean run(GuestLists lists) throws Exception {
    Kills kills = new Kills(HOSTS, SECONDS * KILLS_PER_SECOND, 1000 / KILLS_PER_SECOND);
    boolean wrong = lists.workBesideKills(kills, SEED);
    resolve(lists);
    assertTrue(lists.crew().acknowledged() > 0, "nothing happened, seed " + SEED);
    return wrong;
  }

  /** What a killed session had prepared is rolled back: its commit was never asked for. */
  private void resolve(GuestLists lists) throws SQLException {
    lists.crew().resolvePrepared(n -> false);
  }
}
