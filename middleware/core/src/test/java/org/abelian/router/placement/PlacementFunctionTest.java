package org.abelian.router.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * The functions by themselves: what they give, and what they say of keys that are known in part.
 */
class PlacementFunctionTest {
  private static final int COUNT = 6;
  private static final int VALUES = 9;

  private static KeyValue number(long value) {
    return new KeyValue.Number(value);
  }

  private static KeyValue text(String value) {
    return new KeyValue.Bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  private static Condition condition(int column, Condition.Comparison comparison, long... values) {
    return new Condition(
        column,
        comparison,
        IntStream.range(0, values.length).mapToObj(at -> number(values[at])).toList());
  }

  // ---- hash

  @Property
  void oneColumnIsHashedAsItAlwaysWas(
      @ForAll long key, @ForAll @IntRange(min = 1, max = 1 << 20) int count) {
    HashFunction hash = new HashFunction(count);
    assertEquals(PartitionHash.partition(key, count), hash.partition(number(key)));
    assertEquals(PartitionHash.partition(key, count), hash.number(key));
  }

  @Property
  void aTextIsHashedAlikeWhereverItLies(@ForAll String key) {
    HashFunction hash = new HashFunction(COUNT);
    byte[] bytes = ("<" + key + ">").getBytes(StandardCharsets.UTF_8);
    assertEquals(hash.partition(text(key)), hash.bytes(bytes, 1, bytes.length - 2));
  }

  /** Computed by hand from the definition: rotate left by 31 what is multiplied, then xor. */
  @Test
  void theHashOfSeveralColumnsNeverChangesSinceRowsLieByIt() {
    assertEquals(2L, PartitionHash.combine(0, 2));
    assertEquals(0xBFA53E0ACF1BBCDCL, PartitionHash.combine(1, 0));
    int all = 1 << 16;
    HashFunction hash = new HashFunction(all);
    long expected = Long.rotateLeft(7 * 0x9E3779B97F4A7C15L, 31) ^ 9;
    assertEquals(PartitionHash.partition(expected, all), hash.partition(number(7), number(9)));
    long three = Long.rotateLeft(expected * 0x9E3779B97F4A7C15L, 31) ^ 0xAF63DC4C8601EC8CL;
    assertEquals(
        PartitionHash.partition(three, all), hash.partition(number(7), number(9), text("a")));
  }

  @Test
  void pairsSpreadEvenly() {
    HashFunction hash = new HashFunction(32);
    int[] filled = new int[32];
    for (int one = 0; one < 200; one++) {
      for (int other = 0; other < 160; other++) {
        filled[hash.partition(number(one), number(other))]++;
      }
    }
    for (int partition = 0; partition < 32; partition++) {
      assertTrue(
          filled[partition] > 700 && filled[partition] < 1_400,
          "partition " + partition + " has " + filled[partition] + " of 1000");
    }
  }

  // ---- rules

  @Test
  void theFirstClauseThatHoldsWins() {
    RuleFunction rule =
        new RuleFunction(
            3,
            List.of(
                new Clause(0, List.of(condition(0, Condition.Comparison.LESS, 100))),
                new Clause(1, List.of(condition(0, Condition.Comparison.LESS, 200))),
                new Clause(2, List.of(condition(0, Condition.Comparison.EQUAL, 500, 300)))),
            new Otherwise.Refuse());
    assertEquals(0, rule.partition(number(Long.MIN_VALUE)));
    assertEquals(0, rule.number(99));
    assertEquals(1, rule.number(100));
    assertEquals(PartitionFunction.UNCOVERED, rule.number(200));
    assertEquals(2, rule.number(300));
    assertEquals(2, rule.number(500));
    assertEquals(PartitionFunction.UNCOVERED, rule.number(400));
  }

  @Test
  void bytesAreComparedWithoutSignAndShorterFirst() {
    RuleFunction rule =
        new RuleFunction(
            2,
            List.of(
                new Clause(
                    0, List.of(new Condition(0, Condition.Comparison.LESS, List.of(text("z")))))),
            new Otherwise.Partition(1));
    assertEquals(0, rule.partition(text("")));
    assertEquals(0, rule.partition(text("yyy")));
    assertEquals(1, rule.partition(text("z")));
    assertEquals(1, rule.partition(text("za")));
    assertEquals(1, rule.partition(text("é")));
    byte[] bytes = "..a..".getBytes(StandardCharsets.UTF_8);
    assertEquals(0, rule.bytes(bytes, 2, 1));
  }

  /** Of each key of which some columns are known: every completion lies where it is possible. */
  @Test
  void noCompletionOfAKeyLiesOutsideOfWhatIsPossible() {
    int fewer = 0;
    for (long seed = 0; seed < 2_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      PartitionFunction function = randomRule(random);
      for (int one = -1; one < VALUES; one++) {
        for (int other = -1; other < VALUES; other++) {
          BitSet real = completions(function, one, other);
          BitSet possible =
              function.possible(one < 0 ? null : number(one), other < 0 ? null : number(other));
          real.andNot(possible);
          assertTrue(real.isEmpty(), "seed " + seed + ": " + one + ", " + other + " " + real);
          fewer += possible.cardinality() < COUNT ? 1 : 0;
          if (one >= 0 && other >= 0) {
            int exact = function.partition(number(one), number(other));
            assertEquals(exact < 0 ? 0 : 1, possible.cardinality(), "seed " + seed);
          }
        }
      }
    }
    assertTrue(fewer > 0, "nothing was ever excluded");
  }

  private static BitSet completions(PartitionFunction function, int one, int other) {
    BitSet real = new BitSet(COUNT);
    for (int first = 0; first < VALUES; first++) {
      for (int second = 0; second < VALUES; second++) {
        if ((one < 0 || one == first) && (other < 0 || other == second)) {
          int partition = function.partition(number(first), number(second));
          if (partition >= 0) {
            real.set(partition);
          }
        }
      }
    }
    return real;
  }

  static PartitionFunction randomRule(SplittableRandom random) {
    List<Clause> clauses = new ArrayList<>();
    for (int at = random.nextInt(5); at > 0; at--) {
      List<Condition> conditions = new ArrayList<>();
      for (int each = random.nextInt(3); each > 0; each--) {
        Condition.Comparison comparison =
            Condition.Comparison.values()[random.nextInt(Condition.Comparison.values().length)];
        int constants = comparison == Condition.Comparison.EQUAL ? random.nextInt(1, 4) : 1;
        conditions.add(
            condition(
                random.nextInt(2),
                comparison,
                random.longs(constants, 0, VALUES).distinct().toArray()));
      }
      clauses.add(new Clause(random.nextInt(COUNT), conditions));
    }
    return new RuleFunction(COUNT, clauses, randomOtherwise(random));
  }

  private static Otherwise randomOtherwise(SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> new Otherwise.Refuse();
      case 1 -> new Otherwise.Partition(random.nextInt(COUNT));
      case 2 -> new Otherwise.Hash(List.of(0, 1));
      case 3 -> new Otherwise.Hash(List.of(0));
      default -> new Otherwise.Hash(List.of(1));
    };
  }

  // ---- lookup

  @Test
  void entriesComeBeforeTheDefault() {
    LookupFunction lookup =
        new LookupFunction(
            COUNT, Map.of(text("a"), 3, text("b"), 4), new Otherwise.Hash(List.of(0)));
    assertEquals(3, lookup.partition(text("a")));
    assertEquals(4, lookup.bytes(new byte[] {'a', 'b'}, 1, 1));
    assertEquals(new HashFunction(COUNT).partition(text("c")), lookup.partition(text("c")));
    assertEquals(BitSet.valueOf(new long[] {1 << 3}), lookup.possible(text("a")));
    assertEquals(COUNT, lookup.possible((KeyValue) null).cardinality());
    LookupFunction refusing =
        new LookupFunction(COUNT, Map.of(number(7), 2), new Otherwise.Refuse());
    assertEquals(2, refusing.number(7));
    assertEquals(PartitionFunction.UNCOVERED, refusing.number(8));
    assertEquals(BitSet.valueOf(new long[] {1 << 2}), refusing.possible((KeyValue) null));
  }

  // ---- expressions

  @Property
  void numbersAreDividedAsPostgresDoes(@ForAll long value, @ForAll @IntRange(min = 1) int by) {
    long quotient = new KeyExpression(KeyExpression.Operator.DIVIDE, by).of(value);
    long rest = new KeyExpression(KeyExpression.Operator.REMAINDER, by).of(value);
    assertEquals(value, quotient * by + rest);
    assertTrue(Math.abs(rest) < by && (rest == 0 || (rest < 0) == (value < 0)));
  }

  @Property
  void charactersAreNotCut(@ForAll String text, @ForAll @IntRange(min = 1, max = 300) int count) {
    String clean = text.replaceAll("[\\ud800-\\udfff]", "?");
    byte[] bytes = ("<" + clean + ">").getBytes(StandardCharsets.UTF_8);
    int length =
        new KeyExpression(KeyExpression.Operator.LEFT, count).lengthOf(bytes, 1, bytes.length - 2);
    assertEquals(
        clean.substring(0, Math.min(count, clean.length())),
        new String(bytes, 1, length, StandardCharsets.UTF_8));
  }

  // ---- texts of the catalogue

  @Test
  void keysAreReadInTheOutputFormOfTheirKind() {
    assertEquals(number(-5), KeyText.parse(KeyKind.INTEGER, "-5"));
    assertEquals(number(1), KeyText.parse(KeyKind.BOOLEAN, "true"));
    assertEquals(number(0), KeyText.parse(KeyKind.BOOLEAN, "false"));
    assertEquals(text("a  "), KeyText.parse(KeyKind.TEXT, "a  "));
    assertEquals(text("a"), KeyText.parse(KeyKind.BLANK_PADDED, "a  "));
    assertEquals(
        new KeyValue.Bytes(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -1}),
        KeyText.parse(KeyKind.UUID, "00010203-0405-0607-0809-0a0b0c0d0eff"));
  }

  /** Days that PostgreSQL counts: SELECT d - date '2000-01-01'. */
  @Test
  void datesAreCountedAsPostgresDoes() {
    Map.of(
            "2000-01-01", 0L,
            "1999-12-31", -1L,
            "2000-03-01", 60L,
            "0001-01-01", -730_119L,
            "0001-12-31 BC", -730_120L,
            "4713-01-01 BC", -2_451_507L,
            "5874897-12-31", 2_145_031_948L,
            "infinity", (long) Integer.MAX_VALUE,
            "-infinity", (long) Integer.MIN_VALUE)
        .forEach(
            (text, days) -> assertEquals(number(days), KeyText.parse(KeyKind.DATE, text), text));
  }
}
