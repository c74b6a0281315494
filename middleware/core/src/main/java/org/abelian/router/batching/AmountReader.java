package org.abelian.router.batching;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.abelian.router.analysis.CombinedFacts;
import org.abelian.router.analysis.Value;
import org.abelian.router.protocol.BigEndian;
import org.abelian.router.routing.BinaryNumeric;
import org.abelian.router.routing.BoundValues;

/**
 * Reads operands from values as clients bind them. What is not plainly a number of the type is left
 * to the node, which knows what to say about it.
 */
public final class AmountReader {
  private static final int INT8 = 20;
  private static final int INT2 = 21;
  private static final int INT4 = 23;

  private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]{1,18}");
  private static final Pattern DECIMAL = Pattern.compile("[+-]?[0-9]{1,100}(\\.[0-9]{1,100})?");
  private static final int LONGEST = 202;

  private AmountReader() {}

  /** What a statement does with these values; null when it must run alone. */
  public static Amounts read(CombinedFacts facts, BoundValues values) {
    List<Amount> amounts = new ArrayList<>(facts.operands().size());
    for (CombinedFacts.Operand operand : facts.operands()) {
      Amount amount = read(operand, values);
      if (amount == null) {
        return null;
      }
      amounts.add(amount);
    }
    return new Amounts(amounts);
  }

  private static Amount read(CombinedFacts.Operand operand, BoundValues values) {
    boolean whole = operand.type() == INT2 || operand.type() == INT4 || operand.type() == INT8;
    if (operand.value() instanceof Value.Constant constant) {
      return whole ? whole(constant.text(), operand) : decimal(constant.text(), operand);
    }
    if (!(operand.value() instanceof Value.Parameter parameter)
        || parameter.number() > values.count()
        || values.isNull(parameter.number())) {
      return null;
    }
    int number = parameter.number();
    if (values.isBinary(number)) {
      return whole ? binaryWhole(operand, values, number) : binaryDecimal(operand, values, number);
    }
    if (values.length(number) > LONGEST) {
      return null;
    }
    String text =
        new String(
            values.buffer(number),
            values.offset(number),
            values.length(number),
            StandardCharsets.US_ASCII);
    return whole ? whole(text, operand) : decimal(text, operand);
  }

  private static Amount whole(String text, CombinedFacts.Operand operand) {
    return INTEGER.matcher(text).matches() ? whole(Long.parseLong(text), operand) : null;
  }

  private static Amount whole(long value, CombinedFacts.Operand operand) {
    boolean fits =
        switch (operand.type()) {
          case INT2 -> value == (short) value;
          case INT4 -> value == (int) value;
          default -> value != Long.MIN_VALUE;
        };
    if (!fits) {
      return null;
    }
    return operand.merge() == CombinedFacts.Merge.SUM
        ? new Amount.Whole(operand.negative() ? -value : value, operand.bounded())
        : extremum(BigDecimal.valueOf(value), operand);
  }

  private static Amount decimal(String text, CombinedFacts.Operand operand) {
    return DECIMAL.matcher(text).matches() ? decimal(new BigDecimal(text), operand) : null;
  }

  private static Amount decimal(BigDecimal value, CombinedFacts.Operand operand) {
    return operand.merge() == CombinedFacts.Merge.SUM
        ? new Amount.Decimal(operand.negative() ? value.negate() : value)
        : extremum(value, operand);
  }

  private static Amount extremum(BigDecimal value, CombinedFacts.Operand operand) {
    return new Amount.Extremum(value, operand.merge() == CombinedFacts.Merge.GREATEST);
  }

  private static Amount binaryWhole(CombinedFacts.Operand operand, BoundValues values, int number) {
    byte[] buffer = values.buffer(number);
    int at = values.offset(number);
    int length = values.length(number);
    if (operand.type() == INT2 && length == 2) {
      return whole((short) BigEndian.int2(buffer, at), operand);
    }
    if (operand.type() == INT4 && length == 4) {
      return whole(BigEndian.int4(buffer, at), operand);
    }
    if (operand.type() == INT8 && length == 8) {
      long high = BigEndian.int4(buffer, at);
      return whole(high << 32 | BigEndian.int4(buffer, at + 4) & 0xffff_ffffL, operand);
    }
    return null;
  }

  private static Amount binaryDecimal(
      CombinedFacts.Operand operand, BoundValues values, int number) {
    int length = values.length(number);
    if (length < 8 || length > LONGEST) {
      return null;
    }
    try {
      BigDecimal value = BinaryNumeric.read(values.buffer(number), values.offset(number), length);
      int scale = BigEndian.int2(values.buffer(number), values.offset(number) + 6);
      return value == null ? null : decimal(value.setScale(scale), operand);
    } catch (RuntimeException malformed) {
      return null;
    }
  }
}
