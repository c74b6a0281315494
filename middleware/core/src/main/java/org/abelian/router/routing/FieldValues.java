package org.abelian.router.routing;

import org.abelian.router.protocol.ByteQueue;

/** Fields of a row of COPY as parameters. The array is not copied. */
final class FieldValues implements BoundValues {
  private final boolean binary;
  private final ByteQueue[] fields;

  /**
   * @param binary true when they are in binary format
   * @param fields null where a value is NULL
   */
  FieldValues(boolean binary, ByteQueue... fields) {
    this.binary = binary;
    this.fields = fields;
  }

  @Override
  public int count() {
    return fields.length;
  }

  @Override
  public boolean isBinary(int parameter) {
    return binary;
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
