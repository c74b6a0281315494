package org.abelian.router.execution;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.abelian.router.protocol.BackendType;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.CString;
import org.abelian.router.protocol.ErrorFields;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.MemoryBudget;

/** The messages on their way to the client. Not thread-safe. */
public final class ClientOutput {
  private static final int LARGEST_IDLE_BUFFER = 1 << 16;

  /** A CommandComplete with an empty tag. */
  private static final int TAG_FRAME_LEAST = 6;

  /** One with a tag as long as PostgreSQL makes them. */
  private static final int TAG_FRAME_MAX = 70;

  private final ByteQueue queue;
  private final FrameWriter writer;
  private final Map<String, byte[]> reported = new HashMap<>();
  private long handedOver;

  /** Counts what it keeps. */
  public ClientOutput(MemoryBudget memory) {
    queue = new ByteQueue(16384, memory);
    writer = new FrameWriter(queue);
  }

  /** The bytes that wait. */
  public ByteQueue queue() {
    return queue;
  }

  /** Appends messages. */
  public FrameWriter writer() {
    return writer;
  }

  /** The number of bytes that were ever appended: where the next message starts. */
  public long position() {
    return handedOver + queue.size();
  }

  /** Takes back everything after a position; false when the client already has some of it. */
  public boolean rewind(long position) {
    if (position < handedOver) {
      return false;
    }
    queue.truncate((int) (position - handedOver));
    return true;
  }

  /** The client took bytes. */
  public void taken(int count) {
    handedOver += count;
    queue.consume(count);
    if (queue.isEmpty()) {
      queue.clear(LARGEST_IDLE_BUFFER);
    }
  }

  /** Appends a CommandComplete. */
  public void commandComplete(String tag) {
    writer.begin(BackendType.COMMAND_COMPLETE).string(tag).end();
  }

  /**
   * The tag of the CommandComplete with which the messages end; null when they end with something
   * else, or the client has already taken it.
   */
  public String lastTag() {
    byte[] array = queue.array();
    int end = queue.start() + queue.size();
    int least = Math.max(queue.start(), end - TAG_FRAME_MAX);
    for (int at = end - TAG_FRAME_LEAST; at >= least; at--) {
      if (array[at] == BackendType.COMMAND_COMPLETE
          && BigEndian.int4(array, at + 1) == end - at - 1) {
        return CString.read(array, at + 5, end - 1);
      }
    }
    return null;
  }

  /** Appends a ReadyForQuery. */
  public void readyForQuery(char status) {
    writer.begin(BackendType.READY_FOR_QUERY).int1(status).end();
  }

  /** Appends an ErrorResponse. */
  public void error(ErrorFields fields) {
    fields.write(writer, BackendType.ERROR_RESPONSE);
  }

  /** Appends a NoticeResponse. */
  public void notice(ErrorFields fields) {
    fields.write(writer, BackendType.NOTICE_RESPONSE);
  }

  /** Appends a node's message as it is. */
  public void pass(byte[] message) {
    queue.append(message, 0, message.length);
  }

  /** Appends a ParameterStatus unless the client knows that value already. */
  public void parameterStatus(String name, String value) {
    ByteQueue frame = new ByteQueue(64);
    FrameWriter status = new FrameWriter(frame);
    status.begin(BackendType.PARAMETER_STATUS).string(name).string(value).end();
    parameterStatus(frame.array(), frame.start());
  }

  /** Appends a ParameterStatus frame unless the client knows that value already. */
  public void parameterStatus(byte[] array, int frame) {
    int length = 1 + BigEndian.int4(array, frame + 1);
    int nameEnd = CString.end(array, frame + 5, frame + length);
    byte[] value = Arrays.copyOfRange(array, nameEnd + 1, frame + length);
    byte[] known = reported.put(CString.read(array, frame + 5, nameEnd), value);
    if (known == null || !Arrays.equals(known, value)) {
      queue.append(array, frame, length);
    }
  }
}
