package org.abelian.router.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values and texts without what they say. */
class TraceHashingTest {
  private static final int BOOL = 16;
  private static final int INT4_ARRAY = 1007;
  private static final int BPCHAR = 1042;

  private final ValueHash hash = hash("0123456789abcdef");

  private static ValueHash hash(String key) {
    return new ValueHash(key.getBytes(StandardCharsets.US_ASCII));
  }

  /** Computed by Python's hmac module. */
  @Test
  void givesWhatHmacSha256Gives() {
    assertEquals("949809723721431417", hash.of("7", 0));
    assertEquals("171227901624298930", hash.of("-12.5", 0));
    assertEquals("343156537946742465", hash.of("123456789012345678901234567890", 0));
    assertEquals(
        "968843ce-519e-a2e9-2389-a8b73b6e234c", hash.of("6F1C2E6A-0b1d-4c3e-9a5b-1f2e3d4c5b6a", 0));
    assertEquals("0997-01-26", hash.of("1970-05-01", 0));
    assertEquals("h59538fa9383d4e5c98c3f0d4df11cff3", hash.of("it's", 0));
    assertEquals("h9a0c78e6cec1c3d82f7be54060bb9184", hash.of("", 0));
  }

  @Test
  void keepsEqualValuesEqualHoweverTheyAreWritten() {
    assertEquals(hash.of("7", 23), hash.of("7", 25));
    assertEquals(hash.of("7", 23), hash.of("7.00", 1700));
    assertEquals(hash.of("x  ", BPCHAR), hash.of("x", BPCHAR));
    assertNotEquals(hash.of("x  ", 25), hash.of("x", 25));
    assertNotEquals(hash.of("7", 0), hash("another key 1234").of("7", 0));
    assertEquals("t", hash.of("t", BOOL));
    assertEquals(
        "{\"" + hash.of("1", 0) + "\",NULL,\"" + hash.of("2", 0) + "\"}",
        hash.of("{1,NULL,2}", INT4_ARRAY));
  }

  @Test
  void takesOddForms() {
    for (String odd : List.of("007", "1e5", "NaN", "2020-13-45", "-0", "0x1F", "{", "\u0000\n'")) {
      String hashed = hash.of(odd, 0);
      assertFalse(hashed.contains(odd), odd);
    }
    assertEquals(hash.of("{", 0), hash.of("{", INT4_ARRAY));
  }

  @Test
  void refusesAShortKey() {
    assertThrows(IllegalArgumentException.class, () -> hash("0123456789abcde"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "SELECT 1 | SELECT $2 | 1",
        "SELECT a FROM t WHERE b = -5 | SELECT a FROM t WHERE b = $2 | -5",
        "SELECT a - 5 FROM t | SELECT a - $2 FROM t | 5",
        "UPDATE t SET a = 'it''s' WHERE b=.5e3 | UPDATE t SET a = $2 WHERE b=$3 | it's,.5e3",
        "SELECT 'a' -- 'b'  | SELECT $2 | a",
        "SELECT /* 'x' /* 5 */ */ a1, \"b 2'\" FROM t2 | SELECT a1, \"b 2'\" FROM t2 |",
        "SELECT $$se'cret$$, $a$b$$c$a$ | SELECT $2, $3 | se'cret,b$$c",
        "SELECT E'a\\'b', U&'c', x'1F' | SELECT $2, $3, $4 | a\\'b,c,1F",
        "SELECT a FROM t ORDER BY 1, 2 LIMIT 3 | SELECT a FROM t ORDER BY 1, 2 LIMIT $2 | 3",
        "SELECT a::numeric(10, 2), 10 FROM t | SELECT a::numeric(10, 2), $2 FROM t | 10",
        "SELECT date '1970-05-01' | SELECT CAST($2 AS date) | 1970-05-01",
        "SELECT interval '1 day' + b | SELECT CAST($2 AS interval) + b | 1 day",
        "SELECT select'x' | SELECT select $2 | x",
        "SELECT 0xFF, 1_000 | SELECT $2, $3 | 0xFF,1_000",
        "SELECT größe5 FROM t WHERE größe5='ü' | SELECT größe5 FROM t WHERE größe5=$2 | ü",
        "SELECT a FROM t WHERE b = $1 AND c = 'x' | SELECT a FROM t WHERE b = $1 AND c = $2 | x",
      })
  void takesLiteralsOut(String sql, String text, String values) {
    HashedText hashed = HashedText.of(sql, 1, hash);
    assertEquals(text, hashed.text().strip().replaceAll("\\s+", " "));
    List<String> literals = values == null ? List.of() : List.of(values.split(","));
    assertEquals(literals.stream().map(one -> hash.of(one, 0)).toList(), hashed.values());
  }

  @Test
  void leavesLiteralsWhereThereAreNoParameters() {
    assertEquals(
        "SELECT a FROM t WHERE b = 949809723721431417 AND c = '949809723721431417' AND d ="
            + " 'h59538fa9383d4e5c98c3f0d4df11cff3' AND e > CAST('0997-01-26' AS date)",
        HashedText.of(
                "SELECT a FROM t WHERE b = 7 AND c = '7' AND d = 'it''s' AND e > date '1970-05-01'",
                0,
                hash)
            .text());
  }

  @Test
  void givesUpWhereLiteralsAreNotCertain() {
    for (String sql :
        List.of("SELECT 'a\\'secret'", "SELECT 'a", "SELECT $a$b", "SELECT \"a", "SELECT E'\\'")) {
      assertNull(HashedText.of(sql, 0, hash), sql);
    }
  }

  /** A regular expression would need a stack as deep as the literal is long. */
  @Test
  void takesLongLiterals() {
    String secret = "s''".repeat(1_000_000);
    assertEquals("SELECT $2", HashedText.of("SELECT '" + secret + "'", 1, hash).text());
  }

  @Property
  void leavesNothingOfALiteral(
      @ForAll @AlphaChars @StringLength(min = 12, max = 40) String secret) {
    for (String quoted :
        List.of("'" + secret + "'", "E'" + secret + "'", "$$" + secret + "$$", "-- " + secret)) {
      HashedText hashed = HashedText.of("UPDATE t SET a=b WHERE c = d AND d =" + quoted, 0, hash);
      assertFalse(hashed.text().contains(secret), hashed::text);
    }
  }
}
