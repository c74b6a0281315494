package org.abelian.router.batching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.routing.TextValues;
import org.junit.jupiter.api.Test;

/** Real threads: nobody waits for ever, and the sum is what was acknowledged. */
class BatcherThreadsTest {
  private static final int THREADS = 24;
  private static final int OPERATIONS = 200;
  private static final long COMMIT_NANOS = 50_000;

  private final Batcher<Amounts> batcher = new Batcher<>(BatchLimits.DEFAULT, System::nanoTime);
  private final BatchKey key =
      BatchKey.of(
          "scope", this, new CombinedFacts("UPDATE", List.of(), List.of()), TextValues.NONE);
  private final AtomicLong value = new AtomicLong();
  private final AtomicInteger statements = new AtomicInteger();

  @Test
  void everyOperationOfManyThreadsIsDoneOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<Long>> clients = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        clients.add(this::client);
      }
      long acknowledged = 0;
      for (Future<Long> client : threads.invokeAll(clients)) {
        acknowledged += client.get();
      }
      assertEquals((long) THREADS * OPERATIONS * (OPERATIONS + 1) / 2, acknowledged);
      assertEquals(acknowledged, value.get());
      assertTrue(statements.get() < THREADS * OPERATIONS, "nothing was combined");
      assertEquals(0, batcher.size());
    } finally {
      threads.shutdownNow();
    }
  }

  private long client() {
    long acknowledged = 0;
    for (int i = 1; i <= OPERATIONS; i++) {
      run(i);
      acknowledged += i;
    }
    return acknowledged;
  }

  private void run(long delta) {
    InFlight alone = batcher.depart(key);
    if (alone == null) {
      Turn<Amounts> member =
          batcher.join(key, new Amounts(List.of(new Amount.Whole(delta, false))));
      if (member.waiter().await(BatchLimits.DEFAULT) == Waiter.State.ANSWERED) {
        assertEquals(new Result.Done(1), member.waiter().result());
        return;
      }
      assertEquals(Waiter.State.LEADS, member.waiter().state());
      Batch<Amounts> batch = member.lead();
      if (batch.size() > 1) {
        commit(((Amount.Whole) batch.sum().columns().get(0)).value());
        batch.finish(new Result.Done(1));
        return;
      }
      alone = batch.alone();
    }
    commit(delta);
    alone.end();
  }

  private void commit(long sum) {
    LockSupport.parkNanos(COMMIT_NANOS);
    value.addAndGet(sum);
    statements.incrementAndGet();
  }
}
