package org.abelian.router.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.abelian.router.protocol.BindMessage;
import org.abelian.router.protocol.ByteQueue;
import org.abelian.router.protocol.FrameWriter;
import org.abelian.router.protocol.FrontendType;
import org.junit.jupiter.api.Test;

class IntentTextTest {
  private static final int INT4 = 23;
  private static final int TEXT = 25;
  private static final int UUID = 2950;
  private static final int POINT = 600;
  private static final int DATE = 1082;
  private static final int TIMESTAMP = 1114;
  private static final int TIMESTAMPTZ = 1184;
  private static final int JSONB = 3802;

  /** A Bind with these values, null for NULL, all in one format. */
  private static BindMessage bind(boolean binary, byte[]... values) {
    ByteQueue queue = new ByteQueue(64);
    FrameWriter writer = new FrameWriter(queue);
    writer.begin(FrontendType.BIND).int1(0).int1(0).int2(1).int2(binary ? 1 : 0);
    writer.int2(values.length);
    for (byte[] value : values) {
      writer.int4(value == null ? -1 : value.length);
      if (value != null) {
        writer.bytes(value);
      }
    }
    writer.int2(0).end();
    BindMessage bind = new BindMessage();
    bind.look(queue.toByteArray(), 0);
    return bind;
  }

  @Test
  void argumentsTakeThePlacesOfParametersOutsideOfQuotes() {
    BindMessage values = bind(false, "7".getBytes(), "it's $1 \\".getBytes());
    assertEquals(
        Optional.of("CALL p('7'::int4, '$2 it''s',  E'it''s $1 \\\\'::text, \"$1\")"),
        IntentText.of("CALL p($1, '$2 it''s', $2, \"$1\")", List.of(INT4, TEXT), values));
  }

  @Test
  void binaryValuesAreWrittenAsTextAndNullsKeepTheirType() {
    BindMessage values = bind(true, new byte[] {-1, -1, -1, -2}, null);
    assertEquals(
        Optional.of("CALL p('-2'::int4, NULL::uuid)"),
        IntentText.of("CALL p($1, $2)", List.of(INT4, UUID), values));
  }

  private static Optional<String> plain(int type, String text) {
    return IntentText.plain(0, List.of(type), bind(false, text.getBytes()));
  }

  @Test
  void textsThatSettingsGiveAnotherMeaningAreNoPlainTexts() {
    for (String same : List.of("2024-05-01", "2024-05-01 +09")) {
      assertEquals(Optional.of(same), plain(DATE, same));
    }
    for (String same : List.of("2024-05-01 10:00:00", "2024-05-01T10:00:00.123456+02:30")) {
      assertEquals(Optional.of(same), plain(TIMESTAMP, same));
    }
    String zoned = "2024-05-01 10:00:00+00";
    assertEquals(Optional.of(zoned), plain(TIMESTAMPTZ, zoned));
    for (String other : List.of("01/05/2024", "today", "0024-05-01", "May 1, 2024")) {
      assertEquals(Optional.empty(), plain(DATE, other), other);
    }
    assertEquals(Optional.empty(), plain(TIMESTAMPTZ, "2024-05-01 10:00:00"), "no zone");
    assertEquals(Optional.empty(), plain(TIMESTAMPTZ, "2024-05-01 10:00:00 CET"));
    assertEquals(Optional.empty(), plain(TIMESTAMP, "now"));
    assertEquals(Optional.empty(), plain(POINT, "(1,2)"), "not known");
    assertEquals(Optional.empty(), IntentText.plain(0, List.of(INT4), bind(false, (byte[]) null)));
  }

  private static byte[] number(long value) {
    return ByteBuffer.allocate(8).putLong(value).array();
  }

  @Test
  void binaryMomentsAreWrittenInTheFormThatNoDateStyleChanges() {
    byte[] after = number(86_400_000_001L);
    byte[] before = number(-1);
    byte[] day = ByteBuffer.allocate(4).putInt(-1).array();
    assertEquals(
        Optional.of(
            "CALL p('2000-01-02 00:00:00.000001'::timestamp,"
                + " '1999-12-31 23:59:59.999999+00'::timestamptz, '1999-12-31'::date)"),
        IntentText.of(
            "CALL p($1, $2, $3)",
            List.of(TIMESTAMP, TIMESTAMPTZ, DATE),
            bind(true, after, before, day)));
    for (long far : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1}) {
      assertEquals(
          Optional.empty(),
          IntentText.of("CALL p($1)", List.of(TIMESTAMP), bind(true, number(far))));
    }
  }

  /** A one-dimensional array in binary form; null for NULL. */
  private static byte[] array(int element, int lowerBound, byte[]... values) {
    ByteBuffer bytes = ByteBuffer.allocate(200);
    bytes.putInt(1).putInt(0).putInt(element).putInt(values.length).putInt(lowerBound);
    for (byte[] value : values) {
      bytes.putInt(value == null ? -1 : value.length);
      if (value != null) {
        bytes.put(value);
      }
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  @Test
  void binaryArraysAreWrittenAsListsOfQuotedValues() {
    byte[] numbers = array(INT4, 1, new byte[] {0, 0, 1, 0}, null, new byte[] {-1, -1, -1, -1});
    byte[] texts = array(TEXT, 1, "a\"b\\c,d'e".getBytes(), "NULL".getBytes());
    byte[] none = ByteBuffer.allocate(12).putInt(8, INT4).array();
    assertEquals(
        Optional.of(
            "CALL p('{\"256\",NULL,\"-1\"}'::int4[],"
                + "  E'{\"a\\\\\"b\\\\\\\\c,d''e\",\"NULL\"}'::text[], '{}'::int4[])"),
        IntentText.of(
            "CALL p($1, $2, $3)", List.of(1007, 1009, 1007), bind(true, numbers, texts, none)));
    assertEquals(
        Optional.empty(),
        IntentText.of("CALL p($1)", List.of(1007), bind(true, array(INT4, 0, new byte[4]))));
  }

  @Test
  void whatCannotBeWrittenAsTextIsNotGuessed() {
    assertEquals(
        Optional.empty(), IntentText.of("CALL p($1)", List.of(JSONB), bind(true, new byte[16])));
    assertEquals(
        Optional.empty(),
        IntentText.of("CALL p($1)", List.of(POINT), bind(false, "(1,2)".getBytes())));
    assertEquals(
        Optional.empty(),
        IntentText.of("CALL p($1, $q$ $1 $q$)", List.of(INT4), bind(false, "1".getBytes())));
    assertEquals(
        Optional.empty(),
        IntentText.of("CALL p($1 /* ' */)", List.of(INT4), bind(false, "1".getBytes())));
    assertEquals(
        Optional.empty(),
        IntentText.of("CALL p($1, E'\\'$1')", List.of(INT4), bind(false, "1".getBytes())));
  }
}
