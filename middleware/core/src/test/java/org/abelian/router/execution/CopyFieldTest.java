package org.abelian.router.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CopyFieldTest {
  private static final CopyFormat TEXT =
      new CopyFormat(false, (byte) '\t', bytes("\\N"), (byte) '"', (byte) '"', false);
  private static final CopyFormat CSV =
      new CopyFormat(true, (byte) ',', bytes(""), (byte) '"', (byte) '"', false);
  private static final CopyFormat CSV_OTHERS =
      new CopyFormat(true, (byte) ';', bytes("null"), (byte) '\'', (byte) '\\', false);

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String read(CopyFormat format, String line, int column) {
    byte[] array = bytes("<" + line + ">");
    CopyField field = new CopyField(format);
    CopyField.Content content = field.read(array, 1, array.length - 1, column);
    return content == CopyField.Content.VALUE
        ? "=" + new String(field.value().toByteArray(), StandardCharsets.UTF_8)
        : content.name();
  }

  @Test
  void fieldsOfTextAreDividedByDelimitersThatAreNotEscaped() {
    assertEquals("=a", read(TEXT, "a\tb\tc", 0));
    assertEquals("=b", read(TEXT, "a\tb\tc", 1));
    assertEquals("=c", read(TEXT, "a\tb\tc", 2));
    assertEquals("MISSING", read(TEXT, "a\tb\tc", 3));
    assertEquals("=", read(TEXT, "a\t\tc", 1));
    assertEquals("=", read(TEXT, "a\t", 1));
    assertEquals("=b", read(TEXT, "a\\\tx\tb", 1));
  }

  @Test
  void escapesOfTextAreRead() {
    assertEquals("=a\tb\\c\n\u000b", read(TEXT, "a\\tb\\\\c\\n\\v", 0));
    assertEquals("=A1é", read(TEXT, "\\1011\\xC3\\xA9", 0));
    assertEquals("=xyq", read(TEXT, "\\xy\\q", 0));
    assertEquals("=a\\", read(TEXT, "a\\", 0));
  }

  @Test
  void nullIsWhatIsWrittenSo() {
    assertEquals("NULL", read(TEXT, "a\t\\N", 1));
    assertEquals("=\\N", read(TEXT, "a\t\\\\N", 1));
    assertEquals("NULL", read(CSV, "a,,b", 1));
    assertEquals("=", read(CSV, "a,\"\",b", 1));
    assertEquals("NULL", read(CSV_OTHERS, "a;null", 1));
    assertEquals("=null", read(CSV_OTHERS, "a;'null'", 1));
  }

  @Test
  void quotesOfCsvAreRead() {
    assertEquals("=b,\"\nc", read(CSV, "a,\"b,\"\"\nc\",d", 1));
    assertEquals("=d", read(CSV, "a,\"b,\"\"\nc\",d", 2));
    assertEquals("=abc", read(CSV, "a\"b\"c", 0));
    assertEquals("=it's;", read(CSV_OTHERS, "'it\\'s;'", 0));
    assertEquals("MISSING", read(CSV, "\"open,b", 1));
  }

  @Test
  void theMarkerOfADefaultIsComparedAsItIsWritten() {
    CopyFormat text =
        new CopyFormat(
            false,
            (byte) '\t',
            bytes("\\N"),
            bytes("\\D"),
            (byte) '"',
            (byte) '"',
            false,
            StandardCharsets.UTF_8);
    assertEquals("DEFAULT", read(text, "1\t\\D", 1));
    assertEquals("=D ", read(text, "1\t\\D ", 1));
    CopyFormat csv =
        new CopyFormat(
            true,
            (byte) ',',
            bytes(""),
            bytes("D"),
            (byte) '"',
            (byte) '"',
            false,
            StandardCharsets.UTF_8);
    assertEquals("DEFAULT", read(csv, "D,1", 0));
    assertEquals("=D", read(csv, "\"D\",1", 0));
  }
}
