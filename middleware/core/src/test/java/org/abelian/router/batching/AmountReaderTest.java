package org.abelian.router.batching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.routing.BoundValues;
import org.abelian.router.routing.TextValues;
import org.junit.jupiter.api.Test;

/** Operands are read as the node would read them, or not at all; keys hold everything else. */
class AmountReaderTest {
  private static final int INT8 = 20;
  private static final int INT2 = 21;
  private static final int INT4 = 23;
  private static final int NUMERIC = 1700;

  /** The operand is $1, the key $2. */
  private record Bound(boolean binary, byte[]... values) implements BoundValues {
    @Override
    public int count() {
      return values.length;
    }

    @Override
    public boolean isBinary(int parameter) {
      return binary;
    }

    @Override
    public byte[] buffer(int parameter) {
      return values[parameter - 1];
    }

    @Override
    public int offset(int parameter) {
      return 0;
    }

    @Override
    public int length(int parameter) {
      return values[parameter - 1] == null ? -1 : values[parameter - 1].length;
    }
  }

  private static CombinedFacts facts(int type, boolean negative) {
    return new CombinedFacts(
        "UPDATE",
        List.of(type, INT4, INT8),
        List.of(
            new CombinedFacts.Operand(
                new Value.Parameter(1), type, negative, false, CombinedFacts.Merge.SUM)));
  }

  private static String text(int type, String value) {
    return sum(facts(type, false), new Bound(false, bytes(value), bytes("7")));
  }

  private static String binary(int type, byte[] value) {
    return sum(facts(type, false), new Bound(true, value, new byte[4]));
  }

  private static String sum(CombinedFacts facts, BoundValues values) {
    Amounts amounts = AmountReader.read(facts, values);
    return amounts == null ? null : amounts.columns().get(0).text();
  }

  private static byte[] bytes(String value) {
    return value == null ? null : value.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void integersAreReadInBothFormats() {
    assertEquals("-5", text(INT8, "-5"));
    assertEquals("5", text(INT4, "+5"));
    assertEquals("-2", binary(INT2, new byte[] {-1, -2}));
    assertEquals("-3", binary(INT4, ByteBuffer.allocate(4).putInt(-3).array()));
    long large = -(1L << 40) - 1;
    assertEquals("" + large, binary(INT8, ByteBuffer.allocate(8).putLong(large).array()));
  }

  @Test
  void decimalsKeepTheirScale() {
    assertEquals("-1.50", text(NUMERIC, "-1.50"));
    byte[] oneAndAHalf =
        ByteBuffer.allocate(12)
            .putShort((short) 2)
            .putShort((short) 0)
            .putShort((short) 0)
            .putShort((short) 2)
            .putShort((short) 1)
            .putShort((short) 5000)
            .array();
    assertEquals("1.50", binary(NUMERIC, oneAndAHalf));
  }

  @Test
  void whatIsNoPlainNumberOfTheTypeIsLeftToTheNode() {
    for (String value : new String[] {null, "", " 5", "5.0", "1e3", "x", "99999999999999999999"}) {
      assertNull(text(INT8, value), value);
    }
    assertNull(text(INT4, "3000000000"));
    assertNull(text(INT2, "40000"));
    for (String value : new String[] {null, "NaN", "Infinity", "1e3", ".5", "5.", "0x10"}) {
      assertNull(text(NUMERIC, value), value);
    }
    assertNull(binary(INT8, new byte[4]));
    assertNull(binary(NUMERIC, new byte[] {0, 0, 0, 0, (byte) 0xC0, 0, 0, 0}));
    assertNull(binary(NUMERIC, new byte[] {0, 9, 0, 0, 0, 0, 0, 0}));
  }

  @Test
  void aSubtractedOperandIsNegated() {
    BoundValues values = new Bound(false, bytes("5"), bytes("7"));
    assertEquals("-5", sum(facts(INT8, true), values));
    byte[] least = ByteBuffer.allocate(8).putLong(Long.MIN_VALUE).array();
    assertNull(sum(facts(INT8, true), new Bound(true, least, new byte[4])));
  }

  @Test
  void aConstantIsAnOperandToo() {
    Value constant = new Value.Constant("3", INT4, 5);
    CombinedFacts facts =
        new CombinedFacts(
            "UPDATE",
            List.of(INT8),
            List.of(
                new CombinedFacts.Operand(constant, INT4, true, false, CombinedFacts.Merge.SUM)));
    assertEquals("-3", sum(facts, TextValues.NONE));
  }

  @Test
  void operandsOfExtremaAreReadAsThoseOfSums() {
    Value constant = new Value.Constant("-3", INT4, 5);
    for (CombinedFacts.Merge merge :
        List.of(CombinedFacts.Merge.GREATEST, CombinedFacts.Merge.LEAST)) {
      CombinedFacts facts =
          new CombinedFacts(
              "UPDATE",
              List.of(INT8),
              List.of(new CombinedFacts.Operand(constant, INT4, false, false, merge)));
      assertEquals(
          new Amount.Extremum(new BigDecimal("-3"), merge == CombinedFacts.Merge.GREATEST),
          AmountReader.read(facts, TextValues.NONE).columns().get(0));
    }
  }

  @Test
  void keysDifferInEverythingButTheOperands() {
    CombinedFacts facts = facts(INT8, false);
    Object pool = new Object();
    BoundValues values = new Bound(false, bytes("1"), bytes("7"));
    BatchKey key = BatchKey.of("scope", pool, facts, values);
    assertEquals(key, BatchKey.of("scope", pool, facts, new Bound(false, bytes("2"), bytes("7"))));
    assertEquals(
        key.hashCode(),
        BatchKey.of("scope", pool, facts, new Bound(false, bytes("2"), bytes("7"))).hashCode());
    assertNotEquals(
        key, BatchKey.of("scope", pool, facts, new Bound(false, bytes("1"), bytes("8"))));
    assertNotEquals(key, BatchKey.of("scope", pool, facts, new Bound(false, bytes("1"), null)));
    assertNotEquals(
        key, BatchKey.of("scope", pool, facts, new Bound(true, bytes("1"), bytes("7"))));
    assertNotEquals(key, BatchKey.of("other", pool, facts, values));
    assertNotEquals(key, BatchKey.of("scope", new Object(), facts, values));
  }
}
