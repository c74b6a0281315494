package org.abelian.router.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Utf8Test {
  private static String malformed(byte[] bytes) {
    return Utf8.malformed(bytes, 0, bytes.length, new String(bytes, StandardCharsets.UTF_8));
  }

  /** One character stands for each byte; the messages are PostgreSQL's. */
  @ParameterizedTest
  @CsvSource({"a\u00ffb, 0xff", "\u00c3(, 0xc3 0x28", "\u00e2\u0082, 0xe2 0x82", "\u0080, 0x80"})
  void theFirstBytesAreTold(String bytes, String told) {
    assertEquals(told, malformed(bytes.getBytes(StandardCharsets.ISO_8859_1)));
    String longer = "x".repeat(9000) + bytes;
    assertEquals(told, malformed(longer.getBytes(StandardCharsets.ISO_8859_1)));
  }

  @Test
  void aReplacementCharacterThatIsThereIsSound() {
    assertNull(malformed("a \uFFFD b é".getBytes(StandardCharsets.UTF_8)));
  }
}
