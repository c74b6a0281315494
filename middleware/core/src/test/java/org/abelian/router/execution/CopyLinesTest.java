package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CopyLinesTest {
  private static final CopyFormat TEXT =
      new CopyFormat(false, (byte) '\t', bytes("\\N"), (byte) '"', (byte) '"', false);
  private static final CopyFormat CSV =
      new CopyFormat(true, (byte) ',', bytes(""), (byte) '"', (byte) '"', false);
  private static final CopyFormat CSV_BACKSLASH =
      new CopyFormat(true, (byte) ',', bytes(""), (byte) '"', (byte) '\\', false);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The lines of the data, however it is cut into messages. */
  private static List<String> lines(CopyFormat format, String data) {
    List<String> whole = lines(format, data, data.length() + 1);
    for (int piece = 1; piece <= 3; piece++) {
      assertEquals(whole, lines(format, data, piece), "in pieces of " + piece);
    }
    return whole;
  }

  private static List<String> lines(CopyFormat format, String data, int piece) {
    List<String> lines = new ArrayList<>();
    CopyLines copy =
        new CopyLines(
            format,
            (array, from, to, next) ->
                lines.add(new String(array, from, to - from, StandardCharsets.UTF_8)));
    byte[] all = bytes(data);
    for (int at = 0; at < all.length; at += piece) {
      copy.add(all, at, Math.min(piece, all.length - at));
    }
    copy.end();
    return lines;
  }

  @Test
  void aLineFeedEndsALine() {
    assertEquals(List.of("a\tb", "", "c"), lines(TEXT, "a\tb\n\nc\n"));
  }

  @Test
  void theLastLineNeedsNoEnd() {
    assertEquals(List.of("a", "b"), lines(TEXT, "a\nb"));
    assertEquals(List.of("a", "b"), lines(CSV, "a\r\nb"));
  }

  @Test
  void carriageReturnsEndLinesWithOrWithoutLineFeeds() {
    assertEquals(List.of("a", "b"), lines(TEXT, "a\rb\r"));
    assertEquals(List.of("a", "b"), lines(TEXT, "a\r\nb\r\n"));
  }

  @Test
  void anEscapedLineFeedIsData() {
    assertEquals(List.of("a\\\nb", "c\\\\", "d"), lines(TEXT, "a\\\nb\nc\\\\\nd\n"));
  }

  @Test
  void aQuotedLineFeedIsData() {
    assertEquals(List.of("\"a\nb\",1", "c"), lines(CSV, "\"a\nb\",1\nc\n"));
    assertEquals(List.of("\"a\"\"\r\nb\"", "c"), lines(CSV, "\"a\"\"\r\nb\"\nc\n"));
    assertEquals(List.of("\"a\\\"\nb\"", "c"), lines(CSV_BACKSLASH, "\"a\\\"\nb\"\nc\n"));
  }

  @Test
  void theMarkerEndsTheData() {
    assertEquals(List.of("a"), lines(TEXT, "a\n\\.\nignored\n"));
    assertEquals(List.of("a"), lines(TEXT, "a\n\\."));
    assertEquals(List.of("a", "b"), lines(TEXT, "a\nb\\.\n"));
    assertEquals(List.of("a"), lines(CSV, "a\n\\.\nignored\n"));
    assertEquals(List.of("a", "\\.b", "c\\."), lines(CSV, "a\n\\.b\nc\\.\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb\rc\n", "a\rb\nc\r", "a\r\nb\nc\r\n", "a\r\nb\rc\r\n", "a\\.b\n"})
  void whatPostgresqlRefusesIsRefused(String data) {
    AbelianException error = assertThrows(AbelianException.class, () -> lines(TEXT, data, 100));
    assertEquals(SqlState.BAD_COPY_FILE_FORMAT, error.state());
  }
}
