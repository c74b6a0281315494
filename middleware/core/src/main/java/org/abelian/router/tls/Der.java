package org.abelian.router.tls;

import java.io.ByteArrayOutputStream;
import java.security.PublicKey;

/** As much of ASN.1's distinguished encoding as it takes to wrap a key in PKCS#8. */
final class Der {
  private static final byte INTEGER = 0x02;
  private static final byte OCTET_STRING = 0x04;
  private static final byte SEQUENCE = 0x30;

  private Der() {}

  /**
   * PKCS#8's PrivateKeyInfo around a key of an older form (PKCS#1, SEC 1). The algorithm, with its
   * curve, is that of the public key.
   */
  static byte[] privateKeyInfo(PublicKey publicKey, byte[] key) {
    byte[] version = value(INTEGER, new byte[] {0});
    byte[] algorithm = firstOfSequence(publicKey.getEncoded());
    return value(SEQUENCE, concatenation(version, algorithm, value(OCTET_STRING, key)));
  }

  private static byte[] value(byte tag, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    int length = content.length;
    if (length < 0x80) {
      out.write(length);
    } else {
      int bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / 8;
      out.write(0x80 | bytes);
      for (int i = bytes - 1; i >= 0; i--) {
        out.write(length >>> 8 * i);
      }
    }
    out.writeBytes(content);
    return out.toByteArray();
  }

  /** The first element, whole, of a well-formed sequence. */
  private static byte[] firstOfSequence(byte[] sequence) {
    int start = contentStart(sequence, 0);
    int contentStart = contentStart(sequence, start);
    byte[] first = new byte[contentStart - start + length(sequence, start)];
    System.arraycopy(sequence, start, first, 0, first.length);
    return first;
  }

  private static int contentStart(byte[] der, int at) {
    int first = der[at + 1] & 0xff;
    return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
  }

  private static int length(byte[] der, int at) {
    int first = der[at + 1] & 0xff;
    if (first < 0x80) {
      return first;
    }
    int length = 0;
    for (int i = 0; i < (first & 0x7f); i++) {
      length = length << 8 | der[at + 2 + i] & 0xff;
    }
    return length;
  }

  private static byte[] concatenation(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
