package org.abelian.router.execution;

import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrontendType;
import org.abelian.router.protocol.MemoryBudget;
import org.abelian.router.protocol.ProtocolException;

/**
 * The messages on their way from the client. Type and length are checked as soon as they are there.
 * A message for which there is no memory is not kept: a {@link #REFUSED} message takes its place,
 * so that the client gets an error where it belongs and the dialogue goes on. Not thread-safe.
 */
public final class ClientInput {
  /** A message that was not kept; its body is the type that it had. */
  public static final byte REFUSED = 1;

  /** In place of something that is no message, after which nothing can be understood. */
  public static final byte VIOLATION = 2;

  private static final int HEADER = 5;

  private final ByteQueue queue;
  private boolean checked;

  /** How much of the last message is in the queue, when not all of it is. */
  private int begun;

  /** The length of that message, once it is known; else 0. */
  private int whole;

  /** How much is still to come of a message that is not kept. */
  private int discarding;

  /** What the client did wrong; nothing is taken any more then. */
  private ProtocolException violation;

  /** Counts what it keeps. */
  public ClientInput(MemoryBudget memory) {
    queue = new ByteQueue(8192, memory);
  }

  /** The messages that are there, the last perhaps in part. */
  public ByteQueue queue() {
    return queue;
  }

  /** From here on there are messages with a type; before, bytes are taken as they are. */
  public void checkTypes() {
    byte[] early = queue.toByteArray();
    queue.clear();
    checked = true;
    receive(early, 0, early.length);
  }

  /** Takes bytes of the client. */
  public void receive(byte[] bytes, int offset, int length) {
    if (!checked) {
      queue.appendAnyway(bytes, offset, length);
      return;
    }
    int at = offset;
    int end = offset + length;
    try {
      while (at < end && violation == null) {
        at += discarding > 0 ? discard(end - at) : keep(bytes, at, end);
      }
    } catch (ProtocolException e) {
      violation = e;
      queue.truncate(queue.size() - begun);
      append(new byte[] {VIOLATION, 0, 0, 0, 4});
    }
  }

  /** What the client did wrong where {@link #VIOLATION} stands. */
  public ProtocolException violation() {
    return violation;
  }

  private int discard(int there) {
    int count = Math.min(discarding, there);
    discarding -= count;
    return count;
  }

  /** Keeps a piece of the message that has begun, or whole messages; gives the number of bytes. */
  private int keep(byte[] bytes, int at, int end) throws ProtocolException {
    if (begun == 0) {
      int messages = wholeMessages(bytes, at, end);
      if (messages > 0) {
        queue.appendAnyway(bytes, at, messages);
        return messages;
      }
    }
    int count = Math.min((whole > 0 ? whole : HEADER) - begun, end - at);
    queue.appendAnyway(bytes, at, count);
    begun += count;
    if (FrontendType.longest(queue.array()[queue.end() - begun]) == 0) {
      throw new ProtocolException(
          "invalid frontend message type " + (queue.array()[queue.end() - begun] & 255));
    }
    if (begun == whole) {
      begun = 0;
      whole = 0;
    } else if (begun == HEADER) {
      begin();
    }
    return count;
  }

  /** The length of the messages that are there as a whole, up to one that cannot be. */
  private static int wholeMessages(byte[] bytes, int from, int end) {
    int at = from;
    while (end - at >= HEADER && complaint(bytes, at) == null) {
      int length = 1 + BigEndian.int4(bytes, at + 1);
      if (end - at < length) {
        break;
      }
      at += length;
    }
    return at - from;
  }

  /** Why no such message can be; null when it can. */
  private static String complaint(byte[] array, int at) {
    int longest = FrontendType.longest(array[at]);
    if (longest == 0) {
      return "invalid frontend message type " + (array[at] & 255);
    }
    int length = BigEndian.int4(array, at + 1);
    return length < 4 || length > longest ? "invalid message length" : null;
  }

  /** The type and length of a message are there, but not all of it. */
  private void begin() throws ProtocolException {
    int at = queue.end() - HEADER;
    byte type = queue.array()[at];
    String complaint = complaint(queue.array(), at);
    if (complaint != null) {
      throw new ProtocolException(complaint);
    }
    whole = 1 + BigEndian.int4(queue.array(), at + 1);
    if (whole == HEADER) {
      begun = 0;
      whole = 0;
    } else if (whole > MemoryBudget.SMALL) {
      makeRoom(type);
    }
  }

  private void makeRoom(byte type) {
    try {
      queue.reserve(whole - HEADER);
    } catch (AbelianException noMemory) {
      queue.truncate(queue.size() - HEADER);
      append(new byte[] {REFUSED, 0, 0, 0, 5, type});
      discarding = whole - HEADER;
      begun = 0;
      whole = 0;
    }
  }

  private void append(byte[] message) {
    queue.appendAnyway(message, 0, message.length);
  }

  /** The type of the message at an index, also when it was not kept. */
  public static byte type(byte[] array, int at) {
    return array[at] == REFUSED ? array[at + HEADER] : array[at];
  }

  /** The error for a message that was not kept. */
  public static AbelianException refusal() {
    return new AbelianException(
        SqlState.OUT_OF_MEMORY,
        "the router has no memory for a message of this size",
        "Send less at once, or give the router more memory.");
  }
}
