package org.abelian.router.statement;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.abelian.router.pool.NodeStatement;

/**
 * The texts that a router has seen. Bounded by two generations, in number and size: when the young
 * one is full it becomes the old one, and what nobody asks for until it is full again is forgotten.
 */
public final class StatementCache {
  private static final int GENERATION = 5000;
  private static final int LONGEST = 1 << 16;

  /** What is known about a text takes some times its length, and at least this, in bytes. */
  private static final int TIMES = 4;

  private static final int LEAST = 1000;

  private record Key(byte[] body, int hash) {
    Key(byte[] body) {
      this(body, Arrays.hashCode(body));
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && hash == key.hash && Arrays.equals(body, key.body);
    }
  }

  private static final class Generation {
    final ConcurrentHashMap<Key, SharedStatement> statements = new ConcurrentHashMap<>();
    final AtomicLong bytes = new AtomicLong();
  }

  private final long generationBytes;
  private volatile Generation young = new Generation();
  private volatile Generation old = new Generation();

  /**
   * @param bytesMax what it may take, in about
   */
  public StatementCache(long bytesMax) {
    generationBytes = bytesMax / 2;
  }

  /**
   * The statement for the body of a Parse message: text, zero byte, parameter types.
   *
   * @throws IllegalArgumentException when the body is malformed
   */
  public SharedStatement intern(byte[] body) {
    if (body.length > LONGEST) {
      return new SharedStatement(new NodeStatement(body));
    }
    Key key = new Key(body);
    Generation generation = young;
    SharedStatement known = generation.statements.get(key);
    if (known != null) {
      return known;
    }
    SharedStatement found = old.statements.get(key);
    SharedStatement statement =
        found != null ? found : new SharedStatement(new NodeStatement(body));
    SharedStatement first = generation.statements.putIfAbsent(key, statement);
    if (first != null) {
      return first;
    }
    long bytes = generation.bytes.addAndGet(LEAST + (long) TIMES * body.length);
    if (bytes > generationBytes || generation.statements.size() > GENERATION) {
      age(generation);
    }
    return statement;
  }

  /** The statement for such a body, if somebody has asked for it lately; else null. */
  SharedStatement find(byte[] body) {
    Key key = new Key(body);
    SharedStatement known = young.statements.get(key);
    return known != null ? known : old.statements.get(key);
  }

  private synchronized void age(Generation full) {
    if (young == full) {
      old = full;
      young = new Generation();
    }
  }
}
