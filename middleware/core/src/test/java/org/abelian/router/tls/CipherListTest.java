package org.abelian.router.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CipherListTest {
  private static final String[] SUPPORTED = {
    "TLS_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_DHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256",
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_DH_anon_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_NULL_SHA256",
    "TLS_EMPTY_RENEGOTIATION_INFO_SCSV"
  };

  /** The numbers are indexes into the list above. */
  @ParameterizedTest
  @CsvSource({
    "HIGH:MEDIUM:+3DES:!aNULL, 1 2 3 4 5 6 7",
    "MEDIUM:HIGH:!aNULL, 7 1 2 3 4 5 6",
    "MEDIUM:HIGH:+3DES:!aNULL, 1 2 3 4 5 6 7",
    "ECDHE-RSA-AES256-GCM-SHA384, 2",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, 2",
    "ECDHE-RSA-CHACHA20-POLY1305:AES256-SHA256:DES-CBC3-SHA, 3 6 7",
    "DHE-RSA-AES128-SHA:ADH-AES128-SHA, 4 8",
    "ECDHE+AESGCM:RSA, 1 2 5 6 7 9",
    "ECDHE+aRSA, 2 3",
    "HIGH:!aNULL:!kRSA, 1 2 3 4",
    "ALL:-AES:AES128, 3 7 4 5 8",
    "!AESGCM:HIGH:!aNULL:AESGCM, 3 4 6",
    "eNULL:IDEA:CAMELLIA256-SHA, 9",
    "HIGH @STRENGTH; !aNULL, 1 2 3 4 5 6"
  })
  void theListIsReadAsOpensslReadsIt(String list, String indexes) {
    List<String> chosen = List.of(CipherList.select(list, SUPPORTED));
    assertEquals("TLS_AES_256_GCM_SHA384", chosen.get(0), "the suites of TLS 1.3 are always in");
    assertEquals(
        List.of(indexes.split(" ")).stream().map(i -> SUPPORTED[Integer.parseInt(i)]).toList(),
        chosen.subList(1, chosen.size()));
  }

  @Test
  void aListOfNothingIsAnError() {
    assertThrows(IllegalArgumentException.class, () -> CipherList.select("IDEA", SUPPORTED));
    assertThrows(IllegalArgumentException.class, () -> CipherList.select("", SUPPORTED));
    assertThrows(
        IllegalArgumentException.class, () -> CipherList.select("HIGH@SECLEVEL=2", SUPPORTED));
    assertThrows(
        IllegalArgumentException.class, () -> CipherList.select("HIGH:@SECLEVEL=2", SUPPORTED));
  }
}
