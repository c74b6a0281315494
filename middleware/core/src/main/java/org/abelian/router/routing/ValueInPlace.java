package org.abelian.router.routing;

import java.nio.charset.Charset;

/**
 * One value, where it lies among other bytes.
 *
 * @param length negative for NULL
 */
record ValueInPlace(byte[] buffer, int offset, int length, boolean isBinary, Charset charset)
    implements BoundValues {
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
    return buffer;
  }

  @Override
  public int offset(int parameter) {
    return offset;
  }

  @Override
  public int length(int parameter) {
    return length;
  }
}
