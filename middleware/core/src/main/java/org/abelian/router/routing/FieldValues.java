package org.abelian.router.routing;

import org.abelian.router.protocol.ByteQueue;

/** Fields of a line of COPY as parameters, in text format. The array is not copied. */
final class FieldValues implements BoundValues {
  private final ByteQueue[] fields;

  /**
   * @param fields null where a value is NULL
   */
  FieldValues(ByteQueue... fields) {
    this.fields = fields;
  }

  @Override
  public int count() {
    return fields.length;
  }

  @Override
  public boolean isBinary(int parameter) {
    return false;
  }

  @Override
  public byte[] buffer(int parameter) {
    return fields[parameter - 1].array();
  }

  @Override
  public int offset(int parameter) {
    return fields[parameter - 1].start();
  }

  @Override
  public int length(int parameter) {
    ByteQueue field = fields[parameter - 1];
    return field == null ? -1 : field.size();
  }
}
