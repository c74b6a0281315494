package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.abelian.router.routing.BoundValues;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which texts are the same but for their literals. */
class LiteralTemplateTest {
  private static void assertTemplate(
      String text, String template, List<Integer> types, List<String> values) {
    LiteralTemplate found = LiteralTemplate.of(text);
    assertNotNull(found, text);
    assertEquals(template, found.statement().sql());
    assertArrayEquals(types.stream().mapToInt(i -> i).toArray(), found.statement().types());
    BoundValues bound = found.values();
    List<String> told =
        IntStream.rangeClosed(1, bound.count())
            .mapToObj(i -> new String(bound.buffer(i), StandardCharsets.UTF_8))
            .toList();
    assertEquals(values, told);
  }

  @Test
  void literalsBecomeParametersOfTheirTypes() {
    assertTemplate(
        "UPDATE t1 SET n = n + 2, s = 'it''s' WHERE id=3000000000 AND x > 1.5",
        "UPDATE t1 SET n = n + $1, s = $2 WHERE id=$3 AND x > $4",
        List.of(23, 0, 20, 1700),
        List.of("2", "it's", "3000000000", "1.5"));
    assertTemplate(
        "INSERT INTO \"a'1\".b2 VALUES (-7,''), (.5,'ä')",
        "INSERT INTO \"a'1\".b2 VALUES (-$1,$2), ($3,$4)",
        List.of(23, 0, 1700, 0),
        List.of("7", "", ".5", "ä"));
    assertTemplate(
        "SELECT /* 1 '2 */ 3 -- '4\n, a_5, \"6\"",
        "SELECT /* 1 '2 */ $1 -- '4\n, a_5, \"6\"",
        List.of(23),
        List.of("3"));
    assertTemplate(
        "SELECT 2147483647, 2147483648, 9999999999999999999",
        "SELECT $1, $2, $3",
        List.of(23, 20, 1700),
        List.of("2147483647", "2147483648", "9999999999999999999"));
  }

  @Test
  void stringsWithAPrefixStayInTheTemplate() {
    assertTemplate("SELECT B'01', x'1F', 5", "SELECT B'01', x'1F', $1", List.of(23), List.of("5"));
    assertTemplate("SELECT U&'a', N'b', 5", "SELECT U&'a', N'b', $1", List.of(23), List.of("5"));
    assertTemplate("SELECT date '2020-01-01'", "SELECT date $1", List.of(0), List.of("2020-01-01"));
  }

  /** There a parameter would be a constant to sort by. */
  @Test
  void placesOfColumnsStayInTheTemplate() {
    assertTemplate(
        "SELECT a, b FROM t WHERE c = 5 ORDER BY 1, - 2 LIMIT 3",
        "SELECT a, b FROM t WHERE c = $1 ORDER BY 1, - 2 LIMIT $2",
        List.of(23, 23),
        List.of("5", "3"));
    assertTemplate(
        "SELECT a, 7 FROM t GROUP /**/ BY ROLLUP (1), 'x', a + 4",
        "SELECT a, $1 FROM t GROUP /**/ BY ROLLUP (1), 'x', a + $2",
        List.of(23, 23),
        List.of("7", "4"));
    assertTemplate(
        "SELECT DISTINCT ON (1, 2) a, b FROM t WHERE c BETWEEN 3 AND 4",
        "SELECT DISTINCT ON (1, 2) a, b FROM t WHERE c BETWEEN $1 AND $2",
        List.of(23, 23),
        List.of("3", "4"));
  }

  @Test
  void numbersWhoseTypeTheirSignDecidesStayInTheTemplate() {
    assertTemplate(
        "SELECT -2147483648, - 9223372036854775808, -5, 2147483648, a -3000000000",
        "SELECT -2147483648, - 9223372036854775808, -$1, $2, a -3000000000",
        List.of(23, 20),
        List.of("5", "2147483648"));
  }

  @Test
  void indexesAreInferredByTheTextItself() {
    assertFalse(LiteralTemplate.of("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING").isBindable());
    assertTrue(LiteralTemplate.of("INSERT INTO t VALUES (1)").isBindable());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT a FROM t",
        "SELECT $1, 2",
        "SELECT $$a$$, 2",
        "SELECT E'\\n', 2",
        "SELECT 'a\\b'",
        "SELECT 'a'\n'b'",
        "SELECT 'a' -- c\n 'b'",
        "SELECT B'1'\n'0', 'x'",
        "SELECT 'open",
        "SELECT 1e5",
        "SELECT 0x1F",
        "SELECT 1_000",
        "SELECT 1..2",
        "SELECT \"open, 1",
      })
  void otherTextsHaveNone(String text) {
    LiteralTemplate found = LiteralTemplate.of(text);
    assertNull(found, () -> found.statement().sql());
  }
}
