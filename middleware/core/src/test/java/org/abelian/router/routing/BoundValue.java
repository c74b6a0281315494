package org.abelian.router.routing;

import java.util.Arrays;

/** One parameter in some format, amid other bytes as in a message. */
record BoundValue(byte[] bytes, boolean isBinary) implements BoundValues {
  private static final int PADDING = 3;

  @Override
  public int count() {
    return 1;
  }

  @Override
  public boolean isBinary(int parameter) {
    return isBinary;
  }

  @Override
  public byte[] buffer(int parameter) {
    byte[] message = new byte[bytes.length + 2 * PADDING];
    Arrays.fill(message, (byte) '7');
    System.arraycopy(bytes, 0, message, PADDING, bytes.length);
    return message;
  }

  @Override
  public int offset(int parameter) {
    return PADDING;
  }

  @Override
  public int length(int parameter) {
    return bytes.length;
  }
}
