package org.abelian.router.routing;

import java.nio.ByteBuffer;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.MomentText;
import org.abelian.router.protocol.BigEndian;

/**
 * Values of time, timestamp and timestamp with time zone: the bytes of their microseconds. As
 * numbers, those of whole hours or days would lie on few of the partitions.
 */
final class MomentKey {
  private MomentKey() {}

  /** True of the types whose values are compared with such a column as they are. */
  static boolean reads(KeyKind kind, int oid) {
    return switch (kind) {
      case TIMESTAMP -> oid == PgType.TIMESTAMP || oid == PgType.DATE;
      case TIMESTAMPTZ -> oid == PgType.TIMESTAMPTZ;
      default -> oid == PgType.TIME;
    };
  }

  /**
   * The value.
   *
   * @param digits how many of a second are stored
   */
  static byte[] of(KeyKind kind, BoundValues values, int parameter, int oid, int digits) {
    byte[] buffer = values.buffer(parameter);
    int offset = values.offset(parameter);
    int length = values.length(parameter);
    long micros;
    if (!values.isBinary(parameter)) {
      String text = ValueBytes.ascii(buffer, offset, length).strip();
      micros =
          kind == KeyKind.TIME
              ? MomentText.time(text)
              : MomentText.timestamp(text, kind == KeyKind.TIMESTAMPTZ);
    } else if (oid == PgType.DATE) {
      ValueBytes.require(length, 4);
      micros = MomentText.ofDays(BigEndian.int4(buffer, offset));
    } else {
      ValueBytes.require(length, 8);
      micros = BigEndian.int8(buffer, offset);
    }
    return ByteBuffer.allocate(8).putLong(MomentText.rounded(micros, digits)).array();
  }
}
