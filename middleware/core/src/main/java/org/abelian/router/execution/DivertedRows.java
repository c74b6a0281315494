package org.abelian.router.execution;

import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;

/** Rows that another statement takes; the client gets notices alone. */
public final class DivertedRows implements Diversion {
  private static final int LARGEST_IDLE_BUFFER = 1 << 16;

  private final RowSink rows;
  private final ClientOutput staged;

  /** Counts what it keeps. */
  public DivertedRows(RowSink rows, MemoryBudget memory) {
    this.rows = rows;
    this.staged = new ClientOutput(memory);
  }

  @Override
  public ClientOutput staged() {
    return staged;
  }

  @Override
  public void passOn(ClientOutput client) {
    ByteQueue queue = staged.queue();
    for (int length = queue.frameAt(queue.start()); length > 0; ) {
      take(client, queue.array(), queue.start(), length);
      queue.consume(length);
      length = queue.frameAt(queue.start());
    }
    if (queue.isEmpty()) {
      queue.clear(LARGEST_IDLE_BUFFER);
    }
  }

  private void take(ClientOutput client, byte[] array, int at, int length) {
    switch (array[at]) {
      case BackendType.DATA_ROW -> rows.take(NodeCall.row(array, at));
      case BackendType.PARAMETER_STATUS -> client.parameterStatus(array, at);
      case BackendType.NOTICE_RESPONSE, BackendType.NOTIFICATION_RESPONSE ->
          client.queue().append(array, at, length);
      default -> {
        // The client has not asked for this statement.
      }
    }
  }

  @Override
  public void finish(ClientOutput client) {
    passOn(client);
  }

  /** The router takes all of it. */
  @Override
  public boolean waitsFor(ClientOutput client) {
    return false;
  }

  @Override
  public void close() {
    staged.queue().close();
  }
}
