package org.abelian.router.catalog;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks several nodes at once, so that one that does not answer holds up nobody for longer than a
 * moment. Not safe for several threads.
 */
final class CatalogInquiry {
  /** A node that takes longer is one that cannot be reached. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

  private record Address(String host, int port) {}

  private final CatalogSource source;
  private final long deadline = System.nanoTime() + PATIENCE_NANOS;
  private final Map<Address, FutureTask<String>> asked = new HashMap<>();

  CatalogInquiry(CatalogSource source) {
    this.source = source;
  }

  /** Asks a node, once. */
  void ask(Node node) {
    Address address = new Address(node.host(), node.port());
    if (!asked.containsKey(address)) {
      FutureTask<String> question = new FutureTask<>(() -> source.read(node));
      asked.put(address, question);
      Thread thread = new Thread(question, "abelian-catalog");
      thread.setDaemon(true);
      thread.start();
    }
  }

  /**
   * What a node that was asked has answered.
   *
   * @throws IOException when it has not; the message says why
   */
  String answer(Node node) throws IOException {
    FutureTask<String> question = asked.get(new Address(node.host(), node.port()));
    try {
      return question.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no answer in time", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
