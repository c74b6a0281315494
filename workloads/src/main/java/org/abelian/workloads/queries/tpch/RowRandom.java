package org.abelian.workloads.queries.tpch;

import java.math.BigDecimal;
import java.util.List;
import java.util.SplittableRandom;

/** Random values of one row, which depend on the seed, the table and the row alone. */
final class RowRandom {
  private static final String ADDRESS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789, ";

  private final SplittableRandom random;

  RowRandom(long seed, String table, long row) {
    random = new SplittableRandom((seed * 31 + table.hashCode()) * 0x100000001B3L + row);
  }

  /** Uniform over [low, high], both inclusive. */
  int uniform(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  <T> T pick(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  /** Uniform over [low, high] in steps of a cent. */
  BigDecimal money(int lowCents, int highCents) {
    return BigDecimal.valueOf(uniform(lowCents, highCents), 2);
  }

  /** A v-string of 10 to 40 characters. */
  String address() {
    int length = uniform(10, 40);
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(ADDRESS.charAt(random.nextInt(ADDRESS.length())));
    }
    return text.toString();
  }

  /** A phone number, whose country code tells the nation. */
  String phone(int nation) {
    return (10 + nation)
        + "-"
        + uniform(100, 999)
        + "-"
        + uniform(100, 999)
        + "-"
        + uniform(1000, 9999);
  }

  /** Sentences, cut at a length within [low, high]. */
  String comment(int low, int high) {
    int length = uniform(low, high);
    StringBuilder text = new StringBuilder(length + 80);
    while (text.length() < length) {
      addSentence(text);
    }
    text.setLength(length);
    return text.toString();
  }

  private void addSentence(StringBuilder text) {
    addNouns(text);
    text.append(' ').append(pick(Words.VERBS)).append(' ');
    if (chance(0.5)) {
      text.append(pick(Words.ADVERBS)).append(' ');
    }
    if (chance(0.5)) {
      text.append(pick(Words.PREPOSITIONS)).append(" the ");
      addNouns(text);
    }
    text.append(". ");
  }

  private void addNouns(StringBuilder text) {
    if (chance(0.5)) {
      text.append(pick(Words.ADJECTIVES)).append(' ');
    }
    if (chance(0.25)) {
      text.append(pick(Words.ADJECTIVES)).append(' ');
    }
    text.append(pick(Words.NOUNS));
  }
}
