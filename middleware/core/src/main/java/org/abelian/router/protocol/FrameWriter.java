package org.abelian.router.protocol;

import java.nio.charset.StandardCharsets;
import org.abelian.router.error.AbelianException;

/** Appends frames to a queue: {@code begin}, the fields, {@code end}. Not thread-safe. */
public final class FrameWriter {
  private final ByteQueue queue;

  /** Where the frame that is being written starts; -1 between frames. */
  private int frameAt = -1;

  private int lengthAt;

  /** Writes to that queue. */
  public FrameWriter(ByteQueue queue) {
    this.queue = queue;
  }

  /** Starts a frame. */
  public FrameWriter begin(byte type) {
    queue.reserve(5);
    queue.array()[queue.end()] = type;
    frameAt = queue.size();
    lengthAt = frameAt + 1;
    queue.extend(5);
    return this;
  }

  /** Starts a frame without a type byte, as the start-up messages are. */
  public FrameWriter beginUntyped() {
    queue.reserve(4);
    frameAt = queue.size();
    lengthAt = frameAt;
    queue.extend(4);
    return this;
  }

  /** Appends one byte. */
  public FrameWriter int1(int value) {
    queue.reserve(1);
    queue.array()[queue.end()] = (byte) value;
    queue.extend(1);
    return this;
  }

  /** Appends a 16-bit integer. */
  public FrameWriter int2(int value) {
    queue.reserve(2);
    BigEndian.putInt2(queue.array(), queue.end(), value);
    queue.extend(2);
    return this;
  }

  /** Appends a 32-bit integer. */
  public FrameWriter int4(int value) {
    queue.reserve(4);
    BigEndian.putInt4(queue.array(), queue.end(), value);
    queue.extend(4);
    return this;
  }

  /** Appends bytes as they are. */
  public FrameWriter bytes(byte[] value) {
    return bytes(value, 0, value.length);
  }

  /**
   * Appends a piece of an array as it is.
   *
   * @throws AbelianException 53200 when there is no memory for it; then nothing of the frame is
   *     left in the queue
   */
  public FrameWriter bytes(byte[] value, int offset, int length) {
    try {
      queue.append(value, offset, length);
    } catch (AbelianException e) {
      if (frameAt >= 0) {
        queue.truncate(frameAt);
        frameAt = -1;
      }
      throw e;
    }
    return this;
  }

  /** Appends a zero-terminated string. */
  public FrameWriter string(byte[] value) {
    return bytes(value).int1(0);
  }

  /** Appends a zero-terminated string in UTF-8. */
  public FrameWriter string(String value) {
    return string(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Ends the frame: fills in its length. */
  public void end() {
    int at = queue.start() + lengthAt;
    BigEndian.putInt4(queue.array(), at, queue.end() - at);
    frameAt = -1;
  }

  /** Appends a frame without fields. */
  public void empty(byte type) {
    begin(type).end();
  }
}
