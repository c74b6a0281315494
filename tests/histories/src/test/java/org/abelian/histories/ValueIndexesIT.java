package org.abelian.histories;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.abelian.harness.LocalNode;
import org.abelian.harness.WithNode;
import org.abelian.histories.ranked.RankedPages;
import org.abelian.histories.ranked.RankedPages.Way;
import org.junit.jupiter.api.Test;

/**
 * Generated queries that find and order rows by the values of counters, beside writers who split
 * objects, overwrite, delete and insert them, while the node folds as eagerly as it can: by the
 * indexes they give what they give without, under the same snapshot, at every isolation level.
 * System property {@code abelian.soak.seconds} makes the runs longer.
 */
@WithNode(
    settings = {
      "abelian.fold_interval=5ms",
      "abelian.fold_after=1ms",
      "deadlock_timeout=50ms",
      "autovacuum_naptime=1s"
    })
class ValueIndexesIT {
  private static final int SECONDS = Integer.getInteger("abelian.soak.seconds", 5);
  private static final long SEED = Long.getLong("abelian.seed", System.nanoTime());
  private static final int WRITERS = 6;
  private static final int READERS = 4;

  private final LocalNode node;

  ValueIndexesIT(LocalNode node) {
    this.node = node;
  }

  @Test
  void queriesGiveByIndexesWhatTheyGiveWithoutBesideWritersAndFolding() throws Exception {
    RankedPages pages = run(Way.VALUE);
    assertEquals(List.of(), pages.faults(), "seed " + SEED);
  }

  /** What the test above would miss, it could not prove. */
  @Test
  void aReaderThatForgetsTheSlicesIsNoticed() throws Exception {
    RankedPages pages = run(Way.BASE_ALONE);
    assertFalse(pages.faults().isEmpty(), "nothing was noticed, seed " + SEED);
  }

  private RankedPages run(Way way) throws Exception {
    RankedPages pages = RankedPages.create(node, way);
    pages.start(WRITERS, READERS, SEED);
    try (Connection connection = node.connect();
        Statement statement = connection.createStatement()) {
      assertTrue(RankedPages.goesByIndexes(statement), "the indexes are not used");
      Thread.sleep(SECONDS * 1000L);
      assertTrue(RankedPages.goesByIndexes(statement), "the indexes are not used any more");
    } finally {
      pages.stop();
    }
    assertTrue(pages.written() > 0, "nothing was written, seed " + SEED);
    assertTrue(pages.comparisons() > 0, "nothing was compared, seed " + SEED);
    return pages;
  }
}
