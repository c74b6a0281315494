package org.abelian.router.placement;

/** Characters of texts in UTF-8. */
public final class Utf8 {
  private Utf8() {}

  /** The number of bytes that the first characters take, if there are so many; else all. */
  public static int prefix(byte[] buffer, int offset, int length, long characters) {
    if (length <= characters) {
      return length;
    }
    long found = 0;
    for (int at = 0; at < length; at++) {
      boolean startsCharacter = (buffer[offset + at] & 0xC0) != 0x80;
      if (startsCharacter && ++found > characters) {
        return at;
      }
    }
    return length;
  }
}
