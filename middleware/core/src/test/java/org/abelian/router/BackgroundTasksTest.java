package org.abelian.router;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;

class BackgroundTasksTest {
  @Test
  void aTaskThatFailsIsTriedAgain() throws InterruptedException {
    AtomicInteger turns = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(5);
    try (BackgroundTasks tasks = new BackgroundTasks()) {
      tasks.every(
          Duration.ofMillis(1),
          "what fails",
          () -> {
            done.countDown();
            switch (turns.incrementAndGet()) {
              case 1 -> throw new IllegalStateException();
              case 2, 3 ->
                  throw new AbelianException(
                      SqlState.UNABLE_TO_CONNECT, "no node", "why", null, null);
              default -> {}
            }
          });
      assertTrue(done.await(30, TimeUnit.SECONDS));
    }
  }
}
