package org.abelian.router.statement;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import org.abelian.router.pool.NodeStatement;

/**
 * The texts that a router has seen. Bounded by two generations: when the young one is full it
 * becomes the old one, and what nobody asks for until it is full again is forgotten.
 */
public final class StatementCache {
  private static final int GENERATION = 5000;
  private static final int LONGEST = 1 << 16;

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

  private volatile ConcurrentHashMap<Key, SharedStatement> young = new ConcurrentHashMap<>();
  private volatile ConcurrentHashMap<Key, SharedStatement> old = new ConcurrentHashMap<>();

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
    SharedStatement known = young.get(key);
    if (known != null) {
      return known;
    }
    SharedStatement found = old.get(key);
    SharedStatement statement =
        found != null ? found : new SharedStatement(new NodeStatement(body));
    ConcurrentHashMap<Key, SharedStatement> generation = young;
    SharedStatement first = generation.putIfAbsent(key, statement);
    if (generation.size() > GENERATION) {
      age(generation);
    }
    return first != null ? first : statement;
  }

  private synchronized void age(ConcurrentHashMap<Key, SharedStatement> full) {
    if (young == full) {
      old = full;
      young = new ConcurrentHashMap<>();
    }
  }
}
