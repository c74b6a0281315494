package org.abelian.router.session;

import java.util.ArrayList;
import java.util.List;
import org.abelian.router.backend.Backend;

/**
 * What is known of the moment at which a transaction, or a group of messages without one, has
 * begun, and which of its nodes know it.
 */
final class SharedTimestamp {
  /** Has begun first; null while none has. */
  private Backend first;

  /** Null until several nodes need it. */
  private String text;

  private final List<Backend> told = new ArrayList<>();

  /** The transaction begins there. */
  void begins(Backend backend) {
    if (first == null) {
      first = backend;
    }
  }

  /** The node where the transaction has begun first; null when it has begun on none. */
  Backend first() {
    return first;
  }

  /** In microseconds of PostgreSQL's clock; null until several nodes need it. */
  String text() {
    return text;
  }

  /** It is this from now on. */
  void is(String microseconds) {
    text = microseconds;
  }

  /** True when the node has it, as far as its part of the transaction is still the same. */
  boolean isKnownBy(Backend backend) {
    return (backend.begun || backend.touched) && told.contains(backend);
  }

  /** The node has it. */
  void toldTo(Backend backend) {
    if (!told.contains(backend)) {
      told.add(backend);
    }
  }

  /** A node may have skipped what it was told in a group that failed. */
  void tellAgain() {
    told.clear();
  }

  /** It is over. */
  void clear() {
    first = null;
    text = null;
    told.clear();
  }
}
