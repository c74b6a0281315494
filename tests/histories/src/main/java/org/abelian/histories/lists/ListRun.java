package org.abelian.histories.lists;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Clients at work on the keys of one history, each in a thread of its own. */
public final class ListRun {
  /** How long the last transactions may take when nodes are recovering. */
  private static final long END_SECONDS_MAX = 120;

  private final Keys keys;
  private final List<Future<List<Recorded>>> clients = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile boolean stopping;

  private ListRun(Keys keys) {
    this.keys = keys;
  }

  /**
   * Starts clients.
   *
   * @param seed from which each of them derives its own
   * @param client makes the client with the number, from 1
   * @param kinds what they do
   * @param each how many transactions each of them runs
   */
  public static ListRun start(
      Keys keys, long seed, int count, IntFunction<ListClient> client, Set<Kind> kinds, int each) {
    ListRun run = new ListRun(keys);
    for (int number = 1; number <= count; number++) {
      ListClient made = client.apply(number);
      Intentions intentions = new Intentions(seed, number, keys, kinds);
      run.clients.add(run.threads.submit(() -> made.run(intentions, each, () -> run.stopping)));
    }
    run.threads.shutdown();
    return run;
  }

  /** Tells all to begin nothing more. */
  public void stop() {
    stopping = true;
  }

  /** Waits until all have ended, and reads what they have left. */
  public ListHistory awaitEnd(Connector connector) throws Exception {
    List<Recorded> all = new ArrayList<>();
    for (Future<List<Recorded>> client : clients) {
      all.addAll(await(client));
    }
    List<Recorded> resolved =
        Retries.ask(
            connector,
            connection -> {
              List<Recorded> told = new ArrayList<>();
              for (Recorded recorded : all) {
                told.add(Outcomes.resolved(connection, recorded));
              }
              return told;
            });
    return new ListHistory(resolved, readEnd(connector));
  }

  private static List<Recorded> await(Future<List<Recorded>> client)
      throws InterruptedException, ExecutionException {
    try {
      return client.get(END_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("a client hangs; the threads:\n" + stacks(), e);
    }
  }

  private static String stacks() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              text.append(thread.getName()).append(' ').append(thread.getState()).append('\n');
              for (StackTraceElement element : stack) {
                text.append("    ").append(element).append('\n');
              }
            });
    return text.toString();
  }

  private Observation readEnd(Connector connector) throws SQLException, InterruptedException {
    Intention read = new Intention(0, Kind.SPREAD_READ, keys.all(), false, false, List.of());
    return Retries.ask(
        connector,
        connection -> {
          Work work = new Work(read, connection);
          work.readAll(read.keys());
          return work.observations().get(0);
        });
  }
}
