package org.abelian.router.routing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Values in text format, for tests and for values that the router makes itself. */
public final class TextValues implements BoundValues {
  /** No parameters. */
  public static final BoundValues NONE = of();

  private final byte[][] values;

  private TextValues(byte[][] values) {
    this.values = values;
  }

  /** The values of parameters 1, 2, ...; null is NULL. */
  public static TextValues of(String... values) {
    return new TextValues(
        Arrays.stream(values)
            .map(value -> value == null ? null : value.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new));
  }

  /** The same from bytes, which are not copied. */
  static TextValues ofBytes(byte[]... values) {
    return new TextValues(values);
  }

  @Override
  public int count() {
    return values.length;
  }

  @Override
  public boolean isBinary(int parameter) {
    return false;
  }

  @Override
  public byte[] buffer(int parameter) {
    return values[parameter - 1];
  }

  @Override
  public int offset(int parameter) {
    return 0;
  }

  @Override
  public int length(int parameter) {
    byte[] value = values[parameter - 1];
    return value == null ? -1 : value.length;
  }
}
