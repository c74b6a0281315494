package org.abelian.router.placement;

import java.util.Arrays;

/** A sink that keeps the value it has got last. Its results are 0. For one thread. */
public final class KeyCollector implements KeySink {
  private KeyValue value;

  /** The value that came last; null before the first. */
  public KeyValue value() {
    return value;
  }

  @Override
  public int number(long key) {
    value = new KeyValue.Number(key);
    return 0;
  }

  @Override
  public int bytes(byte[] buffer, int offset, int length) {
    value = new KeyValue.Bytes(Arrays.copyOfRange(buffer, offset, offset + length));
    return 0;
  }
}
