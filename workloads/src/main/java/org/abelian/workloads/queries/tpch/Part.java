package org.abelian.workloads.queries.tpch;

import java.math.BigDecimal;

/**
 * What queries ask of a part.
 *
 * @param brand manufacturer's digit and the brand's own
 */
record Part(String name, int brand, String type, int size, String container) {
  /** P_RETAILPRICE in cents. */
  static long cents(int key) {
    return 90_000 + key / 10 % 20_001 + 100L * (key % 1_000);
  }

  static BigDecimal price(int key) {
    return BigDecimal.valueOf(cents(key), 2);
  }

  static Part draw(RowRandom random) {
    StringBuilder name = new StringBuilder(random.pick(Words.COLORS));
    for (int i = 1; i < 5; i++) {
      name.append(' ').append(random.pick(Words.COLORS));
    }
    return new Part(
        name.toString(),
        10 * random.uniform(1, 5) + random.uniform(1, 5),
        random.pick(Words.TYPE_SIZES)
            + " "
            + random.pick(Words.TYPE_FINISHES)
            + " "
            + random.pick(Words.TYPE_METALS),
        random.uniform(1, 50),
        random.pick(Words.CONTAINER_SIZES) + " " + random.pick(Words.CONTAINERS));
  }
}
