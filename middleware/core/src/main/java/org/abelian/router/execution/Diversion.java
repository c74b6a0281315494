package org.abelian.router.execution;

import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.MemoryBudget;

/** What becomes of the answers to a statement whose client is to get something else. */
public abstract class Diversion {
  private static final int LARGEST_IDLE_BUFFER = 1 << 16;

  private final ClientOutput staged;

  /** What becomes of what this makes; null when the client gets it. */
  private Diversion outer;

  /** Counts what it keeps. */
  Diversion(MemoryBudget memory) {
    staged = new ClientOutput(memory);
  }

  /** Takes the answers as if it were the client. */
  final ClientOutput staged() {
    return staged;
  }

  final Diversion outer() {
    return outer;
  }

  final void outer(Diversion other) {
    outer = other;
  }

  /** Makes of what has come what the client is to get, if it is to get anything. */
  final void passOn(ClientOutput client) {
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

  /** One of the messages. */
  abstract void take(ClientOutput client, byte[] array, int at, int length);

  /** All answers have come. */
  abstract void finish(ClientOutput client);

  /** True when the client should take something before more comes. */
  abstract boolean waitsFor(ClientOutput client);

  /** Gives up the memory. */
  final void close() {
    staged.queue().close();
  }
}
