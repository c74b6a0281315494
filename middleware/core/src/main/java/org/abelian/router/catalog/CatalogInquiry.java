package org.abelian.router.catalog;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks several nodes at once, so that one that does not answer holds up nobody for longer than a
 * moment. Not safe for several threads.
 */
final class CatalogInquiry {
  /** A node that takes longer while another has answered is one that cannot be reached. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

  /** The same while none has: perhaps all are slow. */
  private static final long MORE_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private record Address(String host, int port) {}

  private record Question(CompletableFuture<String> answer, long start) {}

  private final CatalogSource source;
  private final Map<Address, Question> asked = new HashMap<>();
  private final CompletableFuture<String> first = new CompletableFuture<>();

  CatalogInquiry(CatalogSource source) {
    this.source = source;
  }

  /** Asks a node, once. */
  void ask(Node node) {
    Address address = new Address(node.host(), node.port());
    if (!asked.containsKey(address)) {
      CompletableFuture<String> answer = new CompletableFuture<>();
      asked.put(address, new Question(answer, System.nanoTime()));
      Thread thread = new Thread(() -> read(node, answer), "abelian-catalog");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void read(Node node, CompletableFuture<String> answer) {
    try {
      String catalogue = source.read(node);
      answer.complete(catalogue);
      first.complete(catalogue);
    } catch (IOException | RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  /**
   * What a node that was asked has answered.
   *
   * @throws IOException when it has not; the message says why
   */
  String answer(Node node) throws IOException {
    Question question = asked.get(new Address(node.host(), node.port()));
    CompletableFuture<String> answer = question.answer;
    try {
      if (!isDone(answer, question.start + PATIENCE_NANOS)) {
        isDone(CompletableFuture.anyOf(answer, first), question.start + MORE_PATIENCE_NANOS);
      }
      if (!answer.isDone()) {
        throw new IOException("no answer in time");
      }
      return answer.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Waits for it until that time. */
  private static boolean isDone(CompletableFuture<?> answer, long end) throws InterruptedException {
    try {
      answer.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // The question tells.
    }
    return answer.isDone();
  }
}
