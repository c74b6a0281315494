package org.abelian.router.routing;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * The values of a Bind message, where they lie. Parameters are numbered from 1 as in the text.
 * Implementations are views and need not be safe for several threads.
 */
public interface BoundValues {
  /** How many parameters are bound. */
  int count();

  /** True when the parameter is NULL. */
  default boolean isNull(int parameter) {
    return length(parameter) < 0;
  }

  /** True when the parameter is in binary format. */
  boolean isBinary(int parameter);

  /** The array that holds the parameter's bytes. */
  byte[] buffer(int parameter);

  /** Where the parameter's bytes start in its buffer. */
  int offset(int parameter);

  /** The number of bytes; negative for NULL. */
  int length(int parameter);

  /** The session's client_encoding, in which text values are written. */
  default Charset charset() {
    return StandardCharsets.UTF_8;
  }
}
