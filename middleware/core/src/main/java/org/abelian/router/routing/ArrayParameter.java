package org.abelian.router.routing;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.function.IntConsumer;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.placement.KeySink;

/**
 * A parameter that is an array of keys.
 *
 * @param elementType the OID of its elements' type; 0 when unknown
 */
record ArrayParameter(int parameter, int elementType, KeyReader reader) {
  /** Tells what the sink makes of each element, as {@link KeyReader#read} does. */
  void read(BoundValues values, KeySink sink, IntConsumer each) {
    if (values.isNull(parameter)) {
      return;
    }
    if (values.isBinary(parameter)) {
      readBinary(values, sink, each);
    } else {
      String text =
          new String(
              values.buffer(parameter),
              values.offset(parameter),
              values.length(parameter),
              values.charset());
      for (String element : ArrayText.elements(text)) {
        each.accept(reader.read(TextValues.of(element), 1, elementType, sink));
      }
    }
  }

  /**
   * Dimensions, a flag, the element type, a length and lower bound for each dimension; then length
   * and bytes of each element.
   */
  private void readBinary(BoundValues values, KeySink sink, IntConsumer each) {
    byte[] buffer = values.buffer(parameter);
    ByteBuffer bytes = ByteBuffer.wrap(buffer, values.offset(parameter), values.length(parameter));
    try {
      int dimensions = bytes.getInt();
      bytes.getInt();
      int type = bytes.getInt();
      for (int dimension = 0; dimension < dimensions; dimension++) {
        bytes.getLong();
      }
      while (bytes.hasRemaining()) {
        int length = bytes.getInt();
        if (length > bytes.remaining()) {
          throw new BufferUnderflowException();
        }
        each.accept(
            reader.read(
                new ValueInPlace(buffer, bytes.position(), length, true, values.charset()),
                1,
                type,
                sink));
        bytes.position(bytes.position() + Math.max(length, 0));
      }
    } catch (BufferUnderflowException | IllegalArgumentException broken) {
      throw new AbelianException(
          SqlState.INVALID_BINARY_REPRESENTATION, "invalid binary form of an array", null);
    }
  }
}
