package org.abelian.router.engine;

import java.util.LinkedList;
import java.util.List;
import org.abelian.router.batching.Batchable;

/** Reads of several sessions that go to the same nodes in one group of messages. Immutable. */
public final class ReadBatch implements Batchable<ReadBatch> {
  /** With more bytes of values, what comes later goes with another batch. */
  private static final int BYTES_MAX = 1 << 16;

  private final ReadBatch before;
  private final ReadRequest last;
  private final int bytes;

  /** One read. */
  ReadBatch(ReadRequest only) {
    this(null, only);
  }

  private ReadBatch(ReadBatch before, ReadRequest last) {
    this.before = before;
    this.last = last;
    bytes = (before == null ? 0 : before.bytes) + last.size();
  }

  @Override
  public ReadBatch plus(ReadBatch other) {
    if (bytes + other.bytes > BYTES_MAX) {
      return null;
    }
    ReadBatch sum = this;
    for (ReadRequest request : other.requests()) {
      sum = new ReadBatch(sum, request);
    }
    return sum;
  }

  /** In the order in which they came. */
  List<ReadRequest> requests() {
    LinkedList<ReadRequest> requests = new LinkedList<>();
    for (ReadBatch at = this; at != null; at = at.before) {
      requests.addFirst(at.last);
    }
    return List.copyOf(requests);
  }
}
