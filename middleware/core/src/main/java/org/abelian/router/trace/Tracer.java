package org.abelian.router.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongPredicate;

/** The trace of a router. Thread-safe. */
public final class Tracer implements AutoCloseable {
  /** What transactions that are open or wait may take together, in bytes. */
  private static final long HELD_MAX = 64L << 20;

  /** The share of the heap that they take at most. */
  private static final int HEAP_SHARE = 16;

  /** How long the end of the process waits for the last lines. */
  private static final long CLOSE_MILLIS = 5_000;

  /** The numbers of a session's transactions lie between it and the next session's. */
  private static final int SESSION_BITS = 32;

  private final String name = UUID.randomUUID().toString().substring(0, 8);
  private final TraceQueue queue =
      new TraceQueue(Math.min(HELD_MAX, Runtime.getRuntime().maxMemory() / HEAP_SHARE));
  private final LongPredicate sampling;
  private final TraceWriter writer;
  private final Thread thread;

  private Tracer(LongPredicate sampling, ValueHash hash, TraceSink sink) {
    this.sampling = sampling;
    writer = new TraceWriter(queue, new TraceLines(hash, queue.counts()), sink);
    thread = new Thread(writer, "abelian-trace");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Starts to trace. What is not written yet when the process ends is written then.
   *
   * @throws IOException when the folder or the key cannot be used
   */
  public static Tracer open(TraceSettings settings) throws IOException {
    ValueHash hash = settings.keyFile() == null ? null : new ValueHash(key(settings));
    LongPredicate sampling =
        Sampling.of(settings.share(), UUID.randomUUID().getMostSignificantBits());
    TraceFolder folder = new TraceFolder(settings.folder(), settings.fileBytes(), settings.files());
    Tracer tracer = new Tracer(sampling, hash, folder);
    Runtime.getRuntime().addShutdownHook(new Thread(tracer::close, "abelian-trace-end"));
    return tracer;
  }

  /** For tests: decides by themselves what is sampled, and where lines go. */
  static Tracer open(LongPredicate sampling, ValueHash hash, TraceSink sink) {
    return new Tracer(sampling, hash, sink);
  }

  /** The end of a last line is what an editor has put there. */
  private static byte[] key(TraceSettings settings) throws IOException {
    byte[] key = Files.readAllBytes(settings.keyFile());
    int end = key.length;
    while (end > 0 && (key[end - 1] == '\n' || key[end - 1] == '\r')) {
      end--;
    }
    return Arrays.copyOf(key, end);
  }

  /** The part of a session. */
  public SessionTrace session(int id, String user, String database) {
    String session = String.format(Locale.ROOT, "%s.%x", name, id);
    return new SessionTrace(
        queue,
        sampling,
        (long) id << SESSION_BITS,
        new TracedTransaction.Session(session, user, database));
  }

  /** What was written and what was dropped since the start. */
  public Map<String, Long> counts() {
    return queue.counts().all();
  }

  /** Ends when all that waits is written, or after some seconds. */
  @Override
  public void close() {
    writer.stop();
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
