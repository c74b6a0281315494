package org.abelian.server.backup;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Does the same on all nodes at once. */
final class EachNode implements AutoCloseable {
  /** What is done on one. */
  @FunctionalInterface
  interface Work<T, R> {
    R on(T node) throws Exception;
  }

  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "node");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Returns what each gave, in the order of the nodes, when all are done.
   *
   * @throws BackupException for the first that failed; the others have been interrupted
   */
  <T, R> List<R> run(List<T> nodes, Work<T, R> work) throws BackupException {
    ExecutorCompletionService<R> done = new ExecutorCompletionService<>(threads);
    List<Future<R>> pending = new ArrayList<>();
    nodes.forEach(node -> pending.add(done.submit(() -> named(node, work))));
    try {
      for (int i = 0; i < pending.size(); i++) {
        done.take().get();
      }
      List<R> results = new ArrayList<>();
      for (Future<R> each : pending) {
        results.add(each.get());
      }
      return results;
    } catch (ExecutionException failed) {
      pending.forEach(each -> each.cancel(true));
      throw failed.getCause() instanceof BackupException known
          ? known
          : new BackupException("internal error", failed.getCause());
    } catch (InterruptedException stopped) {
      pending.forEach(each -> each.cancel(true));
      Thread.currentThread().interrupt();
      throw new BackupException("interrupted");
    }
  }

  private static <T, R> R named(T node, Work<T, R> work) throws Exception {
    try {
      return work.on(node);
    } catch (BackupException told) {
      throw told;
    } catch (Exception failed) {
      throw new BackupException("" + node, failed);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
