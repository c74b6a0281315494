package org.abelian.router.trace;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that writes what sessions hand over. What cannot be written is dropped and counted;
 * after a failure, so is everything for a second.
 */
final class TraceWriter implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(TraceWriter.class);

  /** How long it sleeps when nothing waits. */
  private static final long LOOK_NANOS = 20_000_000;

  private static final long RETRY_NANOS = 1_000_000_000;

  /** Lines are written together up to this size. */
  private static final int BATCH_MAX = 1 << 18;

  private final TraceQueue queue;
  private final TraceLines lines;
  private final TraceSink sink;
  private final ByteArrayOutputStream batch = new ByteArrayOutputStream(1 << 12);
  private int batchTransactions;
  private long batchLines;
  private boolean failing;
  private long failedAt;
  private volatile boolean stopping;

  TraceWriter(TraceQueue queue, TraceLines lines, TraceSink sink) {
    this.queue = queue;
    this.lines = lines;
    this.sink = sink;
  }

  /** Ends the thread when all that waits is written. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    try {
      boolean last;
      do {
        last = stopping;
        writeAll();
        if (!last) {
          LockSupport.parkNanos(LOOK_NANOS);
        }
      } while (!last);
      sink.close();
    } catch (IOException e) {
      LOG.warn("the trace could not be closed: {}", e.getMessage());
    }
  }

  /** Writes what waits now. */
  void writeAll() {
    TracedTransaction transaction;
    while ((transaction = queue.poll()) != null) {
      try {
        add(transaction);
      } finally {
        queue.release(transaction.bytes());
      }
    }
    flush();
  }

  private void add(TracedTransaction transaction) {
    byte[] text = null;
    if (!isWaiting()) {
      try {
        text = lines.of(transaction);
      } catch (IOException | RuntimeException e) {
        LOG.warn("a transaction could not be traced", e);
      }
    }
    if (text == null || text.length > sink.most()) {
      queue.counts().dropped(1, transaction.lines());
      return;
    }
    if (batch.size() + text.length > Math.min(BATCH_MAX, sink.most())) {
      flush();
    }
    batch.write(text, 0, text.length);
    batchTransactions++;
    batchLines += transaction.lines();
  }

  private boolean isWaiting() {
    return failing && System.nanoTime() - failedAt < RETRY_NANOS;
  }

  private void flush() {
    if (batchTransactions == 0) {
      return;
    }
    byte[] text = batch.toByteArray();
    try {
      sink.write(text, text.length);
      queue.counts().written(batchTransactions, batchLines, text.length);
      if (failing) {
        failing = false;
        LOG.info("the trace is written again");
      }
    } catch (IOException e) {
      queue.counts().dropped(batchTransactions, batchLines);
      if (!failing) {
        LOG.warn("the trace cannot be written, transactions are left out: {}", e.getMessage());
      }
      failing = true;
      failedAt = System.nanoTime();
    }
    batch.reset();
    batchTransactions = 0;
    batchLines = 0;
  }
}
