package org.abelian.workloads.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.abelian.router.database.JdbcPool;
import org.abelian.workloads.database.Database;
import org.junit.jupiter.api.Test;

class CrewTest {
  /** These clients do not connect. */
  private static final Database UNUSED = new Database("jdbc:none:", "", "");

  private static final Duration MOMENT = Duration.ofMillis(50);

  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();

  /** Does nothing, and succeeds every second time. */
  private final class Idler implements Worker {
    private long times;
    private boolean begun;

    Idler() {
      opened.incrementAndGet();
    }

    @Override
    public boolean once(long end) {
      times++;
      return times % 2 == 0;
    }

    @Override
    public void begin() {
      assertTrue(times > 0, "it has settled");
      begun = true;
    }

    @Override
    public void end() {
      assertTrue(begun);
    }

    @Override
    public long failures() {
      return (times + 1) / 2;
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @Test
  void crewsWorkBesideEachOtherAndEachHasItsFigures() throws Exception {
    AtomicInteger ends = new AtomicInteger();
    Crew failing = new Crew(1, UNUSED, (pool, number) -> new Failing(new Idler(), false));
    List<Sample> samples =
        Crew.measure(
            List.of(new Crew(3, UNUSED, (pool, number) -> new Idler()), failing),
            MOMENT,
            ends::incrementAndGet);
    assertTrue(samples.get(0).throughput() > 0 && samples.get(0).failures() > 0);
    assertEquals(new Sample(0, 0, 0, 0), samples.get(1));
    assertEquals(2, ends.get());
    assertEquals(4, closed.get());
  }

  /** Never succeeds, or cannot go on. */
  private record Failing(Idler idler, boolean fatally) implements Worker {
    @Override
    public boolean once(long end) {
      if (fatally) {
        throw new IllegalStateException("torn");
      }
      return false;
    }

    @Override
    public void close() {
      idler.close();
    }
  }

  /** Was due long before it begins. */
  private record Late(Idler idler) implements Worker {
    @Override
    public long turn(long end) {
      return System.nanoTime() - MOMENT.toNanos() / 5;
    }

    @Override
    public boolean once(long end) {
      return idler.once(end);
    }

    @Override
    public void close() {
      idler.close();
    }
  }

  @Test
  void latencyCountsFromWhenAWorkersTimeHasCome() throws Exception {
    Crew crew = new Crew(1, UNUSED, (pool, number) -> new Late(new Idler()));
    assertTrue(crew.measure(MOMENT).p50Millis() >= 10);
  }

  @Test
  void connectionsThatAreKeptServeOneMeasurementAfterTheOther() throws Exception {
    List<JdbcPool> given = new ArrayList<>();
    Crew crew =
        new Crew(
            1,
            UNUSED,
            (pool, number) -> {
              given.add(pool);
              return new Idler();
            });
    try (JdbcPool kept = UNUSED.pool(1)) {
      assertTrue(crew.measure(kept, MOMENT).throughput() > 0);
      crew.measure(kept, MOMENT);
      assertEquals(List.of(kept, kept), given);
    }
    assertEquals(2, closed.get(), "workers are not kept");
  }

  @Test
  void anErrorOfOneIsTheErrorOfTheMeasurement() {
    Crew crew = new Crew(2, UNUSED, (pool, number) -> new Failing(new Idler(), number == 1));
    assertEquals(
        "torn", assertThrows(IllegalStateException.class, () -> crew.measure(MOMENT)).getMessage());
    assertEquals(2, closed.get());
  }

  @Test
  void whoWasOpenedIsClosedWhenAnotherCannotBe() {
    Crew crew =
        new Crew(
            2,
            UNUSED,
            (pool, number) -> {
              if (number == 1) {
                throw new IllegalStateException("too many");
              }
              return new Idler();
            });
    assertThrows(IllegalStateException.class, () -> crew.measure(MOMENT));
    assertEquals(1, opened.get());
    assertEquals(1, closed.get());
  }

  @Test
  void theStepsOfAWayShareItsWarmUp() throws Exception {
    List<String> run = new ArrayList<>();
    Map<String, List<WarmUp.Step>> ways = new LinkedHashMap<>();
    ways.put("a", List.of(time -> run.add("a1 " + time), time -> run.add("a2 " + time)));
    ways.put("b", List.of(time -> run.add("b " + time)));
    WarmUp.run(ways, Duration.ZERO, run::add);
    assertEquals(List.of(), run);
    WarmUp.run(ways, Duration.ofSeconds(2), run::add);
    assertEquals(List.of("warming up a", "a1 PT1S", "a2 PT1S", "warming up b", "b PT2S"), run);
  }
}
