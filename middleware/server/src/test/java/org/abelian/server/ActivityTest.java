package org.abelian.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ActivityTest {
  private static final int TURNS = 20_000;

  private final Activity activity = new Activity();

  @Test
  void nobodyReadsFromASocketThatIsLookedAt() throws InterruptedException {
    activity.begin(Activity.Kind.WORKING);
    Activity.Turn working = activity.now();
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean reads = new AtomicBoolean();
    Thread client =
        new Thread(
            () -> {
              begun.countDown();
              activity.begin(Activity.Kind.READING);
              reads.set(true);
            });
    boolean looked =
        activity.during(
            working,
            () -> {
              client.start();
              await(begun);
              while (client.getState() != Thread.State.BLOCKED) {
                assertFalse(reads.get(), "it reads while somebody looks");
                Thread.onSpinWait();
              }
            });
    assertTrue(looked);
    client.join(TimeUnit.SECONDS.toMillis(10));
    assertTrue(reads.get());
    assertEquals(Activity.Kind.READING, activity.now().kind());
    assertFalse(activity.during(working, () -> {}), "that is over");
  }

  @Test
  void aLookAndATurnNeverOverlap() throws InterruptedException {
    AtomicInteger using = new AtomicInteger();
    AtomicBoolean overlapped = new AtomicBoolean();
    Thread client =
        new Thread(
            () -> {
              for (int i = 0; i < TURNS; i++) {
                activity.begin(Activity.Kind.READING);
                overlapped.compareAndSet(false, using.incrementAndGet() > 1);
                using.decrementAndGet();
                activity.begin(Activity.Kind.WORKING);
              }
            });
    client.start();
    while (client.isAlive()) {
      Activity.Turn now = activity.now();
      if (now.kind() == Activity.Kind.WORKING) {
        activity.during(
            now,
            () -> {
              overlapped.compareAndSet(false, using.incrementAndGet() > 1);
              using.decrementAndGet();
            });
      }
    }
    assertFalse(overlapped.get());
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(10, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
