package org.abelian.workloads.tpcc.random;

/** Customers' last names (clause 4.3.2.3). */
public final class LastName {
  /** How many names there are: three digits. */
  public static final int COUNT = 1000;

  private static final String[] SYLLABLES = {
    "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"
  };

  private LastName() {}

  /** The name of a number within [0, 999]: one syllable for each of its three digits. */
  public static String of(int number) {
    if (number < 0 || number >= COUNT) {
      throw new IllegalArgumentException("last name number " + number + " is outside [0, 999]");
    }
    return SYLLABLES[number / 100] + SYLLABLES[number / 10 % 10] + SYLLABLES[number % 10];
  }
}
