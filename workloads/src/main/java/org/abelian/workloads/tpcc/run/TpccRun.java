package org.abelian.workloads.tpcc.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.abelian.workloads.database.Database;
import org.abelian.workloads.tpcc.input.DeckMix;
import org.abelian.workloads.tpcc.input.InputGenerator;
import org.abelian.workloads.tpcc.input.Mix;
import org.abelian.workloads.tpcc.input.TransactionType;
import org.abelian.workloads.tpcc.input.WeightedMix;
import org.abelian.workloads.tpcc.journal.Journal;
import org.abelian.workloads.tpcc.random.NuRandConstants;
import org.abelian.workloads.tpcc.random.TpccRandom;
import org.abelian.workloads.tpcc.transaction.Clock;

/** A measured run of the mix against one database. */
public final class TpccRun {
  private static final long STOP_MILLIS = 60_000;

  private final Database database;
  private final RunOptions options;
  private final WarehouseLocations locations;
  private final Journal journal;

  public TpccRun(
      Database database, RunOptions options, WarehouseLocations locations, Journal journal) {
    this.database = database;
    this.options = options;
    this.locations = locations;
    this.journal = journal;
  }

  /**
   * Runs warm-up and measurement.
   *
   * @param progress told after each second of the measurement: its number from 1 and the
   *     transactions completed in it
   */
  public RunResult run(BiConsumer<Integer, Long> progress) throws InterruptedException {
    RunControl control = new RunControl(locations);
    List<Terminal> terminals = terminals(control);
    List<Thread> threads = new ArrayList<>();
    for (Terminal terminal : terminals) {
      Thread thread = new Thread(terminal, "terminal-" + threads.size());
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    List<Long> perSecond;
    Duration measured;
    try {
      Thread.sleep(options.warmUp().toMillis());
      long start = System.nanoTime();
      control.startMeasuring();
      perSecond = watch(control, start, progress);
      measured = Duration.ofNanos(System.nanoTime() - start);
    } finally {
      control.stop();
      stop(threads);
    }
    return new RunResult(measured, merge(terminals), perSecond, control.errors().lines());
  }

  private List<Terminal> terminals(RunControl control) {
    Clock clock = Clock.system();
    NuRandConstants constants =
        NuRandConstants.forRun(TpccRandom.forTask(options.seed(), "constants"));
    List<Terminal> terminals = new ArrayList<>();
    for (int i = 0; i < options.terminals(); i++) {
      TpccRandom random = TpccRandom.forTask(options.seed(), "terminal " + i);
      Mix mix = options.deck() ? new DeckMix(random) : new WeightedMix(random);
      terminals.add(
          new Terminal(
              i,
              new TerminalConnection(database, clock, options.procedures()),
              mix,
              new InputGenerator(options.scale(), options.inputs(), constants, random, i),
              new Waits(options.waits(), random),
              journal,
              control,
              options.maxAttempts()));
    }
    return terminals;
  }

  private List<Long> watch(RunControl control, long start, BiConsumer<Integer, Long> progress)
      throws InterruptedException {
    List<Long> perSecond = new ArrayList<>();
    long end = start + options.duration().toNanos();
    long before = 0;
    for (int second = 1; System.nanoTime() < end; second++) {
      long next = Math.min(start + second * 1_000_000_000L, end);
      sleepUntil(next);
      long now = control.completedSoFar();
      perSecond.add(now - before);
      progress.accept(second, now - before);
      before = now;
    }
    return perSecond;
  }

  private static void sleepUntil(long nanoTime) throws InterruptedException {
    long left = nanoTime - System.nanoTime();
    if (left > 0) {
      Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
    }
  }

  /** Lets running transactions end; a user who waits or a database that hangs is interrupted. */
  private void stop(List<Thread> threads) throws InterruptedException {
    long deadline = System.nanoTime() + STOP_MILLIS * 1_000_000;
    if (options.waits()) {
      threads.forEach(Thread::interrupt);
    }
    for (Thread thread : threads) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      thread.join(Math.max(left, 1));
      if (thread.isAlive()) {
        throw new IllegalStateException(
            thread.getName() + " hangs: " + List.of(thread.getStackTrace()));
      }
    }
  }

  private static Map<TransactionType, TypeStatistics> merge(List<Terminal> terminals) {
    Map<TransactionType, TypeStatistics> merged = new EnumMap<>(TransactionType.class);
    for (TransactionType type : TransactionType.values()) {
      TypeStatistics sum = new TypeStatistics();
      terminals.forEach(terminal -> sum.add(terminal.statistics().get(type)));
      merged.put(type, sum);
    }
    return merged;
  }
}
