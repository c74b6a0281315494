package org.abelian.router.batching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Where a batch has no effect, its members need not wait for its end. */
class LeavingTest {
  private static final String KEY = "node";
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(10);

  private final Batcher<Amounts> batcher =
      new Batcher<>(new BatchLimits(1, 0, 10, 10, 1000, 1000, true, PATIENCE, 2), () -> 0);
  private final AtomicInteger stops = new AtomicInteger();

  private Turn<Amounts> leader;
  private Turn<Amounts> member;
  private Turn<Amounts> other;

  private static Amounts one() {
    return new Amounts(List.of(new Amount.Whole(1, false)));
  }

  /** Three meet, and the first one's nodes do not answer. */
  private Batch<Amounts> meet() {
    InFlight before = batcher.departAlone(KEY);
    leader = batcher.join(KEY, one());
    member = batcher.join(KEY, one());
    other = batcher.join(KEY, one());
    before.end();
    Batch<Amounts> batch = leader.lead();
    assertEquals(3, batch.size());
    assertTrue(batch.begin(stops::incrementAndGet));
    return batch;
  }

  private void awaitStop() {
    while (stops.get() == 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void whoHasWaitedTooLongHasItStoppedAndLeavesItWhenThatDoesNotHelp() {
    Batch<Amounts> batch = meet();
    assertEquals(Waiter.State.ANSWERED, member.waiter().await(batcher.limits()));
    assertInstanceOf(Result.Undone.class, member.waiter().result());
    assertEquals(Waiter.State.ANSWERED, other.waiter().await(batcher.limits()));
    assertTimeoutPreemptively(Duration.ofSeconds(10), this::awaitStop);
    batch.end();
    assertEquals(1, stops.get(), "once is enough");
    batch.finish(new Result.Done(7));
    assertInstanceOf(Result.Undone.class, member.waiter().result(), "it has left");
    assertEquals(0, batcher.size());
  }

  @Test
  void whoIsCancelledLeavesAtOnceAndTheOthersGoOn() {
    Batch<Amounts> batch = meet();
    member.waiter().cancel();
    assertEquals(Waiter.State.WITHDRAWN, member.waiter().await(batcher.limits()));
    assertEquals(0, stops.get());
    batch.end();
    batch.finish(new Result.Done(7));
    assertEquals(Waiter.State.ANSWERED, other.waiter().await(batcher.limits()));
    assertEquals(new Result.Done(7), other.waiter().result());
  }

  @Test
  void theLeaderIsStoppedByItsNodesOnly() {
    Batch<Amounts> batch = meet();
    leader.waiter().cancel();
    assertEquals(1, stops.get());
    assertTrue(batch.isCancelled());
  }

  @Test
  void keysThatNobodyUsesAreForgotten() {
    for (int i = 0; i < 100; i++) {
      batcher.departAlone("key " + i).end();
    }
    assertTrue(batcher.kept() <= 2, batcher.kept() + " are kept");
  }
}
