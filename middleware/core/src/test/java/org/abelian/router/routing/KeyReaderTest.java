package org.abelian.router.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.abelian.router.catalog.KeyColumn;
import org.abelian.router.error.AbelianException;
import org.abelian.router.error.SqlState;
import org.abelian.router.placement.HashFunction;
import org.abelian.router.placement.KeyKind;
import org.abelian.router.placement.PartitionHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyReaderTest {
  private static final int COUNT = 4_093;
  private static final HashFunction HASH = new HashFunction(COUNT);

  @Property
  void anIntegerIsTheSameKeyInEveryTypeAndFormat(@ForAll int key) {
    int expected = PartitionHash.partition(key, COUNT);
    assertEquals(expected, binary(PgType.INT4, ByteBuffer.allocate(4).putInt(key)));
    assertEquals(expected, binary(PgType.INT8, ByteBuffer.allocate(8).putLong(key)));
    assertEquals(expected, binary(PgType.FLOAT8, ByteBuffer.allocate(8).putDouble(key)));
    assertEquals(expected, binary(PgType.NUMERIC, numeric(BigDecimal.valueOf(key))));
    assertEquals(expected, binary(PgType.NUMERIC, numeric(new BigDecimal(key + ".00"))));
    for (String form : List.of("%d", " %d ", "%d.000", "%d.", "%de0")) {
      assertEquals(expected, text(KeyKind.INTEGER, form.formatted(key)), form);
    }
  }

  @Property
  void aSmallintIsTheSameKeyAsAnInteger(@ForAll short key) {
    int expected = PartitionHash.partition(key, COUNT);
    assertEquals(expected, binary(PgType.INT2, ByteBuffer.allocate(2).putShort(key)));
    assertEquals(expected, binary(PgType.FLOAT4, ByteBuffer.allocate(4).putFloat(key)));
  }

  @Property
  void aBigintIsTheSameKeyAsANumericAndAsText(@ForAll long key) {
    int expected = PartitionHash.partition(key, COUNT);
    assertEquals(expected, binary(PgType.INT8, ByteBuffer.allocate(8).putLong(key)));
    assertEquals(expected, binary(PgType.NUMERIC, numeric(BigDecimal.valueOf(key))));
    assertEquals(expected, text(KeyKind.INTEGER, Long.toString(key)));
  }

  @Property
  void theNewerFormsOfIntegersAreUnderstood(@ForAll @IntRange(min = 1) int key) {
    int expected = PartitionHash.partition(key, COUNT);
    assertEquals(expected, text(KeyKind.INTEGER, "0x" + Integer.toHexString(key)));
    assertEquals(expected, text(KeyKind.INTEGER, "0b" + Integer.toBinaryString(key)));
    assertEquals(expected, text(KeyKind.INTEGER, "0o" + Integer.toOctalString(key)));
    assertEquals(expected, text(KeyKind.INTEGER, "+" + key));
    String digits = Integer.toString(key);
    assertEquals(
        expected,
        text(
            KeyKind.INTEGER,
            digits.length() > 1 ? digits.charAt(0) + "_" + digits.substring(1) : digits));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.5", "NaN", "Infinity", "-inf", "1e-3"})
  void noIntegerColumnHoldsThese(String text) {
    assertEquals(KeyReader.NO_MATCH, text(KeyKind.INTEGER, text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "abc", "1x", "--1", "0x", "1e999999999", "1 2"})
  void whatIsNoNumberIsRefusedAsPostgresDoes(String text) {
    AbelianException error =
        assertThrows(AbelianException.class, () -> text(KeyKind.INTEGER, text));
    assertEquals(SqlState.INVALID_TEXT_REPRESENTATION, error.state());
  }

  @Property
  void textsAreReadAsUtf8WhateverTheEncoding(@ForAll String key) {
    String clean = key.replaceAll("[^\\x20-\\xff]", "?");
    byte[] utf8 = clean.getBytes(StandardCharsets.UTF_8);
    int expected = PartitionHash.partition(PartitionHash.ofBytes(utf8, 0, utf8.length), COUNT);
    assertEquals(expected, text(KeyKind.TEXT, clean));
    assertEquals(
        expected, reader(KeyKind.TEXT).read(new BoundValue(utf8, true), 1, PgType.VARCHAR, HASH));
    BoundValues latin = new Latin(clean.getBytes(StandardCharsets.ISO_8859_1));
    assertEquals(expected, reader(KeyKind.TEXT).read(latin, 1, PgType.TEXT, HASH));
  }

  @Test
  void blanksAtTheEndOfCharDoNotCount() {
    int expected = text(KeyKind.BLANK_PADDED, "ab");
    assertEquals(expected, text(KeyKind.BLANK_PADDED, "ab   "));
    assertEquals(expected, text(KeyKind.TEXT, "ab"));
    assertEquals(false, expected == text(KeyKind.TEXT, "ab "));
  }

  @Test
  void varcharStoresWithoutTheBlanksBeyondItsLength() {
    KeyReader stored = new KeyReader(new KeyColumn("k", KeyKind.TEXT, null), 3);
    KeyReader compared = reader(KeyKind.TEXT);
    int cut = compared.read(TextValues.of("äbc"), 1, PgType.VARCHAR, HASH);
    assertEquals(cut, stored.read(TextValues.of("äbc  "), 1, PgType.VARCHAR, HASH));
    assertEquals(
        compared.read(TextValues.of("ä  "), 1, PgType.VARCHAR, HASH),
        stored.read(TextValues.of("ä   "), 1, PgType.VARCHAR, HASH));
  }

  @Test
  void numbersAreRoundedAsTheirTypesAreWhenTheyAreStoredAsIntegers() {
    KeyReader stored = KeyReader.ofStored(new KeyColumn("k", KeyKind.INTEGER, null));
    KeyReader compared = reader(KeyKind.INTEGER);
    for (Object[] given :
        new Object[][] {
          {"2.5", PgType.NUMERIC, "3"},
          {"-2.5", PgType.NUMERIC, "-3"},
          {"2.4", PgType.NUMERIC, "2"},
          {"2.5", PgType.FLOAT8, "2"},
          {"3.5", PgType.FLOAT8, "4"},
          {"-2.5", PgType.FLOAT4, "-2"},
          {"1e3", PgType.FLOAT8, "1000"},
        }) {
      TextValues value = TextValues.of((String) given[0]);
      int type = (Integer) given[1];
      assertEquals(
          compared.read(TextValues.of((String) given[2]), 1, PgType.INT8, HASH),
          stored.read(value, 1, type, HASH),
          given[0] + " of type " + type);
    }
    assertEquals(KeyReader.NO_MATCH, compared.read(TextValues.of("2.5"), 1, PgType.NUMERIC, HASH));
    assertEquals(KeyReader.NO_MATCH, stored.read(TextValues.of("NaN"), 1, PgType.FLOAT8, HASH));
    int domain = 99_999; // over one of them, nobody knows which
    assertEquals(KeyReader.NO_MATCH, stored.read(TextValues.of("2.5"), 1, domain, HASH));
  }

  @Test
  void anIntegerStoredInATextColumnIsItsDigits() {
    int expected = text(KeyKind.TEXT, "-42");
    KeyReader reader = reader(KeyKind.TEXT);
    byte[] bytes = ByteBuffer.allocate(4).putInt(-42).array();
    assertEquals(expected, reader.read(new BoundValue(bytes, true), 1, PgType.INT4, HASH));
  }

  @Test
  void anIntegerInTextFormatStoredInATextColumnIsItsDigitsToo() {
    assertEquals(
        text(KeyKind.TEXT, "7"),
        reader(KeyKind.TEXT).read(TextValues.of(" 007"), 1, PgType.INT4, HASH));
    assertThrows(
        AbelianException.class,
        () -> reader(KeyKind.TEXT).read(TextValues.of("1.0"), 1, PgType.NUMERIC, HASH));
  }

  @Test
  void floatingPointDigitsMeanWhatTheTypeHolds() {
    KeyReader reader = reader(KeyKind.INTEGER);
    assertEquals(
        text(KeyKind.INTEGER, "16777216"),
        reader.read(TextValues.of("16777217"), 1, PgType.FLOAT4, HASH));
    assertEquals(
        text(KeyKind.INTEGER, "9007199254740992"),
        reader.read(TextValues.of("9007199254740993"), 1, PgType.FLOAT8, HASH));
  }

  @Property
  void aUuidIsTheSameKeyInEveryForm(@ForAll long high, @ForAll long low) {
    UUID uuid = new UUID(high, low);
    int expected = text(KeyKind.UUID, uuid.toString());
    byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    assertEquals(
        expected, reader(KeyKind.UUID).read(new BoundValue(bytes, true), 1, PgType.UUID, HASH));
    assertEquals(expected, text(KeyKind.UUID, uuid.toString().toUpperCase()));
    assertEquals(expected, text(KeyKind.UUID, "{" + uuid + "}"));
    assertEquals(expected, text(KeyKind.UUID, uuid.toString().replace("-", "")));
  }

  @Test
  void booleansAndDatesAreTheSameKeyInEveryForm() {
    KeyReader bool = reader(KeyKind.BOOLEAN);
    int yes = bool.read(new BoundValue(new byte[] {1}, true), 1, PgType.BOOL, HASH);
    for (String form : List.of("t", "TRUE", "yes", "on", "1", "y")) {
      assertEquals(yes, text(KeyKind.BOOLEAN, form), form);
    }
    KeyReader date = reader(KeyKind.DATE);
    byte[] day = ByteBuffer.allocate(4).putInt(366).array();
    int expected = date.read(new BoundValue(day, true), 1, PgType.DATE, HASH);
    for (String form : List.of("2001-01-01", "2001-01-01 +02", "2001-01-01 -03:30")) {
      assertEquals(expected, text(KeyKind.DATE, form), form);
    }
    assertThrows(AbelianException.class, () -> text(KeyKind.DATE, "01/02/2001"));
    assertThrows(AbelianException.class, () -> text(KeyKind.DATE, "2001-02-30"));
  }

  private static int read(KeyKind kind, int oid, String text) {
    return reader(kind).read(TextValues.of(text), 1, oid, HASH);
  }

  private static int read(KeyKind kind, int oid, ByteBuffer bytes) {
    return reader(kind).read(new BoundValue(bytes.array(), true), 1, oid, HASH);
  }

  @Test
  void equalNumbersAreOneKey() {
    int one = text(KeyKind.DECIMAL, "1.5");
    for (String form : List.of("1.50", "+1.5", "15e-1", "001.500", " 1.5 ")) {
      assertEquals(one, text(KeyKind.DECIMAL, form), form);
    }
    ByteBuffer binary = numeric(new BigDecimal("1.500"));
    assertEquals(one, read(KeyKind.DECIMAL, PgType.NUMERIC, binary));
    int hundred = text(KeyKind.DECIMAL, "100.00");
    assertEquals(hundred, read(KeyKind.DECIMAL, PgType.INT4, ByteBuffer.allocate(4).putInt(100)));
    assertEquals(text(KeyKind.DECIMAL, "-0.0"), text(KeyKind.DECIMAL, "0"));
    assertEquals(text(KeyKind.DECIMAL, "nan"), text(KeyKind.DECIMAL, "NaN"));
    assertEquals(text(KeyKind.DECIMAL, "inf"), text(KeyKind.DECIMAL, "Infinity"));
    KeyReader cents = new KeyReader(new KeyColumn("k", KeyKind.DECIMAL, null), 2);
    assertEquals(
        text(KeyKind.DECIMAL, "-1.01"), cents.read(TextValues.of("-1.005"), 1, 1700, HASH));
  }

  @Test
  void equalFloatingPointNumbersAreOneKey() {
    int zero = text(KeyKind.FLOAT, "0");
    assertEquals(zero, text(KeyKind.FLOAT, "-0.0"));
    assertEquals(zero, read(KeyKind.FLOAT, PgType.FLOAT8, ByteBuffer.allocate(8).putDouble(-0.0)));
    int nan = text(KeyKind.FLOAT, "NaN");
    ByteBuffer other = ByteBuffer.allocate(8).putLong(0xFFF8_0000_0000_0001L);
    assertEquals(nan, read(KeyKind.FLOAT, PgType.FLOAT8, other));
    assertEquals(
        text(KeyKind.FLOAT, "-inf"),
        read(KeyKind.FLOAT, PgType.FLOAT4, ByteBuffer.allocate(4).putFloat(-1 / 0f)));
    int single = read(KeyKind.FLOAT, PgType.FLOAT4, "0.1");
    assertEquals(single, text(KeyKind.FLOAT, Double.toString(0.1f)));
    KeyReader real = new KeyReader(new KeyColumn("k", KeyKind.FLOAT, null), NumberKey.SINGLE);
    assertEquals(single, real.read(TextValues.of("0.1"), 1, PgType.FLOAT8, HASH));
    assertEquals(
        text(KeyKind.FLOAT, "2"),
        read(KeyKind.FLOAT, PgType.INT2, ByteBuffer.allocate(2).putShort((short) 2)));
  }

  @Test
  void momentsAreOneKeyInEveryFormThatMeansTheSameEverywhere() {
    ByteBuffer micros = ByteBuffer.allocate(8).putLong(366 * 86_400_000_000L + 500_000);
    int expected = read(KeyKind.TIMESTAMPTZ, PgType.TIMESTAMPTZ, micros);
    for (String form :
        List.of(
            "2001-01-01 00:00:00.5+00",
            "2001-01-01T00:00:00.500Z",
            "2001-01-01 05:30:00.5 +05:30",
            "2000-12-31 22:00:00.500000-02")) {
      assertEquals(expected, text(KeyKind.TIMESTAMPTZ, form), form);
    }
    assertEquals(expected, text(KeyKind.TIMESTAMP, "2001-01-01 00:00:00.5"));
    assertEquals(
        text(KeyKind.TIMESTAMP, "2001-01-01"),
        read(KeyKind.TIMESTAMP, PgType.DATE, ByteBuffer.allocate(4).putInt(366)));
    assertEquals(text(KeyKind.TIME, "10:00"), text(KeyKind.TIME, "10:00:00.000"));
    for (String form : List.of("2001-01-01 10:00", "now", "01/02/2001 00:00+00", "2001-01-01")) {
      assertThrows(AbelianException.class, () -> text(KeyKind.TIMESTAMPTZ, form), form);
    }
    KeyReader seconds = new KeyReader(new KeyColumn("k", KeyKind.TIMESTAMP, null), 0);
    assertEquals(
        text(KeyKind.TIMESTAMP, "1999-12-31 23:59:58"),
        seconds.read(TextValues.of("1999-12-31 23:59:58.5"), 1, PgType.TIMESTAMP, HASH));
  }

  @Test
  void bytesAreOneKeyInBothForms() {
    int expected = read(KeyKind.BYTEA, PgType.BYTEA, ByteBuffer.wrap(new byte[] {0, 'a', '\\'}));
    assertEquals(expected, text(KeyKind.BYTEA, "\\x00615C"));
    assertEquals(expected, text(KeyKind.BYTEA, "\\000a\\\\"));
    assertThrows(AbelianException.class, () -> text(KeyKind.BYTEA, "é"));
    assertThrows(AbelianException.class, () -> text(KeyKind.BYTEA, "\\x0"));
  }

  @Test
  void nullIsNoKey() {
    assertEquals(
        KeyReader.NULL,
        reader(KeyKind.INTEGER).read(TextValues.of((String) null), 1, PgType.INT4, HASH));
  }

  @Test
  void brokenBinaryIsRefused() {
    for (int oid : new int[] {PgType.INT4, PgType.INT8, PgType.NUMERIC, PgType.FLOAT8}) {
      assertThrows(AbelianException.class, () -> binary(oid, ByteBuffer.allocate(3)));
    }
    assertThrows(AbelianException.class, () -> binary(1184, ByteBuffer.allocate(8)));
  }

  private static int binary(int oid, ByteBuffer bytes) {
    return reader(KeyKind.INTEGER).read(new BoundValue(bytes.array(), true), 1, oid, HASH);
  }

  private static int text(KeyKind kind, String text) {
    return reader(kind)
        .read(
            new BoundValue(text.getBytes(StandardCharsets.UTF_8), false), 1, PgType.UNKNOWN, HASH);
  }

  private static KeyReader reader(KeyKind kind) {
    return new KeyReader(new KeyColumn("k", kind, null));
  }

  /** As numeric_send() writes it. */
  private static ByteBuffer numeric(BigDecimal value) {
    BigInteger base = BigInteger.valueOf(10_000);
    int scale = Math.max(0, value.scale());
    int fractionDigits = (scale + 3) / 4;
    BigInteger unscaled = value.abs().setScale(fractionDigits * 4).unscaledValue();
    List<Integer> digits = new ArrayList<>();
    while (unscaled.signum() > 0) {
      BigInteger[] parts = unscaled.divideAndRemainder(base);
      digits.add(0, parts[1].intValue());
      unscaled = parts[0];
    }
    int weight = digits.size() - fractionDigits - 1;
    while (!digits.isEmpty() && digits.get(digits.size() - 1) == 0) {
      digits.remove(digits.size() - 1);
    }
    ByteBuffer bytes = ByteBuffer.allocate(8 + 2 * digits.size());
    bytes.putShort((short) digits.size()).putShort((short) weight);
    bytes.putShort((short) (value.signum() < 0 ? 0x4000 : 0)).putShort((short) scale);
    digits.forEach(digit -> bytes.putShort(digit.shortValue()));
    return bytes;
  }

  /** A text in another client_encoding. */
  private record Latin(byte[] bytes) implements BoundValues {
    @Override
    public int count() {
      return 1;
    }

    @Override
    public boolean isBinary(int parameter) {
      return false;
    }

    @Override
    public byte[] buffer(int parameter) {
      return bytes;
    }

    @Override
    public int offset(int parameter) {
      return 0;
    }

    @Override
    public int length(int parameter) {
      return bytes.length;
    }

    @Override
    public Charset charset() {
      return StandardCharsets.ISO_8859_1;
    }
  }
}
