package org.abelian.router.batching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** A sum stands for its summands only if, where it is accepted, they would be in some order. */
class AmountTest {
  private static final BigInteger MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);

  @Property
  void aSumThatABoundedValueAcceptsIsAcceptedStepByStepInSomeOrder(
      @ForAll @IntRange(min = 0, max = 20) int base,
      @ForAll @Size(min = 1, max = 6) List<@IntRange(min = -15, max = 15) Integer> deltas) {
    Amount sum = new Amount.Whole(deltas.get(0), true);
    List<BigInteger> summands = new ArrayList<>();
    summands.add(BigInteger.valueOf(deltas.get(0)));
    for (int delta : deltas.subList(1, deltas.size())) {
      Amount larger = sum.plus(new Amount.Whole(delta, true));
      if (larger != null) {
        sum = larger;
        summands.add(BigInteger.valueOf(delta));
      }
    }
    BigInteger low = BigInteger.ZERO;
    BigInteger high = BigInteger.valueOf(20);
    BigInteger start = BigInteger.valueOf(base);
    if (fits(start.add(new BigInteger(sum.text())), low, high)) {
      assertTrue(someOrderFits(start, summands, low, high), base + " " + summands);
    }
  }

  @Property
  void aSumThatBigintAcceptsIsAcceptedStepByStepInSomeOrder(
      @ForAll long base, @ForAll @Size(min = 1, max = 6) List<Long> deltas) {
    Amount sum = new Amount.Whole(deltas.get(0), false);
    List<BigInteger> summands = new ArrayList<>();
    summands.add(BigInteger.valueOf(deltas.get(0)));
    for (long delta : deltas.subList(1, deltas.size())) {
      Amount larger = sum.plus(new Amount.Whole(delta, false));
      if (larger != null) {
        sum = larger;
        summands.add(BigInteger.valueOf(delta));
      }
    }
    BigInteger total = summands.stream().reduce(BigInteger.ZERO, BigInteger::add);
    assertEquals(total.toString(), sum.text());
    BigInteger start = BigInteger.valueOf(base);
    if (fits(start.add(total), MIN, MAX)) {
      assertTrue(someOrderFits(start, summands, MIN, MAX), base + " " + summands);
    }
  }

  /** The claim fails for summands of both signs with bounds, which is why they are kept apart. */
  @Test
  void summandsOfBothSignsMayFitTogetherAndInNoOrder() {
    BigInteger ten = BigInteger.TEN;
    assertTrue(
        !someOrderFits(BigInteger.valueOf(5), List.of(ten, ten.negate()), BigInteger.ZERO, ten));
    assertNull(new Amount.Whole(10, true).plus(new Amount.Whole(-10, true)));
    assertEquals(
        new Amount.Whole(0, false), new Amount.Whole(10, false).plus(new Amount.Whole(-10, false)));
  }

  @Test
  void aSumThatLeavesBigintIsNotMade() {
    Amount most = new Amount.Whole(Long.MAX_VALUE, false);
    assertNull(most.plus(new Amount.Whole(1, false)));
    assertNull(new Amount.Whole(Long.MIN_VALUE, false).plus(new Amount.Whole(-1, false)));
  }

  @Test
  void theScaleOfADecimalSumIsTheLargest() {
    Amount sum =
        new Amount.Decimal(new BigDecimal("1.50")).plus(new Amount.Decimal(BigDecimal.ONE));
    assertEquals("2.50", sum.text());
  }

  @Property
  void anExtremumIsTheExtremeOfAllAndAnOperandAsItWasWritten(
      @ForAll boolean greatest, @ForAll @Size(min = 1, max = 6) List<Long> values) {
    Amount all = new Amount.Extremum(BigDecimal.valueOf(values.get(0)), greatest);
    for (long value : values.subList(1, values.size())) {
      all = all.plus(new Amount.Extremum(BigDecimal.valueOf(value), greatest));
    }
    long expected = greatest ? Collections.max(values) : Collections.min(values);
    assertEquals(Long.toString(expected), all.text());
  }

  @Test
  void ofEqualNumbersTheFirstStaysAsItIsWritten() {
    for (boolean greatest : new boolean[] {true, false}) {
      Amount first = new Amount.Extremum(new BigDecimal("1.50"), greatest);
      assertEquals("1.50", first.plus(new Amount.Extremum(new BigDecimal("1.5"), greatest)).text());
    }
  }

  @Test
  void operandsOfDifferentOperationsDoNotBecomeOne() {
    Amount greatest = new Amount.Extremum(BigDecimal.ONE, true);
    assertNull(greatest.plus(new Amount.Extremum(BigDecimal.ONE, false)));
    assertNull(greatest.plus(new Amount.Decimal(BigDecimal.ONE)));
    assertNull(new Amount.Decimal(BigDecimal.ONE).plus(greatest));
    assertNull(new Amount.Whole(1, false).plus(greatest));
  }

  private static boolean fits(BigInteger value, BigInteger low, BigInteger high) {
    return value.compareTo(low) >= 0 && value.compareTo(high) <= 0;
  }

  private static boolean someOrderFits(
      BigInteger value, List<BigInteger> summands, BigInteger low, BigInteger high) {
    if (!fits(value, low, high)) {
      return false;
    }
    for (int i = 0; i < summands.size(); i++) {
      List<BigInteger> rest = new ArrayList<>(summands);
      if (someOrderFits(value.add(rest.remove(i)), rest, low, high)) {
        return true;
      }
    }
    return summands.isEmpty();
  }
}
