package org.abelian.router.protocol;

import java.nio.charset.StandardCharsets;

/** Appends frames to a queue: {@code begin}, the fields, {@code end}. Not thread-safe. */
public final class FrameWriter {
  private final ByteQueue queue;
  private int lengthAt;

  /** Writes to that queue. */
  public FrameWriter(ByteQueue queue) {
    this.queue = queue;
  }

  /** Starts a frame. */
  public FrameWriter begin(byte type) {
    queue.reserve(5);
    queue.array()[queue.end()] = type;
    lengthAt = queue.size() + 1;
    queue.extend(5);
    return this;
  }

  /** Starts a frame without a type byte, as the start-up messages are. */
  public FrameWriter beginUntyped() {
    queue.reserve(4);
    lengthAt = queue.size();
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
    queue.append(value, 0, value.length);
    return this;
  }

  /** Appends a piece of an array as it is. */
  public FrameWriter bytes(byte[] value, int offset, int length) {
    queue.append(value, offset, length);
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
  }

  /** Appends a frame without fields. */
  public void empty(byte type) {
    begin(type).end();
  }
}
