package org.abelian.router.placement;

import java.util.Arrays;

/**
 * The canonical value of one distribution column. Numbers are in the order of signed 64-bit
 * integers, bytes in that of unsigned bytes; values of one column are of one sort.
 */
public sealed interface KeyValue extends Comparable<KeyValue> {
  /** The number that stands for it where keys are hashed. */
  long hash();

  /** Gives it to a sink. */
  int into(KeySink sink);

  /** What of it counts. */
  KeyValue counted(KeyExpression expression);

  /** An integer, a boolean or a date. */
  record Number(long value) implements KeyValue {
    @Override
    public long hash() {
      return value;
    }

    @Override
    public int into(KeySink sink) {
      return sink.number(value);
    }

    @Override
    public KeyValue counted(KeyExpression expression) {
      return new Number(expression.of(value));
    }

    @Override
    public int compareTo(KeyValue other) {
      return Long.compare(value, ((Number) other).value);
    }
  }

  /** A text or a UUID; the array is not to be changed. */
  record Bytes(byte[] value) implements KeyValue {
    @Override
    public long hash() {
      return PartitionHash.ofBytes(value, 0, value.length);
    }

    @Override
    public int into(KeySink sink) {
      return sink.bytes(value, 0, value.length);
    }

    @Override
    public KeyValue counted(KeyExpression expression) {
      return new Bytes(Arrays.copyOf(value, expression.lengthOf(value, 0, value.length)));
    }

    @Override
    public int compareTo(KeyValue other) {
      return Arrays.compareUnsigned(value, ((Bytes) other).value);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Bytes that && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(value);
    }
  }
}
