package org.abelian.router.statement;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

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
